/* SPDX-License-Identifier: BSD-3-Clause */
/* Each input is copied into temporary tables in_NAME of the output's connection. This works for any
 * schema and, unlike ATTACH, for any number of inputs. Set operations then combine in_NAME with
 * main.NAME, using tables that map numbers:
 *
 *     sweep_map, config_map, session_map   was, now
 *     attempt_map                          was, now; later only of attempts with members
 *     trial_map                            was, now, verdict
 *     file_map                             was, now, path: of the input; NULL: the present one
 *
 * verdict: 'new', the output lacks the trial; 'better', the input's result beats the output's;
 * 'both' have one; 'kept', the output's stays. */
#include "store/merge.h"

#include <string.h>

#include "store/db.h"
#include "store/stored_settings.h"
#include "store/trial_files.h"
#include "trial/kept.h"

/* Tables that are copied, and their columns with numbers of the file. */
static const struct source {
    const char *table, *mapped;
} sources[] = {
    {"sweep", "|sweep_id|"},
    {"axis", "|sweep_id|"},
    {"config", "|config_id|sweep_id|"},
    {"trial", "|trial_id|config_id|"},
    {"metric", "|trial_id|"},
    {"curve", "|trial_id|"},
    {"curve_metric", "|trial_id|"},
    {"log", "|trial_id|"},
    {"file", "|trial_id|"},
    {"timing", "|trial_id|"},
    {"rung", "|trial_id|"},
    {"decision", "|sweep_id|config_id|"},
    {"session", "|session_id|"},
    {"attempt", "|attempt_id|trial_id|session_id|"},
    {"member", "|attempt_id|"},
    {"model", "|trial_id|"},
    {"prediction", "|trial_id|"},
    {"traffic", "|session_id|"},
    {"data_fact", "|sweep_id|"},
};

enum { SOURCES = sizeof sources / sizeof *sources };

struct merge {
    struct store *store;         /* the output */
    struct buf columns[SOURCES]; /* "a, b": the other columns, which are copied */
};

/* @ stands for the copied columns of the table. */
struct step {
    const char *table, *sql;
};

#define RANK(state) \
    "CASE " state " WHEN 'done' THEN 2 WHEN 'diverged' THEN 2 WHEN 'failed' THEN 1 ELSE 0 END"
/* Merging first marks sessions of other files as lost; 'running' beats that. */
#define SESSION_RANK(outcome) "CASE " outcome " WHEN 'lost' THEN 0 WHEN 'running' THEN 1 ELSE 2 END"
/* Attempts of the input that the output has. The plus signs let SQLite search by all columns: the index of
 * main.attempt has all attempts of a trial in one place. */
#define SAME_ATTEMPTS                                                            \
    "SELECT i.attempt_id, o.attempt_id FROM in_attempt AS i"                     \
    " JOIN trial_map AS t ON t.was = i.trial_id"                                 \
    " LEFT JOIN session_map AS s ON s.was = i.session_id JOIN main.attempt AS o" \
    " ON +o.trial_id = t.now AND +o.session_id IS s.now AND o.rank = i.rank"     \
    " AND o.host = i.host AND o.pid = i.pid AND o.started = i.started"           \
    " AND +o.finished IS i.finished"
/* A comparison of several columns with NOT IN would read all rows for each. */
#define SAME_SESSIONS                                        \
    "SELECT i.session_id, o.session_id FROM in_session AS i" \
    " JOIN main.session AS o USING (host, pid, started)"
/* Rows whose number is free come first, since SQLite could assign it to another. */
#define FREE_ID(table, id) \
    "iif(EXISTS (SELECT 1 FROM main." table " AS o WHERE o." id " = i." id "), NULL, i." id ")"
#define FREE_FIRST(table, id) \
    " ORDER BY EXISTS (SELECT 1 FROM main." table " AS o WHERE o." id " = i." id "), i." id

#define DROP_REPLACED(table)  \
    "DELETE FROM main." table \
    " WHERE trial_id IN (SELECT now FROM trial_map WHERE verdict = 'better')"
#define COPY(table)                                                                 \
    "INSERT INTO main." table " (trial_id, @) SELECT now, @ FROM in_" table " AS i" \
    " JOIN trial_map ON was = i.trial_id WHERE verdict "

