/* SPDX-License-Identifier: BSD-3-Clause */
#include "store/merge_check.h"

#include <string.h>

#include "store/db.h"
#include "store/stored_settings.h"
#include "trial/model_type.h"

static const char sql_other_sweep[] =
    "SELECT name, what, o, i FROM"
    " (SELECT name, 'objective' AS what, o.objective AS o, i.objective AS i"
    "  FROM in_sweep AS i JOIN main.sweep AS o USING (name)"
    "  UNION ALL SELECT name, 'direction', o.direction, i.direction"
    "  FROM in_sweep AS i JOIN main.sweep AS o USING (name)"
    "  UNION ALL SELECT name, 'data digest', o.data_digest, i.data_digest"
    "  FROM in_sweep AS i JOIN main.sweep AS o USING (name))"
    " WHERE o IS NOT i";

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

/* ?1: maximum number of rows; the last column counts all. */
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
    " SELECT o.trial_id, w.name, (SELECT group_concat(name || ' = ' || (c.params ->> name), ', ')"
    " FROM (SELECT name FROM main.axis AS x WHERE x.sweep_id = w.sweep_id ORDER BY ordinal)),"
    " o.replicate, o.fold, what, " RESULT("i") ", " WHO("temp", "in_", "was") ", " RESULT("o") ", "
    WHO("main", "", "now") ", count(*) OVER ()"
    " FROM differing JOIN in_trial AS i ON i.trial_id = was JOIN main.trial AS o"
    " ON o.trial_id = now JOIN main.config AS c ON c.config_id = o.config_id"
    " JOIN main.sweep AS w USING (sweep_id) WHERE what IS NOT NULL ORDER BY o.trial_id LIMIT ?1";

/* clang-format on */

static const char *text_of(sqlite3_stmt *row, int column)
{
    const char *text = (const char *)sqlite3_column_text(row, column);

    return text ? text : "(none)";
}

/* Inserting into main checks types and NULLs. */
static const char sql_out_of_range[] =
    "SELECT trial_id, iif(replicate BETWEEN 0 AND 2147483647, 'fold', 'replicate') AS what,"
    " iif(replicate BETWEEN 0 AND 2147483647, fold, replicate) AS found FROM temp.in_trial"
    " WHERE NOT (replicate BETWEEN 0 AND 2147483647 AND fold BETWEEN 0 AND 2147483647) LIMIT 1";

int merge_check_ranges(struct store *store, const char *path, struct err *err)
{
    sqlite3_stmt *row = db_prepare(store, sql_out_of_range, err);
    const char *what;
    int64_t id, found;
    int rc = row ? db_step(store, row, err) : -1;

    if (rc == 1)
        rc = db_read(store, row, err, "isi", &id, &what, &found) ||
                     err_set(err,
                             "%s: t%lld: %s = %lld: must be from 0 to 2147483647; the file is "
                             "damaged, or another program changed it",
                             path, (long long)id, what, (long long)found)
                 ? -1
                 : 0;
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

static int read_axes(bool varies[P_MAX], const struct free_names *names, struct store *store,
                     const char *name, struct err *err)
{
    sqlite3_stmt *row = db_prepare(store, sql_axes, err);
    int rc;

    memset(varies, 0, P_MAX * sizeof *varies);
    if (row)
        sqlite3_bind_text(row, 1, name, -1, SQLITE_STATIC);
    rc = stored_settings_mark_axes(varies, names, store, row, err);
    sqlite3_finalize(row);
    return rc;
}

/* A setting that a sweep file lacks has the value from when the file was written. */
static int compare_files(struct store *store, const char *path, const char *name,
                         const struct sweep *here, const struct sweep *there, struct err *err)
{
    struct buf values[2] = {{0}, {0}};
    bool varies[P_MAX];
    int rc = read_axes(varies, here->names, store, name, err);

    for (int p = 0; !rc && p < sweep_end(here); p++) {
        const struct param *row = sweep_row(here, p);
        enum param_id id = (enum param_id)p;
        int other = p < P_COUNT ? p : free_names_find(there->names, row->key);

        if (!(row->flags & PARAM_IDENTITY) || varies[id] || other == P_MAX ||
            param_equal(id, here->fixed.v[id], there->fixed.v[other]))
            continue;
        param_format(&values[0], id, here->fixed.v[id]);
        param_format(&values[1], id, there->fixed.v[other]);
        rc = refuse_other(store, path, name, row->key, buf_text(&values[0]), buf_text(&values[1]),
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

int merge_check_sweeps(struct store *store, const char *path, struct err *err)
{
    sqlite3_stmt *row = db_prepare(store, sql_other_sweep, err);
    const char *name, *what, *here, *there;
    int rc = row ? db_step(store, row, err) : -1;

    if (rc == 1)
        rc = db_read(store, row, err, "ssss", &name, &what, &here, &there)
                 ? -1
                 : refuse_other(store, path, name, what, here, there, err);
    sqlite3_finalize(row);
    if (rc)
        return rc;
    row = db_prepare(store, sql_both_files, err);
    rc = row ? 1 : -1;
    while (rc == 1 && (rc = db_step(store, row, err)) == 1)
        if (check_files(store, path, row, err))
            rc = -1;
    sqlite3_finalize(row);
    return rc;
}

static void add_conflict(struct errlist *conflicts, const char *path, sqlite3_stmt *row)
{
    const char *text[10];

    for (int c = 0; c < 10; c++)
        text[c] = text_of(row, c);
    errlist_add(conflicts,
                "%s: trial %s of sweep '%s' (%s; replicate %s, fold %s) has two results, which "
                "differ in %s: here %s, by %s; merged into %s, by %s",
                path, text[0], text[1],
                sqlite3_column_type(row, 2) == SQLITE_NULL ? "no axis" : text[2], text[3], text[4],
                text[5], text[6], text[7], text[8], text[9]);
}

int merge_check_conflicts(struct store *store, const char *path, int most,
                          struct errlist *conflicts, int64_t *count, struct err *err)
{
    sqlite3_stmt *row = db_prepare(store, sql_conflicts, err);
    int rc = row ? 1 : -1;

    if (row)
        sqlite3_bind_int(row, 1, most);
    *count = 0;
    while (rc == 1 && (rc = db_step(store, row, err)) == 1) {
        *count = sqlite3_column_int64(row, 10);
        add_conflict(conflicts, path, row);
    }
    sqlite3_finalize(row);
    return rc;
}
