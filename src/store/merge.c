/* SPDX-License-Identifier: BSD-3-Clause */
/* Each input is copied into temporary tables in_NAME of the output's connection. This works for any
 * schema and, unlike ATTACH, for any number of inputs. Set operations then combine in_NAME with
 * main.NAME, using tables that map numbers (merge_check.c reads these too):
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
#include "store/merge_check.h"
#include "store/stored_settings.h"
#include "store/trial_files.h"
#include "trial/kept.h"

struct source {
    const char *table;
    const char *mapped; /* "|a|b|": columns with numbers of the file */
};

enum {
    SWEEP,
    AXIS,
    CONFIG,
    TRIAL,
    METRIC,
    CURVE,
    CURVE_METRIC,
    TIMING,
    SESSION,
    ATTEMPT,
    MEMBER,
    MODEL,
    LOG,
    KEPT_FILE,
    PREDICTION,
    TRAFFIC,
    DATA_FACT,
    SOURCES
};

static const struct source sources[SOURCES] = {
    [SWEEP] = {"sweep", "|sweep_id|"},
    [AXIS] = {"axis", "|sweep_id|"},
    [CONFIG] = {"config", "|config_id|sweep_id|"},
    [TRIAL] = {"trial", "|trial_id|config_id|"},
    [METRIC] = {"metric", "|trial_id|"},
    [CURVE] = {"curve", "|trial_id|"},
    [CURVE_METRIC] = {"curve_metric", "|trial_id|"},
    [LOG] = {"log", "|trial_id|"},
    [KEPT_FILE] = {"file", "|trial_id|"},
    [TIMING] = {"timing", "|trial_id|"},
    [SESSION] = {"session", "|session_id|"},
    [ATTEMPT] = {"attempt", "|attempt_id|trial_id|session_id|"},
    [MEMBER] = {"member", "|attempt_id|"},
    [MODEL] = {"model", "|trial_id|"},
    [PREDICTION] = {"prediction", "|trial_id|"},
    [TRAFFIC] = {"traffic", "|session_id|"},
    [DATA_FACT] = {"data_fact", "|sweep_id|"},
};

struct merge {
    struct store *store;         /* the output */
    struct buf columns[SOURCES]; /* "a, b": the other columns, which are copied */
};