static const char sql_tables[] =
    "CREATE TEMP TABLE sweep_map (was INTEGER PRIMARY KEY, now INTEGER);"
    "CREATE TEMP TABLE config_map (was INTEGER PRIMARY KEY, now INTEGER);"
    "CREATE TEMP TABLE session_map (was INTEGER PRIMARY KEY, now INTEGER);"
    "CREATE TEMP TABLE attempt_map (was INTEGER, now INTEGER);"
    "CREATE TEMP TABLE trial_map (was INTEGER PRIMARY KEY, now INTEGER, verdict TEXT);"
    "CREATE TEMP TABLE file_map (was INTEGER, now INTEGER PRIMARY KEY, path TEXT);"
    "CREATE INDEX temp.in_config_key ON in_config (sweep_id, key);"
    "CREATE INDEX temp.in_metric_trial ON in_metric (trial_id);"
    "CREATE INDEX temp.in_curve_trial ON in_curve (trial_id);"
    "CREATE INDEX temp.in_trial_id ON in_trial (trial_id);"
    "CREATE INDEX temp.in_session_id ON in_session (session_id);"
    "CREATE INDEX temp.in_attempt_trial ON in_attempt (trial_id);"
    "CREATE INDEX temp.in_model_trial ON in_model (trial_id)";

/* clang-format off */

/* A trial that runs in an input does not run here; a merge after its end adds its attempt. */
static const struct step match[] = {
    {"attempt", "DELETE FROM in_attempt WHERE outcome = 'running';"
                " UPDATE in_trial SET state = 'pending' WHERE state = 'running';"
                " DELETE FROM sweep_map; DELETE FROM config_map; DELETE FROM trial_map"},
    {"sweep", "INSERT INTO main.sweep (sweep_id, @)"
            " SELECT " FREE_ID("sweep", "sweep_id") ", @ FROM in_sweep AS i"
            " WHERE name NOT IN (SELECT name FROM main.sweep)" FREE_FIRST("sweep", "sweep_id")},
    {"sweep", "INSERT INTO sweep_map SELECT i.sweep_id, o.sweep_id"
            " FROM in_sweep AS i JOIN main.sweep AS o USING (name)"},
    {"sweep", "UPDATE main.sweep AS o SET file = i.file, ini = i.ini, planned = i.planned,"
            " parts = coalesce(i.parts, o.parts), updated = i.updated"
            " FROM in_sweep AS i WHERE i.name = o.name"
            " AND (i.updated, i.file, i.ini) > (o.updated, o.file, o.ini)"},
    {"sweep", "UPDATE main.sweep AS o SET created = i.created"
            " FROM in_sweep AS i WHERE i.name = o.name AND i.created < o.created"},
    {"axis", "INSERT INTO main.axis (sweep_id, ordinal, name)"
           " SELECT now, row_number() OVER (PARTITION BY now ORDER BY i.ordinal) +"
           " (SELECT coalesce(max(ordinal), 0) FROM main.axis AS o WHERE o.sweep_id = now), i.name"
           " FROM in_axis AS i JOIN sweep_map ON was = i.sweep_id WHERE NOT EXISTS"
           " (SELECT 1 FROM main.axis AS o WHERE o.sweep_id = now AND o.name = i.name)"},
    {"config", "INSERT INTO main.config (config_id, sweep_id, @)"
             " SELECT " FREE_ID("config", "config_id") ", now, @"
             " FROM in_config AS i JOIN sweep_map ON was = i.sweep_id WHERE NOT EXISTS"
             " (SELECT 1 FROM main.config AS o WHERE o.sweep_id = now AND o.key = i.key)"
             FREE_FIRST("config", "config_id")},
    {"config", "INSERT INTO config_map SELECT i.config_id, o.config_id FROM in_config AS i"
             " JOIN sweep_map ON was = i.sweep_id"
             " JOIN main.config AS o ON o.sweep_id = now AND o.key = i.key"},
    {"trial", "INSERT INTO trial_map SELECT i.trial_id, o.trial_id, CASE"
            " WHEN o.trial_id IS NULL THEN 'new'"
            " WHEN " RANK("i.state") " > " RANK("o.state") " THEN 'better'"
            " WHEN " RANK("i.state") " = 2 THEN 'both' ELSE 'kept' END"
            " FROM in_trial AS i JOIN config_map ON was = i.config_id LEFT JOIN main.trial AS o"
            " ON o.config_id = now AND o.replicate = i.replicate AND o.fold = i.fold"},
};

