#include "store/merge_check.h"

#include "store/db.h"
#include "store/merge.h"

static const char sql_other_sweep[] =
    "SELECT name, what, o, i FROM"
    " (SELECT name, 'objective' AS what, o.objective AS o, i.objective AS i"
    "  FROM in_sweep AS i JOIN main.sweep AS o USING (name)"
    "  UNION ALL SELECT name, 'direction', o.direction, i.direction"
    "  FROM in_sweep AS i JOIN main.sweep AS o USING (name)"
    "  UNION ALL SELECT name, 'data digest', o.data_digest, i.data_digest"
    "  FROM in_sweep AS i JOIN main.sweep AS o USING (name)"
    "  UNION ALL SELECT i.name, p.key, p.value, q.value"
    "  FROM in_sweep AS i JOIN main.sweep AS o USING (name)"
    "  JOIN json_each((SELECT params FROM main.config AS c WHERE c.sweep_id = o.sweep_id"
    "   ORDER BY config_id LIMIT 1)) AS p"
    "  JOIN json_each((SELECT params FROM in_config AS c WHERE c.sweep_id = i.sweep_id"
    "   ORDER BY config_id LIMIT 1)) AS q ON q.key = p.key"
    "  WHERE p.key NOT IN (SELECT name FROM main.axis AS x WHERE x.sweep_id = o.sweep_id"
    "   UNION ALL SELECT name FROM in_axis AS x WHERE x.sweep_id = i.sweep_id)) WHERE o IS NOT i";

/* Who made the result of a trial: `db` is main or temp, prefix "" or "in_". */
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
/* A damaged one is gone before. */
#define MODELS_DIFFER                                                              \
    "EXISTS (SELECT 1 FROM main.model AS m JOIN in_model AS n ON n.trial_id = was" \
    " WHERE m.trial_id = now AND m.hash <> n.hash)"

/* ?1: how many rows at most. The last column counts all. */
static const char sql_conflicts[] =
    "WITH differing AS MATERIALIZED (SELECT was, now, CASE"
    " WHEN i.state <> o.state THEN 'state' WHEN i.value IS NOT o.value THEN 'value'"
    " WHEN (i.epochs_run, i.best_epoch) IS NOT (o.epochs_run, o.best_epoch) THEN 'epochs'"
    " WHEN " DIFFERS(
        "split, name, value",
        "metric") " THEN 'metrics'"
                  " WHEN " DIFFERS(
                      "epoch, train_loss, val_loss, val_value",
                      "curve") " THEN 'curve' WHEN " MODELS_DIFFER " THEN 'model' END AS what"
                               " FROM trial_map JOIN in_trial AS i ON i.trial_id = was"
                               " JOIN main.trial AS o ON o.trial_id = now WHERE verdict = 'both')"
                               " SELECT o.trial_id, w.name, (SELECT group_concat(name || ' = ' || "
                               "(c.params ->> name), ', ')"
                               " FROM (SELECT name FROM main.axis AS x WHERE x.sweep_id = "
                               "w.sweep_id ORDER BY ordinal)),"
                               " o.replicate, o.fold, what, " RESULT("i") ", " WHO(
                                   "temp", "in_",
                                   "was") ", " RESULT("o") ", " WHO("main", "",
                                                                    "now") ", count(*) OVER ()"
                                                                           " FROM differing JOIN "
                                                                           "in_trial AS i ON "
                                                                           "i.trial_id = was JOIN "
                                                                           "main.trial AS o"
                                                                           " ON o.trial_id = now "
                                                                           "JOIN main.config AS c "
                                                                           "ON c.config_id = "
                                                                           "o.config_id"
                                                                           " JOIN main.sweep AS w "
                                                                           "USING (sweep_id) WHERE "
                                                                           "what IS NOT NULL ORDER "
                                                                           "BY o.trial_id LIMIT ?1";

/* A setting that is no part of a trial's identity may be another. */
static bool may_differ(const char *what)
{
    enum param_id id = param_find(NULL, what);

    return id < P_COUNT && !(param_table[id].flags & PARAM_IDENTITY);
}

int merge_check_sweeps(struct store *store, const char *path, struct err *err)
{
    sqlite3_stmt *row = db_prepare(store, sql_other_sweep, err);
    int rc = row ? 1 : -1;

    while (rc == 1 && (rc = db_step(store, row, err)) == 1)
        if (!may_differ((const char *)sqlite3_column_text(row, 1)))
            break;
    if (rc == 1)
        rc = err_set(err,
                     "%s: sweep '%s' in it has %s %s, in %s it has %s: they cannot be one sweep; "
                     "merge them into different files",
                     store->path, sqlite3_column_text(row, 0), sqlite3_column_text(row, 1),
                     sqlite3_column_text(row, 2), path, sqlite3_column_text(row, 3));
    sqlite3_finalize(row);
    return rc;
}

static void add_conflict(struct errlist *conflicts, const char *path, sqlite3_stmt *row)
{
    const char *text[10];

    for (int c = 0; c < 10; c++)
        text[c] = (const char *)sqlite3_column_text(row, c);
    errlist_add(conflicts,
                "%s: trial %s of sweep '%s' (%s; replicate %s, fold %s) has two results, which "
                "differ in %s: here %s, by %s; merged into %s, by %s",
                path, text[0], text[1], text[2] ? text[2] : "no axis", text[3], text[4], text[5],
                text[6], text[7], text[8], text[9]);
}

int merge_check_conflicts(struct store *store, const char *path, struct errlist *conflicts,
                          int64_t *count, struct err *err)
{
    sqlite3_stmt *row = db_prepare(store, sql_conflicts, err);
    int rc = row ? 1 : -1;

    if (row)
        sqlite3_bind_int(row, 1, MERGE_MAX_CONFLICTS);
    *count = 0;
    while (rc == 1 && (rc = db_step(store, row, err)) == 1) {
        *count = sqlite3_column_int64(row, 10);
        add_conflict(conflicts, path, row);
    }
    sqlite3_finalize(row);
    return rc;
}