/* @ stands for the copied columns. */
struct step {
    int source;
    const char *sql;
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

static const struct step tables[] = {
    {SWEEP, "CREATE TEMP TABLE sweep_map (was INTEGER PRIMARY KEY, now INTEGER)"},
    {SWEEP, "CREATE TEMP TABLE config_map (was INTEGER PRIMARY KEY, now INTEGER)"},
    {SWEEP, "CREATE TEMP TABLE session_map (was INTEGER PRIMARY KEY, now INTEGER)"},
    {SWEEP, "CREATE TEMP TABLE attempt_map (was INTEGER, now INTEGER)"},
    {SWEEP, "CREATE TEMP TABLE trial_map (was INTEGER PRIMARY KEY, now INTEGER, verdict TEXT)"},
    {SWEEP, "CREATE TEMP TABLE file_map (was INTEGER, now INTEGER PRIMARY KEY, path TEXT)"},
    {SWEEP, "CREATE INDEX temp.in_config_key ON in_config (sweep_id, key)"},
    {SWEEP, "CREATE INDEX temp.in_metric_trial ON in_metric (trial_id)"},
    {SWEEP, "CREATE INDEX temp.in_curve_trial ON in_curve (trial_id)"},
    {SWEEP, "CREATE INDEX temp.in_trial_id ON in_trial (trial_id)"},
    {SWEEP, "CREATE INDEX temp.in_session_id ON in_session (session_id)"},
    {SWEEP, "CREATE INDEX temp.in_attempt_trial ON in_attempt (trial_id)"},
    {SWEEP, "CREATE INDEX temp.in_model_trial ON in_model (trial_id)"},
};

/* clang-format off */

/* A trial that runs in an input does not run here; a merge after its end adds its attempt. */
static const struct step match[] = {
    {ATTEMPT, "DELETE FROM in_attempt WHERE outcome = 'running'"},
    {TRIAL, "UPDATE in_trial SET state = 'pending' WHERE state = 'running'"},
    {SWEEP, "DELETE FROM sweep_map"},
    {SWEEP, "DELETE FROM config_map"},
    {SWEEP, "DELETE FROM trial_map"},
    {SWEEP, "INSERT INTO main.sweep (sweep_id, @)"
            " SELECT " FREE_ID("sweep", "sweep_id") ", @ FROM in_sweep AS i"
            " WHERE name NOT IN (SELECT name FROM main.sweep)" FREE_FIRST("sweep", "sweep_id")},
    {SWEEP, "INSERT INTO sweep_map SELECT i.sweep_id, o.sweep_id"
            " FROM in_sweep AS i JOIN main.sweep AS o USING (name)"},
    {SWEEP, "UPDATE main.sweep AS o SET file = i.file, ini = i.ini, planned = i.planned,"
            " parts = coalesce(i.parts, o.parts), updated = i.updated"
            " FROM in_sweep AS i WHERE i.name = o.name"
            " AND (i.updated, i.file, i.ini) > (o.updated, o.file, o.ini)"},
    {SWEEP, "UPDATE main.sweep AS o SET created = i.created"
            " FROM in_sweep AS i WHERE i.name = o.name AND i.created < o.created"},
    {AXIS, "INSERT INTO main.axis (sweep_id, ordinal, name)"
           " SELECT now, row_number() OVER (PARTITION BY now ORDER BY i.ordinal) +"
           " (SELECT coalesce(max(ordinal), 0) FROM main.axis AS o WHERE o.sweep_id = now), i.name"
           " FROM in_axis AS i JOIN sweep_map ON was = i.sweep_id WHERE NOT EXISTS"
           " (SELECT 1 FROM main.axis AS o WHERE o.sweep_id = now AND o.name = i.name)"},
    {CONFIG, "INSERT INTO main.config (config_id, sweep_id, @)"
             " SELECT " FREE_ID("config", "config_id") ", now, @"
             " FROM in_config AS i JOIN sweep_map ON was = i.sweep_id WHERE NOT EXISTS"
             " (SELECT 1 FROM main.config AS o WHERE o.sweep_id = now AND o.key = i.key)"
             FREE_FIRST("config", "config_id")},
    {CONFIG, "INSERT INTO config_map SELECT i.config_id, o.config_id FROM in_config AS i"
             " JOIN sweep_map ON was = i.sweep_id"
             " JOIN main.config AS o ON o.sweep_id = now AND o.key = i.key"},
    {TRIAL, "INSERT INTO trial_map SELECT i.trial_id, o.trial_id, CASE"
            " WHEN o.trial_id IS NULL THEN 'new'"
            " WHEN " RANK("i.state") " > " RANK("o.state") " THEN 'better'"
            " WHEN " RANK("i.state") " = 2 THEN 'both' ELSE 'kept' END"
            " FROM in_trial AS i JOIN config_map ON was = i.config_id LEFT JOIN main.trial AS o"
            " ON o.config_id = now AND o.replicate = i.replicate AND o.fold = i.fold"},
};

static const struct step apply[] = {
    {TRIAL, "INSERT INTO main.trial (trial_id, config_id, @)"
            " SELECT " FREE_ID("trial", "trial_id") ", c.now, @ FROM in_trial AS i"
            " JOIN trial_map AS t ON t.was = i.trial_id"
            " JOIN config_map AS c ON c.was = i.config_id"
            " WHERE verdict = 'new'" FREE_FIRST("trial", "trial_id")},
    {TRIAL, "UPDATE trial_map SET now = (SELECT o.trial_id FROM in_trial AS i"
            " JOIN config_map AS c ON c.was = i.config_id JOIN main.trial AS o"
            " ON o.config_id = c.now AND o.replicate = i.replicate AND o.fold = i.fold"
            " WHERE i.trial_id = trial_map.was) WHERE verdict = 'new'"},
    {TRIAL, "UPDATE main.trial SET (@) = (SELECT @ FROM in_trial AS i WHERE i.trial_id = t.was)"
            " FROM trial_map AS t WHERE t.now = main.trial.trial_id AND verdict = 'better'"},
    {METRIC, "DELETE FROM main.metric WHERE trial_id IN"
             " (SELECT now FROM trial_map WHERE verdict = 'better')"},
    {CURVE, "DELETE FROM main.curve WHERE trial_id IN"
            " (SELECT now FROM trial_map WHERE verdict = 'better')"},
    {CURVE_METRIC, "DELETE FROM main.curve_metric WHERE trial_id IN"
                   " (SELECT now FROM trial_map WHERE verdict = 'better')"},
    {LOG, "DELETE FROM main.log WHERE trial_id IN"
          " (SELECT now FROM trial_map WHERE verdict = 'better')"},
    {TIMING, "DELETE FROM main.timing WHERE trial_id IN"
             " (SELECT now FROM trial_map WHERE verdict = 'better')"},
    {METRIC, "INSERT INTO main.metric (trial_id, @) SELECT now, @ FROM in_metric AS i"
             " JOIN trial_map ON was = i.trial_id WHERE verdict IN ('new', 'better')"},
    {CURVE, "INSERT INTO main.curve (trial_id, @) SELECT now, @ FROM in_curve AS i"
            " JOIN trial_map ON was = i.trial_id WHERE verdict IN ('new', 'better')"},
    {CURVE_METRIC, "INSERT INTO main.curve_metric (trial_id, @) SELECT now, @"
                   " FROM in_curve_metric AS i"
                   " JOIN trial_map ON was = i.trial_id WHERE verdict IN ('new', 'better')"},
    {LOG, "INSERT INTO main.log (trial_id, @) SELECT now, @ FROM in_log AS i"
          " JOIN trial_map ON was = i.trial_id WHERE verdict IN ('new', 'better')"},
    {TIMING, "INSERT INTO main.timing (trial_id, @) SELECT now, @ FROM in_timing AS i"
             " JOIN trial_map ON was = i.trial_id WHERE verdict IN ('new', 'better')"},
    {TRIAL, "DELETE FROM main.checkpoint WHERE trial_id IN"
            " (SELECT now FROM trial_map WHERE verdict = 'better')"},
    {MODEL, "DELETE FROM main.model WHERE trial_id IN"
            " (SELECT now FROM trial_map WHERE verdict = 'better')"},
    /* One of two equal results may come from a run that kept no models. */
    {MODEL, "INSERT OR IGNORE INTO main.model (trial_id, @) SELECT now, @ FROM in_model AS i"
            " JOIN trial_map ON was = i.trial_id WHERE verdict <> 'kept'"},
    {KEPT_FILE, "DELETE FROM main.file WHERE trial_id IN"
                " (SELECT now FROM trial_map WHERE verdict = 'better')"},
    {KEPT_FILE, "DELETE FROM file_map WHERE now IN"
                " (SELECT now FROM trial_map WHERE verdict = 'better')"},
    {KEPT_FILE, "INSERT OR REPLACE INTO file_map SELECT DISTINCT was, now, NULL FROM in_file AS i"
                " JOIN trial_map ON was = i.trial_id WHERE verdict <> 'kept' AND NOT EXISTS"
                " (SELECT 1 FROM main.file AS o WHERE o.trial_id = now)"},
    {KEPT_FILE, "INSERT INTO main.file (trial_id, @) SELECT now, @ FROM in_file AS i"
                " JOIN file_map ON was = i.trial_id AND path IS NULL"},
    {PREDICTION, "DELETE FROM main.prediction WHERE trial_id IN"
                 " (SELECT now FROM trial_map WHERE verdict = 'better')"},
    {PREDICTION, "INSERT INTO main.prediction (trial_id, @) SELECT now, @ FROM in_prediction AS i"
                 " JOIN trial_map ON was = i.trial_id WHERE verdict <> 'kept' AND NOT EXISTS"
                 " (SELECT 1 FROM main.prediction AS o WHERE o.trial_id = now)"},
    {DATA_FACT, "INSERT INTO main.data_fact (sweep_id, @) SELECT now, @ FROM in_data_fact AS i"
                " JOIN sweep_map ON was = i.sweep_id WHERE NOT EXISTS"
                " (SELECT 1 FROM main.data_fact AS o WHERE o.sweep_id = now)"},
    {SESSION, "DELETE FROM session_map"},
    {SESSION, "INSERT OR IGNORE INTO session_map " SAME_SESSIONS},
    {SESSION, "INSERT INTO main.session (session_id, @)"
              " SELECT " FREE_ID("session", "session_id") ", @ FROM in_session AS i"
              " WHERE i.session_id NOT IN (SELECT was FROM session_map)"
              FREE_FIRST("session", "session_id")},
    {SESSION, "INSERT OR IGNORE INTO session_map " SAME_SESSIONS},
    /* A session that ran at an earlier merge may have ended since. */
    {TRAFFIC, "DELETE FROM main.traffic WHERE session_id IN (SELECT now FROM session_map"
              " JOIN main.session AS o ON o.session_id = now"
              " JOIN in_session AS i ON i.session_id = was WHERE "
              SESSION_RANK("i.outcome") " > " SESSION_RANK("o.outcome") ")"},
    {SESSION, "UPDATE main.session SET (@) ="
              " (SELECT @ FROM in_session AS i WHERE i.session_id = was)"
              " FROM session_map WHERE now = main.session.session_id AND "
              SESSION_RANK("(SELECT outcome FROM in_session AS i WHERE i.session_id = was)") " > "
              SESSION_RANK("main.session.outcome")},
    {TRAFFIC, "INSERT INTO main.traffic (session_id, @) SELECT now, @ FROM in_traffic AS i"
              " JOIN session_map ON was = i.session_id WHERE NOT EXISTS"
              " (SELECT 1 FROM main.traffic AS o WHERE o.session_id = now)"},
    {ATTEMPT, "DELETE FROM attempt_map"},
    {ATTEMPT, "INSERT INTO attempt_map " SAME_ATTEMPTS},
    {ATTEMPT, "INSERT INTO main.attempt (trial_id, session_id, @) SELECT t.now, s.now, @"
              " FROM in_attempt AS i JOIN trial_map AS t ON t.was = i.trial_id"
              " LEFT JOIN session_map AS s ON s.was = i.session_id"
              " WHERE i.attempt_id NOT IN (SELECT was FROM attempt_map) ORDER BY i.attempt_id"},
    {MEMBER, "DELETE FROM attempt_map"},
    {MEMBER, "INSERT INTO attempt_map " SAME_ATTEMPTS
             " WHERE i.attempt_id IN (SELECT attempt_id FROM in_member)"},
    {MEMBER, "INSERT OR IGNORE INTO main.member (attempt_id, @) SELECT now, @ FROM in_member AS i"
             " JOIN attempt_map ON was = i.attempt_id"},
    {TRIAL, "UPDATE main.trial AS o SET attempts ="
            " (SELECT count(*) FROM main.attempt AS a WHERE a.trial_id = o.trial_id)"
            " WHERE trial_id IN (SELECT now FROM trial_map)"},
};

/* clang-format on */

static const struct step finish[] = {
    {AXIS, "INSERT INTO main.axis (sweep_id, ordinal, name)"
           " SELECT sweep_id, row_number() OVER (PARTITION BY sweep_id ORDER BY at) +"
           " (SELECT coalesce(max(ordinal), 0) FROM main.axis AS o WHERE o.sweep_id = v.sweep_id),"
           " key FROM (SELECT c.sweep_id, p.key, min(p.id) AS at"
           " FROM main.config AS c, json_each(c.params) AS p"
           " GROUP BY c.sweep_id, p.key HAVING min(p.value) IS NOT max(p.value)) AS v"
           " WHERE NOT EXISTS (SELECT 1 FROM main.axis AS o"
           " WHERE o.sweep_id = v.sweep_id AND o.name = v.key)"},
    {AXIS, "UPDATE main.axis SET levels = (SELECT json_group_array(level) FROM"
           " (SELECT DISTINCT params ->> axis.name AS level FROM main.config AS c"
           " WHERE c.sweep_id = axis.sweep_id AND level IS NOT NULL ORDER BY level))"},
};

/* Columns of model_find_damaged(). */
static const char sql_in_models[] = "SELECT hash, safetensors, trial_id FROM temp.in_model";
static const char sql_both_models[] =
    "SELECT o.hash, o.safetensors, o.trial_id FROM temp.in_model AS i"
    " JOIN trial_map ON was = i.trial_id JOIN main.model AS o ON o.trial_id = now"
    " WHERE verdict = 'both'";

static const char sql_copied_columns[] = "SELECT name FROM pragma_table_info(?1, 'main')"
                                         " WHERE instr(?2, '|' || name || '|') = 0";

static const char sql_counts[] = "SELECT count(*), sum(verdict = 'new'), sum(verdict = 'better')"
                                 " FROM trial_map";

/* Materialized, because rows are dropped meanwhile. */
static const char sql_files[] =
    "WITH taken AS MATERIALIZED (SELECT path, was, now, name FROM file_map JOIN main.file"
    " ON trial_id = now) SELECT * FROM taken ORDER BY now, name";

/* Last column: true if no trial is left to run. */
static const char sql_with_models[] =
    "SELECT name, ini, coalesce((SELECT count(*) >= planned"
    " AND count(*) FILTER (WHERE state IN ('pending', 'running')) = 0"
    " FROM main.config AS c JOIN main.trial USING (config_id) WHERE c.sweep_id = sweep.sweep_id), "
    "1)"
    " FROM main.sweep WHERE sweep_id IN (SELECT sweep_id FROM"
    " (SELECT trial_id FROM main.model UNION SELECT trial_id FROM main.file)"
    " JOIN main.trial USING (trial_id) JOIN main.config USING (config_id))";

static int run_step(struct merge *m, const struct step *step, struct err *err)
{
    struct buf sql = {0};
    int rc;

    for (const char *p = step->sql; *p; p++)
        if (*p == '@')
            buf_puts(&sql, buf_text(&m->columns[step->source]));
        else
            buf_putc(&sql, *p);
    rc = db_run(m->store, &sql, err);
    buf_release(&sql);
    return rc;
}

static int run_steps(struct merge *m, const struct step *steps, size_t n, struct err *err)
{
    for (size_t i = 0; i < n; i++)
        if (run_step(m, &steps[i], err))
            return -1;
    return 0;
}

#define RUN(m, steps, err) run_steps(m, steps, sizeof(steps) / sizeof *(steps), err)

static int prepare_source(struct merge *m, int source, struct err *err)
{
    const struct source *s = &sources[source];
    struct buf *columns = &m->columns[source];
    struct buf sql = {0};
    sqlite3_stmt *row = db_prepare(m->store, sql_copied_columns, err);
    int rc = row ? 1 : -1;

    if (row) {
        sqlite3_bind_text(row, 1, s->table, -1, SQLITE_STATIC);
        sqlite3_bind_text(row, 2, s->mapped, -1, SQLITE_STATIC);
    }
    while (rc == 1 && (rc = db_step(m->store, row, err)) == 1) {
        buf_puts(columns, columns->size ? ", " : "");
        db_put_name(columns, (const char *)sqlite3_column_text(row, 0));
    }
    sqlite3_finalize(row);
    buf_printf(&sql, "CREATE TEMP TABLE in_%s AS SELECT * FROM main.%s LIMIT 0", s->table,
               s->table);
    if (!rc)
        rc = db_run(m->store, &sql, err);
    buf_release(&sql);
    return rc;
}

static int prepare_all(struct merge *m, struct err *err)
{
    for (int source = 0; source < SOURCES; source++)
        if (prepare_source(m, source, err))
            return -1;
    return RUN(m, tables, err);
}

static int pour(struct store *to, sqlite3_stmt *insert, struct store *from, sqlite3_stmt *row,
                struct err *err)
{
    int n = sqlite3_column_count(row), rc;