static const struct step apply[] = {
    {"trial", "INSERT INTO main.trial (trial_id, config_id, @)"
            " SELECT " FREE_ID("trial", "trial_id") ", c.now, @ FROM in_trial AS i"
            " JOIN trial_map AS t ON t.was = i.trial_id"
            " JOIN config_map AS c ON c.was = i.config_id"
            " WHERE verdict = 'new'" FREE_FIRST("trial", "trial_id")},
    {"trial", "UPDATE trial_map SET now = (SELECT o.trial_id FROM in_trial AS i"
            " JOIN config_map AS c ON c.was = i.config_id JOIN main.trial AS o"
            " ON o.config_id = c.now AND o.replicate = i.replicate AND o.fold = i.fold"
            " WHERE i.trial_id = trial_map.was) WHERE verdict = 'new'"},
    {"trial", "UPDATE main.trial SET (@) = (SELECT @ FROM in_trial AS i WHERE i.trial_id = t.was)"
            " FROM trial_map AS t WHERE t.now = main.trial.trial_id AND verdict = 'better'"},
    {"metric", DROP_REPLACED("metric")},
    {"curve", DROP_REPLACED("curve")},
    {"curve_metric", DROP_REPLACED("curve_metric")},
    {"log", DROP_REPLACED("log")},
    {"timing", DROP_REPLACED("timing")},
    {"rung", DROP_REPLACED("rung")},
    {"checkpoint", DROP_REPLACED("checkpoint")},
    {"model", DROP_REPLACED("model")},
    {"file", DROP_REPLACED("file")},
    {"prediction", DROP_REPLACED("prediction")},
    {"metric", COPY("metric") "IN ('new', 'better')"},
    {"curve", COPY("curve") "IN ('new', 'better')"},
    {"curve_metric", COPY("curve_metric") "IN ('new', 'better')"},
    {"log", COPY("log") "IN ('new', 'better')"},
    {"timing", COPY("timing") "IN ('new', 'better')"},
    {"rung", COPY("rung") "IN ('new', 'better')"},
    {"decision", "INSERT INTO main.decision (sweep_id, config_id, @) SELECT s.now, c.now, @"
               " FROM in_decision AS i JOIN sweep_map AS s ON s.was = i.sweep_id"
               " JOIN config_map AS c ON c.was = i.config_id WHERE NOT EXISTS"
               " (SELECT 1 FROM main.decision AS o WHERE o.sweep_id = s.now)"},
    /* One of two equal results may come from a run that kept no models. */
    {"model", COPY("model") "<> 'kept' AND NOT EXISTS"
              " (SELECT 1 FROM main.model AS o WHERE o.trial_id = now)"},
    {"file", "DELETE FROM file_map WHERE now IN (SELECT now FROM trial_map WHERE verdict = 'better');"
             " INSERT OR REPLACE INTO file_map SELECT DISTINCT was, now, NULL FROM in_file AS i"
             " JOIN trial_map ON was = i.trial_id WHERE verdict <> 'kept' AND NOT EXISTS"
             " (SELECT 1 FROM main.file AS o WHERE o.trial_id = now)"},
    {"file", "INSERT INTO main.file (trial_id, @) SELECT now, @ FROM in_file AS i"
             " JOIN file_map ON was = i.trial_id AND path IS NULL"},
    {"prediction", COPY("prediction") "<> 'kept' AND NOT EXISTS"
                   " (SELECT 1 FROM main.prediction AS o WHERE o.trial_id = now)"},
    {"data_fact", "INSERT INTO main.data_fact (sweep_id, @) SELECT now, @ FROM in_data_fact AS i"
                " JOIN sweep_map ON was = i.sweep_id WHERE NOT EXISTS"
                " (SELECT 1 FROM main.data_fact AS o WHERE o.sweep_id = now)"},
    {"session", "DELETE FROM session_map"},
    {"session", "INSERT OR IGNORE INTO session_map " SAME_SESSIONS},
    {"session", "INSERT INTO main.session (session_id, @)"
              " SELECT " FREE_ID("session", "session_id") ", @ FROM in_session AS i"
              " WHERE i.session_id NOT IN (SELECT was FROM session_map)"
              FREE_FIRST("session", "session_id")},
    {"session", "INSERT OR IGNORE INTO session_map " SAME_SESSIONS},
    /* A session that ran at an earlier merge may have ended since. */
    {"traffic", "DELETE FROM main.traffic WHERE session_id IN (SELECT now FROM session_map"
              " JOIN main.session AS o ON o.session_id = now"
              " JOIN in_session AS i ON i.session_id = was WHERE "
              SESSION_RANK("i.outcome") " > " SESSION_RANK("o.outcome") ")"},
    {"session", "UPDATE main.session SET (@) ="
              " (SELECT @ FROM in_session AS i WHERE i.session_id = was)"
              " FROM session_map WHERE now = main.session.session_id AND "
              SESSION_RANK("(SELECT outcome FROM in_session AS i WHERE i.session_id = was)") " > "
              SESSION_RANK("main.session.outcome")},
    {"traffic", "INSERT INTO main.traffic (session_id, @) SELECT now, @ FROM in_traffic AS i"
              " JOIN session_map ON was = i.session_id WHERE NOT EXISTS"
              " (SELECT 1 FROM main.traffic AS o WHERE o.session_id = now)"},
    {"attempt", "DELETE FROM attempt_map"},
    {"attempt", "INSERT INTO attempt_map " SAME_ATTEMPTS},
    {"attempt", "INSERT INTO main.attempt (trial_id, session_id, @) SELECT t.now, s.now, @"
              " FROM in_attempt AS i JOIN trial_map AS t ON t.was = i.trial_id"
              " LEFT JOIN session_map AS s ON s.was = i.session_id"
              " WHERE i.attempt_id NOT IN (SELECT was FROM attempt_map) ORDER BY i.attempt_id"},
    {"member", "DELETE FROM attempt_map"},
    {"member", "INSERT INTO attempt_map " SAME_ATTEMPTS
             " WHERE i.attempt_id IN (SELECT attempt_id FROM in_member)"},
    {"member", "INSERT OR IGNORE INTO main.member (attempt_id, @) SELECT now, @ FROM in_member AS i"
             " JOIN attempt_map ON was = i.attempt_id"},
    {"trial", "UPDATE main.trial AS o SET attempts ="
            " (SELECT count(*) FROM main.attempt AS a WHERE a.trial_id = o.trial_id)"
            " WHERE trial_id IN (SELECT now FROM trial_map)"},
};

