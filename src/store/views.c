/* The views made for people who type SQL. Their columns follow what is in the file: one for each
 * setting that varies in a sweep of it, one for each metric of the tasks in it. */
#include <string.h>

#include "gcn/metric.h"
#include "store/db.h"

/* A setting is an axis of the file if it is one of any sweep; sweeps in which it is none show their
 * fixed value. */
static const char sql_axes[] = "SELECT name FROM axis GROUP BY name"
                               " ORDER BY min(sweep_id * 1000 + ordinal)";
static const char sql_has_task[] = "SELECT count(*) FROM sweep WHERE task = ?1";
static const char sql_view[] = "SELECT sql FROM sqlite_schema WHERE type = 'view' AND name = ?1";

static const char trials_head[] = "CREATE VIEW trials AS\n"
                                  "SELECT sweep.name AS sweep,\n"
                                  "    trial.trial_id AS trial,\n"
                                  "    trial.config_id AS config,\n";
static const char trials_middle[] = "    trial.replicate, trial.fold, trial.state, trial.value,\n";
static const char trials_tail[] =
    "    trial.seconds, trial.predicted, attempt.rank, attempt.host, trial.attempts\n"
    "FROM trial\n"
    "    JOIN config USING (config_id)\n"
    "    JOIN sweep USING (sweep_id)\n"
    "    LEFT JOIN attempt ON attempt.attempt_id =\n"
    "        (SELECT max(attempt_id) FROM attempt AS a WHERE a.trial_id = trial.trial_id)\n"
    "ORDER BY trial.trial_id";

/* trials counts those that have a value: one whose objective is undefined (a correlation with a
 * constant) does not lift its configuration by its absence. sd is the sample standard deviation
 * (n - 1) in two passes; NULL for a single trial. */
static const char leaderboard_head[] =
    "CREATE VIEW leaderboard AS\n"
    "WITH score AS MATERIALIZED (\n"
    "    SELECT config_id, count(value) AS trials, avg(value) AS mean,\n"
    "        avg(seconds) AS seconds\n"
    "    FROM trial WHERE state = 'done' GROUP BY config_id),\n"
    "spread AS MATERIALIZED (\n"
    "    SELECT config_id, sqrt(sum((value - mean) * (value - mean)) / (trials - 1)) AS sd\n"
    "    FROM trial JOIN score USING (config_id) WHERE state = 'done' GROUP BY config_id),\n"
    "most AS MATERIALIZED (\n"
    "    SELECT sweep_id, max(trials) AS trials\n"
    "    FROM config JOIN score USING (config_id) GROUP BY sweep_id)\n"
    "SELECT sweep.name AS sweep,\n"
    "    row_number() OVER (PARTITION BY sweep_id ORDER BY\n"
    "        score.trials IS NOT most.trials, mean IS NULL,\n"
    "        CASE direction WHEN 'max' THEN -mean ELSE mean END, config.config_id) AS place,\n"
    "    config.config_id AS config,\n";
static const char leaderboard_tail[] =
    "    coalesce(score.trials, 0) AS trials, mean, sd, sd / sqrt(score.trials) AS se, seconds\n"
    "FROM config\n"
    "    JOIN sweep USING (sweep_id)\n"
    "    LEFT JOIN score USING (config_id)\n"
    "    LEFT JOIN spread USING (config_id)\n"
    "    LEFT JOIN most USING (sweep_id)\n"
    "ORDER BY sweep_id, place";

static int put_axes(struct buf *out, struct store *store, struct err *err)
{
    sqlite3_stmt *row;
    int rc;

    if (sqlite3_prepare_v2(store->db, sql_axes, -1, &row, NULL) != SQLITE_OK)
        return db_fail(store, err);
    while ((rc = db_step(store, row, err)) == 1) {
        const char *name = (const char *)sqlite3_column_text(row, 0);

        buf_printf(out, "    config.params ->> '%s' AS \"%s\",\n", name, name);
    }
    sqlite3_finalize(row);
    return rc;
}

static int has_task(struct store *store, enum task task, bool *has, struct err *err)
{
    sqlite3_stmt *row;
    int64_t n = 0;
    int rc;

    if (sqlite3_prepare_v2(store->db, sql_has_task, -1, &row, NULL) != SQLITE_OK)
        return db_fail(store, err);
    sqlite3_bind_text(row, 1, task_name(task), -1, SQLITE_STATIC);
    rc = db_integer(store, row, 0, &n, err);
    sqlite3_finalize(row);
    *has = n > 0;
    return rc;
}

static void put_metric(struct buf *out, const char *split, const char *name)
{
    buf_printf(out,
               "    (SELECT m.value FROM metric AS m WHERE m.trial_id = trial.trial_id\n"
               "        AND m.split = '%s' AND m.name = '%s') AS %s_%s,\n",
               split, name, split, name);
}

static int put_metrics(struct buf *out, struct store *store, struct err *err)
{
    static const char *const splits[] = {"val", "test"};
    bool has[2];

    if (has_task(store, TASK_REGRESSION, &has[TASK_REGRESSION], err) ||
        has_task(store, TASK_CLASSIFICATION, &has[TASK_CLASSIFICATION], err))
        return -1;
    for (int i = 0; i < 2; i++) {
        for (int m = 0; m < METRIC_COUNT; m++)
            if (has[metric_task((enum metric)m)])
                put_metric(out, splits[i], metric_name((enum metric)m));
        put_metric(out, splits[i], "loss");
    }
    return 0;
}

/* Make a view, unless it is there in the same words: every change of the schema makes all readers
 * prepare their statements anew. */
static int replace_view(struct store *store, const char *name, const char *sql, struct err *err)
{
    struct buf drop = {0};
    sqlite3_stmt *row;
    bool is_same = false;
    int rc;

    if (sqlite3_prepare_v2(store->db, sql_view, -1, &row, NULL) != SQLITE_OK)
        return db_fail(store, err);
    sqlite3_bind_text(row, 1, name, -1, SQLITE_STATIC);
    rc = db_step(store, row, err);
    if (rc == 1)
        is_same = !strcmp((const char *)sqlite3_column_text(row, 0), sql);
    sqlite3_finalize(row);
    if (rc < 0 || is_same)
        return rc < 0 ? -1 : 0;
    buf_printf(&drop, "DROP VIEW IF EXISTS %s;\n%s", name, sql);
    rc = db_exec(store, buf_text(&drop), err);
    buf_release(&drop);
    return rc;
}

static int make_trials(struct store *store, struct err *err)
{
    struct buf sql = {0};
    int rc;

    buf_puts(&sql, trials_head);
    rc = put_axes(&sql, store, err);
    buf_puts(&sql, trials_middle);
    if (!rc)
        rc = put_metrics(&sql, store, err);
    buf_puts(&sql, trials_tail);
    if (!rc && buf_failed(&sql))
        rc = err_nomem(err, "view", sql.size);
    if (!rc)
        rc = replace_view(store, "trials", buf_text(&sql), err);
    buf_release(&sql);
    return rc;
}

static int make_leaderboard(struct store *store, struct err *err)
{
    struct buf sql = {0};
    int rc;

    buf_puts(&sql, leaderboard_head);
    rc = put_axes(&sql, store, err);
    buf_puts(&sql, leaderboard_tail);
    if (!rc && buf_failed(&sql))
        rc = err_nomem(err, "view", sql.size);
    if (!rc)
        rc = replace_view(store, "leaderboard", buf_text(&sql), err);
    buf_release(&sql);
    return rc;
}

int views_update(struct store *store, struct err *err)
{
    return make_trials(store, err) || make_leaderboard(store, err) ? -1 : 0;
}