    while ((rc = db_step(from, row, err)) == 1) {
        for (int c = 0; c < n; c++)
            if (sqlite3_bind_value(insert, c + 1, sqlite3_column_value(row, c)) != SQLITE_OK)
                return db_fail(to, err);
        if (db_step(to, insert, err))
            return -1;
    }
    return rc;
}

/* Name the columns: views on an older input have another order. */
static int read_source(struct merge *m, int source, struct store *input, struct err *err)
{
    const struct source *s = &sources[source];
    const char *columns = buf_text(&m->columns[source]);
    struct buf sql = {0}, ids = {0};
    sqlite3_stmt *row = NULL, *insert = NULL;
    int n, rc = -1;

    for (const char *p = s->mapped + 1; *p; p++)
        buf_printf(&ids, *p == '|' ? ", " : "%c", *p);
    buf_printf(&sql, "DELETE FROM temp.in_%s", s->table);
    if (db_run(m->store, &sql, err))
        goto done;
    buf_clear(&sql);
    buf_printf(&sql, "SELECT %s%s FROM %s", buf_text(&ids), columns, s->table);
    row = db_prepare(input, buf_text(&sql), err);
    if (!row)
        goto done;
    buf_clear(&sql);
    buf_printf(&sql, "INSERT INTO temp.in_%s (%s%s) VALUES (?", s->table, buf_text(&ids), columns);
    n = sqlite3_column_count(row);
    for (int c = 1; c < n; c++)
        buf_puts(&sql, ", ?");
    buf_puts(&sql, ")");
    insert = db_prepare(m->store, buf_text(&sql), err);
    if (insert)
        rc = pour(m->store, insert, input, row, err);
done:
    sqlite3_finalize(row);
    sqlite3_finalize(insert);
    buf_release(&ids);
    buf_release(&sql);
    return rc;
}

static int read_input(struct merge *m, const char *path, struct err *err)
{
    struct store *input;
    int rc = store_open_reader(&input, path, err);

    if (rc)
        return -1;
    rc = db_exec(input, "BEGIN", err);
    for (int source = 0; !rc && source < SOURCES; source++)
        rc = read_source(m, source, input, err);
    store_close(input);
    return rc ? rc : merge_check_ranges(m->store, path, err);
}

static int count_trials(struct merge *m, struct merge_input *input, struct err *err)
{
    sqlite3_stmt *row = db_prepare(m->store, sql_counts, err);
    int rc = row ? db_step(m->store, row, err) : -1;

    if (rc == 1) {
        input->n_trials = sqlite3_column_int64(row, 0);
        input->n_new = sqlite3_column_int64(row, 1);
        input->n_finished = sqlite3_column_int64(row, 2);
        rc = 0;
    }
    sqlite3_finalize(row);
    return rc;
}

static int drop_damaged(struct merge *m, const char *table, const char *select, const char *path,
                        const char *what, struct errlist *notes, struct err *err)
{
    sqlite3_stmt *row = db_prepare(m->store, select, err);
    struct buf ids = {0}, sql = {0};
    int rc = row ? model_find_damaged(&ids, m->store, row, err) : -1;
    struct cursor in = {.data = ids.data, .size = ids.size};

    sqlite3_finalize(row);
    while (!rc && in.at < in.size) {
        long long id = cursor_i64(&in);

        errlist_add(notes, "%s: the model of t%lld is damaged: %s", path, id, what);
        buf_clear(&sql);
        buf_printf(&sql, "DELETE FROM %s WHERE trial_id = %lld", table, id);
        rc = db_run(m->store, &sql, err);
    }
    buf_release(&ids);
    buf_release(&sql);
    return rc;
}

/* Sound models can take the place of damaged ones. */
static int drop_all_damaged(struct merge *m, const char *path, struct errlist *notes,
                            struct err *err)
{
    struct buf what = {0};
    int rc;