/* clang-format on */

static const char sql_finish[] =
    "INSERT INTO main.axis (sweep_id, ordinal, name)"
    " SELECT sweep_id, row_number() OVER (PARTITION BY sweep_id ORDER BY at) +"
    " (SELECT coalesce(max(ordinal), 0) FROM main.axis AS o WHERE o.sweep_id = v.sweep_id),"
    " key FROM (SELECT c.sweep_id, p.key, min(p.id) AS at"
    " FROM main.config AS c, json_each(c.params) AS p"
    " GROUP BY c.sweep_id, p.key HAVING min(p.value) IS NOT max(p.value)) AS v"
    " WHERE NOT EXISTS (SELECT 1 FROM main.axis AS o"
    " WHERE o.sweep_id = v.sweep_id AND o.name = v.key);"
    "UPDATE main.axis SET levels = (SELECT json_group_array(level) FROM"
    " (SELECT DISTINCT params ->> axis.name AS level FROM main.config AS c"
    " WHERE c.sweep_id = axis.sweep_id AND level IS NOT NULL ORDER BY level))";

/* Columns of model_find_damaged(). */
static const char sql_in_models[] = "SELECT hash, safetensors, trial_id FROM temp.in_model";
static const char sql_both_models[] =
    "SELECT o.hash, o.safetensors, o.trial_id FROM temp.in_model AS i"
    " JOIN trial_map ON was = i.trial_id JOIN main.model AS o ON o.trial_id = now"
    " WHERE verdict = 'both'";

static const char sql_copied_columns[] =
    "SELECT group_concat('\"' || name || '\"', ', ') FROM pragma_table_info(?1, 'main')"
    " WHERE instr(?2, '|' || name || '|') = 0";

static const char sql_counts[] = "SELECT count(*), count(*) FILTER (WHERE verdict = 'new'),"
                                 " count(*) FILTER (WHERE verdict = 'better') FROM trial_map";

/* Materialized, because rows are dropped meanwhile. */
static const char sql_files[] =
    "WITH taken AS MATERIALIZED (SELECT path, was, now, name FROM file_map JOIN main.file"
    " ON trial_id = now) SELECT * FROM taken ORDER BY now, name";

/* Last column: true if no trial is left to run. */
static const char sql_with_models[] =
    "SELECT name, ini, coalesce((SELECT count(*) >= planned"
    " AND count(*) FILTER (WHERE " SQL_UNFINISHED ") = 0"
    " FROM main.config AS c JOIN main.trial USING (config_id) WHERE c.sweep_id = sweep.sweep_id), "
    "1)"
    " FROM main.sweep WHERE sweep_id IN (SELECT sweep_id FROM"
    " (SELECT trial_id FROM main.model UNION SELECT trial_id FROM main.file)"
    " JOIN main.trial USING (trial_id) JOIN main.config USING (config_id))";

static const char *columns_of(const struct merge *m, const char *table)
{
    for (int i = 0; i < SOURCES; i++)
        if (!strcmp(sources[i].table, table))
            return buf_text(&m->columns[i]);
    return "";
}

static int run_steps(struct merge *m, const struct step *steps, size_t n, struct err *err)
{
    int rc = 0;

    for (size_t i = 0; !rc && i < n; i++) {
        struct buf sql = {0};

        for (const char *p = steps[i].sql; *p; p++)
            if (*p == '@')
                buf_puts(&sql, columns_of(m, steps[i].table));
            else
                buf_putc(&sql, *p);
        rc = buf_failed(&sql) ? err_nomem(err, "statement", sql.size)
                              : db_exec(m->store, buf_text(&sql), err);
        buf_release(&sql);
    }
    return rc;
}

#define RUN(m, steps, err) run_steps(m, steps, sizeof(steps) / sizeof *(steps), err)

static int prepare_all(struct merge *m, struct err *err)
{
    for (int i = 0; i < SOURCES; i++) {
        const char *table = sources[i].table, *columns;
        sqlite3_stmt *row =
            db_query(m->store, sql_copied_columns, err, "ss", table, sources[i].mapped);
        int rc = db_step(m->store, row, err) == 1 && !db_read(m->store, row, err, "s", &columns)
                     ? 0
                     : -1;

        if (!rc)
            buf_puts(&m->columns[i], columns);
        sqlite3_finalize(row);
        if (rc ||
            db_execf(m->store, err, "CREATE TEMP TABLE in_%s AS SELECT * FROM main.%s LIMIT 0",
                     table, table))
            return -1;
    }
    return db_exec(m->store, sql_tables, err);
}

/* Name the columns: views on an older input have another order. */
static int read_source(struct merge *m, int source, struct store *input, struct err *err)
{
    const char *columns = buf_text(&m->columns[source]), *table = sources[source].table;
    struct buf sql = {0}, ids = {0};
    sqlite3_stmt *row, *insert = NULL;
    int n, rc = 0;

    for (const char *p = sources[source].mapped + 1; *p; p++)
        buf_printf(&ids, *p == '|' ? ", " : "%c", *p);
    buf_printf(&sql, "SELECT %s%s FROM %s", buf_text(&ids), columns, table);
    row = db_query(input, buf_text(&sql), err, "");
    n = sqlite3_column_count(row);
    buf_clear(&sql);
    buf_printf(&sql, "INSERT INTO temp.in_%s (%s%s) VALUES (?", table, buf_text(&ids), columns);
    for (int c = 1; c < n; c++)
        buf_puts(&sql, ", ?");
    buf_puts(&sql, ")");
    if (row && !db_execf(m->store, err, "DELETE FROM temp.in_%s", table))
        insert = db_query(m->store, buf_text(&sql), err, "");
    if (!insert)
        rc = -1;
    while (db_next(&rc, input, row, err)) {
        for (int c = 0; c < n && !rc; c++)
            if (sqlite3_bind_value(insert, c + 1, sqlite3_column_value(row, c)) != SQLITE_OK)
                rc = db_fail(m->store, err);
        if (!rc)
            rc = db_step(m->store, insert, err);
    }
    sqlite3_finalize(row);
    sqlite3_finalize(insert);
    buf_release(&ids);
    buf_release(&sql);
    return rc;
}

/* ---- checks of an input ---- */

static const char sql_other_sweep[] =
    "SELECT name, c.value ->> 0, c.value ->> 1, c.value ->> 2 FROM in_sweep AS i"
    " JOIN main.sweep AS o USING (name), json_each(json_array("
    "json_array('objective', o.objective, i.objective),"
    " json_array('direction', o.direction, i.direction),"
    " json_array('data digest', o.data_digest, i.data_digest))) AS c"
    " WHERE c.value ->> 1 IS NOT c.value ->> 2";

static const char sql_axes[] =
    "SELECT a.name FROM main.axis AS a JOIN main.sweep AS w USING (sweep_id) WHERE w.name = ?1"
    " UNION SELECT a.name FROM in_axis AS a JOIN in_sweep AS w USING (sweep_id) WHERE w.name = ?1";

static const char sql_both_files[] =
    "SELECT name, o.ini, i.ini FROM temp.in_sweep AS i JOIN main.sweep AS o USING (name)";

/* The process that made a result. db: main or temp; prefix: "" or "in_". */
#define WHO(db, prefix, id)                                                         \
    "coalesce((SELECT printf('%s, pid %d, %s UTC%s', a.host, a.pid,"                \
    " datetime(a.started, 'unixepoch'), ' (' || s.cpu || '; ' || s.command || ')')" \
    " FROM " db "." prefix "attempt AS a LEFT JOIN " db "." prefix "session AS s"   \
    " USING (session_id) WHERE a.trial_id = " id                                    \
    " AND a.outcome IN ('done', 'diverged', 'failed')"                              \
    " ORDER BY a.finished DESC, a.attempt_id DESC LIMIT 1), 'unknown')"