    buf_printf(&what, "the copy in %s replaces it", path);
    rc = drop_damaged(m, "temp.in_model", sql_in_models, path, "it is left out", notes, err);
    if (!rc)
        rc = drop_damaged(m, "main.model", sql_both_models, m->store->path, buf_text(&what), notes,
                          err);
    buf_release(&what);
    return rc;
}

static int name_input(struct merge *m, const char *path, struct err *err)
{
    struct buf sql = {0};
    int rc;

    buf_puts(&sql, "UPDATE file_map SET path = ");
    db_put_text(&sql, path);
    buf_puts(&sql, " WHERE path IS NULL");
    rc = db_run(m->store, &sql, err);
    buf_release(&sql);
    return rc;
}

static int drop_missing(struct merge *m, int64_t now, const char *name, struct err *err)
{
    struct buf sql = {0};
    int rc;

    buf_printf(&sql, "DELETE FROM main.file WHERE trial_id = %lld AND name = ", (long long)now);
    db_put_text(&sql, name);
    rc = db_run(m->store, &sql, err);
    buf_release(&sql);
    return rc;
}

/* Files are copied before the commit, so that no row is without its file after a crash. */
static int take_files(struct merge *m, struct errlist *notes, struct err *err)
{
    sqlite3_stmt *row = db_prepare(m->store, sql_files, err);
    const char *path, *name;
    int64_t was, now, n_missing = 0;
    int rc = row ? 1 : -1;

    while (rc == 1 && (rc = db_step(m->store, row, err)) == 1) {
        if (db_read(m->store, row, err, "siis", &path, &was, &now, &name))
            rc = -1;
        else
            rc = trial_files_take(m->store->path, now, path, was, name, err);
        if (rc == 1 && n_missing++ < MERGE_MAX_CONFLICTS)
            errlist_add(notes, "%s: the kept file '%s' of t%lld is missing: it is left out", path,
                        name, (long long)was);
        if (rc == 1)
            rc = drop_missing(m, now, name, err);
        rc = rc < 0 ? -1 : 1;
    }
    sqlite3_finalize(row);
    return rc;
}

static int merge_one(struct merge *m, struct merge_input *input, struct errlist *conflicts,
                     int64_t *n_conflicts, struct err *err)
{
    if (read_input(m, input->path, err) || merge_check_sweeps(m->store, input->path, err))
        return -1;
    if (RUN(m, match, err) || count_trials(m, input, err) ||
        drop_all_damaged(m, input->path, conflicts, err) ||
        merge_check_conflicts(m->store, input->path, MERGE_MAX_CONFLICTS, conflicts, n_conflicts,
                              err) ||
        RUN(m, apply, err) || name_input(m, input->path, err))
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

static int prune(struct merge *m, struct err *err)
{
    sqlite3_stmt *row = db_prepare(m->store, sql_with_models, err);
    int rc = row ? 1 : -1;

    while (rc == 1 && (rc = db_step(m->store, row, err)) == 1)
        rc = prune_sweep(m, row, err) ? -1 : 1;
    sqlite3_finalize(row);
    return rc;
}

static int merge_all(struct merge *m, struct merge_input *inputs, size_t n,
                     struct errlist *conflicts, struct err *err)
{
    int64_t total = 0, count;

    if (prepare_all(m, err) ||
        db_finish(m->store, db_bind(m->store, STATEMENT_BEGIN, err, ""), err))
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
    if (RUN(m, finish, err) || views_update(m->store, err) || prune(m, err) ||
        take_files(m, conflicts, err))
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