#define RESULT(alias) "trim(printf('%s %s %!.17g', " alias ".state, w.objective, " alias ".value))"
#define DIFFERS(columns, name)                                                   \
    "(EXISTS (SELECT " columns " FROM main." name " WHERE trial_id = now EXCEPT" \
    " SELECT " columns " FROM in_" name " WHERE trial_id = was) OR"              \
    " EXISTS (SELECT " columns " FROM in_" name " WHERE trial_id = was EXCEPT"   \
    " SELECT " columns " FROM main." name " WHERE trial_id = now))"
#define MODELS_DIFFER                                                              \
    "EXISTS (SELECT 1 FROM main.model AS m JOIN in_model AS n ON n.trial_id = was" \
    " WHERE m.trial_id = now AND m.hash <> n.hash)"

/* clang-format off */

static const char conflict_format[] =
    "%s: trial %d of sweep '%s' (%s; replicate %d, fold %d) has two results, which differ in %s: "
    "here %s, by %s; merged into %s, by %s";

/* A line in the format ?3 for each of at most ?2 trials of the input ?1; the first column counts all. */
static const char sql_conflicts[] =
    "WITH differing AS MATERIALIZED (SELECT was, now, CASE"
    " WHEN i.state <> o.state THEN 'state' WHEN i.value IS NOT o.value THEN 'value'"
    " WHEN (i.epochs_run, i.best_epoch) IS NOT (o.epochs_run, o.best_epoch) THEN 'epochs'"
    " WHEN " DIFFERS("split, name, value", "metric") " THEN 'metrics'"
    " WHEN " DIFFERS("epoch, train_loss, val_loss, val_value", "curve") " THEN 'curve'"
    " WHEN " MODELS_DIFFER " THEN 'model' END AS what"
    " FROM trial_map JOIN in_trial AS i ON i.trial_id = was"
    " JOIN main.trial AS o ON o.trial_id = now WHERE verdict = 'both'"
    " AND 'none' <> (SELECT task FROM main.config JOIN main.sweep USING (sweep_id)"
    " WHERE config_id = o.config_id))"
    " SELECT count(*) OVER (), printf(?3, ?1, o.trial_id, w.name,"
    " coalesce((SELECT group_concat(name || ' = ' || (c.params ->> name), ', ')"
    " FROM (SELECT name FROM main.axis AS x WHERE x.sweep_id = w.sweep_id ORDER BY ordinal)), 'no axis'),"
    " o.replicate, o.fold, what, " RESULT("i") ", " WHO("temp", "in_", "was") ", " RESULT("o") ", "
    WHO("main", "", "now") ")"
    " FROM differing JOIN in_trial AS i ON i.trial_id = was JOIN main.trial AS o"
    " ON o.trial_id = now JOIN main.config AS c ON c.config_id = o.config_id"
    " JOIN main.sweep AS w USING (sweep_id) WHERE what IS NOT NULL ORDER BY o.trial_id LIMIT ?2";

/* clang-format on */

/* Inserting into main checks types and NULLs. */
static const char sql_out_of_range[] =
    "SELECT trial_id, iif(replicate BETWEEN 0 AND 2147483647, 'fold', 'replicate') AS what,"
    " iif(replicate BETWEEN 0 AND 2147483647, fold, replicate) AS found FROM temp.in_trial"
    " WHERE NOT (replicate BETWEEN 0 AND 2147483647 AND fold BETWEEN 0 AND 2147483647) LIMIT 1";

/* -1 and err if a replicate or fold is out of range, which no table checks. */
static int check_ranges(struct store *store, const char *path, struct err *err)
{
    sqlite3_stmt *row = db_query(store, sql_out_of_range, err, "");
    const char *what;
    int64_t id, found;
    int rc = db_step(store, row, err);

    if (rc == 1)
        rc = db_read(store, row, err, "isi", &id, &what, &found)
                 ? -1
                 : err_set(err,
                           "%s: t%lld: %s = %lld: must be from 0 to 2147483647; the file is "
                           "damaged, or another program changed it",
                           path, (long long)id, what, (long long)found);
    sqlite3_finalize(row);
    return rc;
}

static int refuse_other(const struct store *store, const char *path, const char *name,
                        const char *what, const char *here, const char *there, struct err *err)
{
    return err_set(err,
                   "%s: sweep '%s' in it has %s %s, in %s it has %s: they cannot be one sweep; "
                   "merge them into different files",
                   store->path, name, what, here, path, there);
}

/* A setting that a sweep file lacks has the value from when the file was written. */
static int compare_files(struct store *store, const char *path, const char *name,
                         const struct sweep *here, const struct sweep *there, struct err *err)
{
    struct buf values[2] = {{0}, {0}};
    bool varies[P_MAX];
    sqlite3_stmt *row = db_query(store, sql_axes, err, "s", name);
    int rc;

    memset(varies, 0, sizeof varies);
    rc = stored_settings_mark_axes(varies, here->names, store, row, err);
    sqlite3_finalize(row);

    for (int p = 0; !rc && p < sweep_end(here); p++) {
        const struct param *param = sweep_row(here, p);
        enum param_id id = (enum param_id)p;
        int other = p < P_COUNT ? p : free_names_find(there->names, param->key);

        if (!(param->flags & PARAM_IDENTITY) || varies[id] || other == P_MAX ||
            param_equal(id, here->fixed.v[id], there->fixed.v[other]))
            continue;
        param_format(&values[0], id, here->fixed.v[id]);
        param_format(&values[1], id, there->fixed.v[other]);
        rc = refuse_other(store, path, name, param->key, buf_text(&values[0]), buf_text(&values[1]),
                          err);
    }
    buf_release(&values[0]);
    buf_release(&values[1]);
    return rc;
}

static int check_files(struct store *store, const char *path, sqlite3_stmt *row, struct err *err)
{
    struct sweep here = {0}, there = {0};
    const char *name, *ini_here, *ini_there;
    int rc = db_read(store, row, err, "sss", &name, &ini_here, &ini_there);

    if (!rc)
        rc = stored_settings_parse_sweep(&here, store, ini_here, err);
    if (!rc && stored_settings_parse_sweep(&there, store, ini_there, err))
        rc = err_wrap(err, "of %s", path);
    if (!rc)
        rc = compare_files(store, path, name, &here, &there, err);
    sweep_release(&here);
    sweep_release(&there);
    return rc;
}

/* -1 and err if sweeps of one name differ. */
static int check_sweeps(struct store *store, const char *path, struct err *err)
{
    sqlite3_stmt *row = db_query(store, sql_other_sweep, err, "");
    const char *name, *what, *here, *there;
    int rc = db_step(store, row, err);

    if (rc == 1)
        rc = db_read(store, row, err, "ssss", &name, &what, &here, &there)
                 ? -1
                 : refuse_other(store, path, name, what, here, there, err);
    sqlite3_finalize(row);
    if (rc)
        return rc;
    row = db_query(store, sql_both_files, err, "");
    while (db_next(&rc, store, row, err))
        rc = check_files(store, path, row, err);
    sqlite3_finalize(row);
    return rc;
}

/* Count trials that both finished with different bits, with a line for each of the first `most`. */
static int check_conflicts(struct store *store, const char *path, int most,
                           struct errlist *conflicts, int64_t *count, struct err *err)
{
    sqlite3_stmt *row = db_query(store, sql_conflicts, err, "sns", path, most, conflict_format);
    const char *conflict;
    int rc = 0;

    *count = 0;
    while (db_next(&rc, store, row, err)) {
        rc = db_read(store, row, err, "is", count, &conflict);
        if (!rc)
            errlist_add(conflicts, "%s", conflict);
    }
    sqlite3_finalize(row);
    return rc;
}

/* ---- the steps ---- */

static int read_input(struct merge *m, const char *path, struct err *err)
{
    struct store *input;
    int rc = store_open_reader(&input, path, err);

    if (rc)
        return -1;
    rc = store_begin_look(input, err);
    for (int source = 0; !rc && source < SOURCES; source++)
        rc = read_source(m, source, input, err);
    store_close(input);
    return rc ? rc : check_ranges(m->store, path, err);
}

static int count_trials(struct merge *m, struct merge_input *input, struct err *err)
{
    sqlite3_stmt *row = db_query(m->store, sql_counts, err, "");
    int rc = db_step(m->store, row, err) == 1 ? db_read(m->store, row, err, "iii", &input->n_trials,
                                                        &input->n_new, &input->n_finished)
                                              : -1;

    sqlite3_finalize(row);
    return rc;
}

/* Sound models can take the place of damaged ones. */
static int drop_damaged(struct merge *m, const char *table, const char *select, const char *path,
                        const char *other, struct errlist *notes, struct err *err)
{
    sqlite3_stmt *row = db_query(m->store, select, err, "");
    struct buf ids = {0};
    int rc = model_find_damaged(&ids, m->store, row, err);
    struct cursor in = {.data = ids.data, .size = ids.size};

    sqlite3_finalize(row);
    while (!rc && in.at < in.size) {
        long long id = cursor_i64(&in);

        if (other)
            errlist_add(notes, "%s: the model of t%lld is damaged: the copy in %s replaces it",
                        path, id, other);
        else
            errlist_add(notes, "%s: the model of t%lld is damaged: it is left out", path, id);
        rc = db_execf(m->store, err, "DELETE FROM %s WHERE trial_id = %lld", table, id);
    }
    buf_release(&ids);
    return rc;
}

/* Files are copied before the commit, so that no row is without its file after a crash. */
static int take_files(struct merge *m, struct errlist *notes, struct err *err)
{
    sqlite3_stmt *row = db_query(m->store, sql_files, err, "");
    const char *path, *name;
    int64_t was, now, n_missing = 0;
    int rc = 0;

    while (db_next(&rc, m->store, row, err)) {
        rc = db_read(m->store, row, err, "siis", &path, &was, &now, &name);
        if (!rc)
            rc = trial_files_take(m->store->path, now, path, was, name, err);
        if (rc <= 0)
            continue;
        if (n_missing++ < MERGE_MAX_CONFLICTS)
            errlist_add(notes, "%s: the kept file '%s' of t%lld is missing: it is left out", path,
                        name, (long long)was);
        rc = db_execf(m->store, err, "DELETE FROM main.file WHERE trial_id = %lld AND name = %Q",
                      (long long)now, name);
    }
    sqlite3_finalize(row);
    return rc;
}

static int merge_one(struct merge *m, struct merge_input *input, struct errlist *conflicts,
                     int64_t *n_conflicts, struct err *err)
{
    if (read_input(m, input->path, err) || check_sweeps(m->store, input->path, err))
        return -1;
    if (RUN(m, match, err) || count_trials(m, input, err) ||
        drop_damaged(m, "temp.in_model", sql_in_models, input->path, NULL, conflicts, err) ||
        drop_damaged(m, "main.model", sql_both_models, m->store->path, input->path, conflicts,
                     err) ||
        check_conflicts(m->store, input->path, MERGE_MAX_CONFLICTS, conflicts, n_conflicts, err) ||
        RUN(m, apply, err) ||
        db_execf(m->store, err, "UPDATE file_map SET path = %Q WHERE path IS NULL", input->path))
        return err_wrap(err, "%s", input->path);
    return 0;
}

static int prune_sweep(struct merge *m, sqlite3_stmt *row, struct err *err)
{
    const char *name, *ini;
    const union value *v;
    struct sweep sweep;
    int64_t is_whole;
    int rc;

    if (db_read(m->store, row, err, "ssi", &name, &ini, &is_whole))
        return -1;
    rc = stored_settings_parse_sweep(&sweep, m->store, ini, err);
    v = sweep.fixed.v;
    if (!rc && keep_of(v) == KEEP_BEST)
        rc = store_prune_models(m->store, name,
                                v[P_REPLICATES].i * (v[P_FOLDS].i ? v[P_FOLDS].i : 1),
                                is_whole != 0, NULL, err);
    if (!rc)
        rc = store_prune_predictions(m->store, name, err);
    sweep_release(&sweep);
    return rc;
}

static int merge_all(struct merge *m, struct merge_input *inputs, size_t n,
                     struct errlist *conflicts, struct err *err)
{
    int64_t total = 0, count;
    sqlite3_stmt *row;
    int rc = 0;

    if (prepare_all(m, err) || db_do(m->store, STATEMENT_BEGIN, err, ""))
        return -1;
    for (size_t i = 0; i < n; i++) {
        if (merge_one(m, &inputs[i], conflicts, &count, err))
            return -1;
        total += count;
    }
    if (total)
        return err_set(err,
                       "%s: %lld trial%s with two results: nothing was merged; equal keys must "
                       "give equal numbers: compare processor, BLAS and version of the sessions "
                       "named above, and run these trials again into a new database",
                       m->store->path, (long long)total, total == 1 ? "" : "s");
    if (db_exec(m->store, sql_finish, err) || views_update(m->store, err))
        return -1;
    row = db_query(m->store, sql_with_models, err, "");
    while (db_next(&rc, m->store, row, err))
        rc = prune_sweep(m, row, err);
    sqlite3_finalize(row);
    if (rc || take_files(m, conflicts, err))
        return -1;
    return store_commit(m->store, err);
}

int merge_databases(const char *out, struct merge_input *inputs, size_t n, struct errlist *notes,
                    struct err *err)
{
    struct merge m = {0};
    const struct errlist *released;
    int rc = store_open(&m.store, out, err);

    if (rc)
        return -1;
    released = store_released(m.store);
    for (size_t i = 0; i < released->n; i++)
        errlist_add(notes, "%s", released->text[i]);
    rc = merge_all(&m, inputs, n, notes, err);
    if (rc)
        store_abandon(m.store);
    else
        store_close(m.store);
    for (int source = 0; source < SOURCES; source++)
        buf_release(&m.columns[source]);
    return rc;
}
