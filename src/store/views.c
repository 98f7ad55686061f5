/* SPDX-License-Identifier: BSD-3-Clause */
/* The views for people who type SQL. They have a column for each axis, each main setting
 * (PARAM_MAIN), each metric of the file's tasks on each scored part, and each metric that a program
 * reported. */
#include <stdio.h>
#include <string.h>

#include "gcn/metric.h"
#include "grid/param.h"
#include "store/db.h"
#include "store/sql.h"
#include "store/store.h"

/* The axes of all sweeps, then those of ?1, a JSON array, that are no axis. */
static const char sql_settings[] =
    "SELECT name FROM (SELECT name, 0 AS part, min(sweep_id * 1000 + ordinal) AS place FROM axis"
    " GROUP BY name UNION ALL SELECT value, 1, key FROM json_each(?1)"
    " WHERE value NOT IN (SELECT name FROM axis)) ORDER BY part, place";
/* Not in every sweep is setting ?1 an axis of numbers alone. */
static const char sql_has_words[] =
    "SELECT (SELECT count(*) FROM sweep) > (SELECT count(*) FROM axis WHERE name = ?1"
    " AND json_array_length(levels) > 0"
    " AND NOT EXISTS (SELECT 1 FROM json_each(levels) WHERE type = 'text'))";
static const char sql_has_task[] = "SELECT count(*) FROM sweep WHERE task = ?1";
static const char sql_view[] = "SELECT sql FROM main.sqlite_schema WHERE type = 'view'"
                               " AND name = ?1";
static const char sql_temp_view[] = "SELECT sql FROM sqlite_temp_schema WHERE type = 'view'"
                                    " AND name = ?1";
static const char sql_has_stop[] = "SELECT 1 FROM metric WHERE split = 'stop' LIMIT 1";

/* Metrics of programs, the objectives first, then by the first trial that has them. */
static const char sql_reported[] =
    "SELECT m.split, m.name FROM sweep CROSS JOIN config USING (sweep_id)"
    " CROSS JOIN trial USING (config_id) CROSS JOIN metric AS m USING (trial_id)"
    " WHERE task = 'none' GROUP BY m.split, m.name"
    " ORDER BY iif(m.split = '', m.name, m.split || '_' || m.name) NOT IN"
    " (SELECT objective FROM sweep WHERE task = 'none'), min(trial_id), m.split = '', m.split DESC,"
    " m.name LIMIT ?1";

static const char trials_head[] = "SELECT sweep.name AS sweep,\n"
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

/* `trials` counts trials with a value, so that an undefined objective (a correlation with a
 * constant) does not raise its configuration. The mean of equal values is that value, without the
 * rounding of a sum, so their sd is 0. sd is the sample standard deviation (n - 1), in two passes;
 * NULL for one trial.
 *
 * Pairs of trials share replicate and fold. `off`, the difference of a pair minus that of the
 * means, averages about zero, so one pass over its squares is as exact as two.
 *
 * The formats of the first two parts: the table of trials with their values, and the direction. */
static const char leaderboard_head[] =
    "WITH score AS MATERIALIZED (\n"
    "    SELECT config_id, count(value) AS trials, avg(seconds) AS seconds,\n"
    "        iif(min(value) = max(value), min(value), avg(value)) AS mean\n"
    "    FROM %1$s WHERE state = 'done' GROUP BY config_id),\n"
    "most AS MATERIALIZED (\n"
    "    SELECT sweep_id, max(trials) AS trials\n"
    "    FROM config JOIN score USING (config_id) GROUP BY sweep_id),\n"
    "ranked AS MATERIALIZED (\n"
    "    SELECT config.sweep_id, config.config_id, score.trials, mean, seconds,\n"
    "        score.trials IS most.trials AS complete,\n"
    "        row_number() OVER (PARTITION BY config.sweep_id ORDER BY\n"
    "            score.trials IS NOT most.trials, mean IS NULL,\n"
    "            CASE %2$s WHEN 'max' THEN -mean ELSE mean END, config.config_id) AS place\n"
    "    FROM config\n"
    "        JOIN sweep USING (sweep_id)\n"
    "        LEFT JOIN score USING (config_id)\n"
    "        LEFT JOIN most USING (sweep_id)),\n"
    "best AS MATERIALIZED (\n"
    "    SELECT ranked.sweep_id, ranked.config_id, ranked.mean, " SQL_SHARE " AS share\n"
    "    FROM ranked JOIN config USING (config_id)\n"
    "        JOIN sweep ON sweep.sweep_id = ranked.sweep_id\n"
    "    WHERE ";
static const char leaderboard_pairs[] =
    "),\n"
    "pair AS (\n"
    "    SELECT ranked.config_id, ranked.trials, best.share,\n"
    "        t.value - ranked.mean AS above,\n"
    "        t.value - b.value - (ranked.mean - best.mean) AS off\n"
    "    FROM ranked\n"
    "        JOIN best USING (sweep_id)\n"
    "        JOIN %1$s AS t ON t.config_id = ranked.config_id AND t.state = 'done'\n"
    "        LEFT JOIN %1$s AS b ON b.config_id = best.config_id\n"
    "            AND b.replicate = t.replicate AND b.fold = t.fold AND b.state = 'done'";
static const char leaderboard_spread[] =
    "),\n"
    "spread AS MATERIALIZED (\n"
    "    SELECT config_id, sqrt(sum(above * above) / (trials - 1)) AS sd,\n"
    "        sqrt(sum(above * above) / (trials - 1)) / sqrt(trials) AS se,\n"
    "        count(off) AS pairs, avg(off) AS off,\n"
    "        sqrt((1.0 / count(off) + share)\n"
    "            * max(sum(off * off) - count(off) * avg(off) * avg(off), 0.0)\n"
    "            / (count(off) - 1)) AS diff_se\n"
    "    FROM pair GROUP BY config_id)\n"
    "SELECT sweep.name AS sweep,\n"
    "    ranked.place,\n"
    "    config.config_id AS config,\n";
/* The formats of the last part: the table of the first place, and its join where `best` is another
 * configuration. */
static const char join_top[] =
    "    JOIN (SELECT sweep_id, config_id, mean FROM ranked WHERE place = 1) AS top\n"
    "        ON top.sweep_id = ranked.sweep_id\n";
static const char leaderboard_tail[] =
    "    coalesce(ranked.trials, 0) AS trials, ranked.mean, spread.sd, spread.se,\n"
    "    ranked.mean - best.mean + spread.off AS diff, spread.diff_se,\n"
    "    coalesce(spread.pairs, 0) AS pairs,\n"
    "    complete AND abs(ranked.mean - %1$s.mean) <= first.se AS within_se,\n"
    "    config.flops, ranked.seconds\n"
    "FROM ranked\n"
    "    JOIN config USING (config_id)\n"
    "    JOIN sweep ON sweep.sweep_id = ranked.sweep_id\n"
    "    JOIN best ON best.sweep_id = ranked.sweep_id\n"
    "    LEFT JOIN spread ON spread.config_id = ranked.config_id\n"
    "%2$s"
    "    LEFT JOIN spread AS first ON first.config_id = %1$s.config_id\n"
    "ORDER BY ranked.sweep_id, place";

static int has_task(struct store *store, enum task task, bool *has, struct err *err)
{
    sqlite3_stmt *row = db_prepare(store, sql_has_task, err);
    int64_t n = 0;
    int rc;

    if (!row)
        return -1;
    sqlite3_bind_text(row, 1, task_name(task), -1, SQLITE_STATIC);
    rc = db_integer(store, row, 0, &n, err);
    sqlite3_finalize(row);
    *has = n > 0;
    return rc;
}

/* R gives a column the type of its first value: `full` after 32 would be 0. */
static int has_words(bool *has, struct store *store, const char *name, bool is_free,
                     struct err *err)
{
    enum param_type type = param_row(param_find(NULL, name))->type;
    sqlite3_stmt *row;
    int64_t answer = 0;
    int rc;

    *has = false;
    if (!is_free && (type == PARAM_REAL || type == PARAM_INT || type == PARAM_CHOICE))
        return 0;
    row = db_prepare(store, sql_has_words, err);
    if (!row)
        return -1;
    sqlite3_bind_text(row, 1, name, -1, SQLITE_STATIC);
    rc = db_integer(store, row, 0, &answer, err);
    sqlite3_finalize(row);
    *has = answer != 0;
    return rc;
}

/* is_typed: a column of numbers and words is text. The program itself reads the values as they are,
 * so that numbers compare as numbers beside `full`. */
static int put_setting(struct buf *out, struct store *store, const char *name, bool is_typed,
                       bool has_programs, struct err *err)
{
    bool is_text = false;

    if (param_find(NULL, name) == P_COUNT && !has_programs && !settings_gone_value(name))
        return err_set(err,
                       "%s: its axis '%s' is not a setting of this espalier: a newer one wrote the "
                       "file, or another program changed it; 'espalier params' lists the settings",
                       store->path, name);
    if (is_typed && has_words(&is_text, store, name, has_programs, err))
        return -1;
    buf_puts(out, is_text ? "    CAST(config.params ->> " : "    config.params ->> ");
    db_put_text(out, name);
    if (is_text)
        buf_puts(out, " AS TEXT)");
    buf_puts(out, " AS ");
    db_put_name(out, name);
    buf_puts(out, ",\n");
    return 0;
}

static void put_main(struct buf *out)
{
    const char *gap = "";

    for (int id = 0; id < P_COUNT; id++)
        if (param_table[id].flags & PARAM_MAIN) {
            buf_printf(out, "%s\"%s\"", gap, param_table[id].key);
            gap = ", ";
        }
}

/* Models of espalier's own. */
static int has_other_task(struct store *store, bool *has, struct err *err)
{
    bool has_classes = false;
    int rc = has_task(store, TASK_REGRESSION, has, err) ||
             has_task(store, TASK_CLASSIFICATION, &has_classes, err);

    *has |= has_classes;
    return rc ? -1 : 0;
}

static int put_settings(struct buf *out, struct store *store, bool is_typed, struct err *err)
{
    sqlite3_stmt *row = db_prepare(store, sql_settings, err);
    struct buf main = {0};
    bool has_programs = false, has_models = false;
    const char *name;
    int rc = row && !has_task(store, TASK_NONE, &has_programs, err) &&
                     !has_other_task(store, &has_models, err)
                 ? 1
                 : -1;

    buf_puts(&main, "[");
    if (has_models || !has_programs)
        put_main(&main);
    buf_puts(&main, "]");
    if (row)
        sqlite3_bind_text(row, 1, buf_text(&main), -1, SQLITE_TRANSIENT);
    out->failed |= buf_failed(&main);
    buf_release(&main);
    while (rc == 1 && (rc = db_step(store, row, err)) == 1)
        rc = db_read(store, row, err, "s", &name) ||
                     put_setting(out, store, name, is_typed, has_programs, err)
                 ? -1
                 : 1;
    sqlite3_finalize(row);
    return rc;
}

static void put_metric(struct buf *out, const char *split, const char *name)
{
    buf_printf(out,
               "    (SELECT m.value FROM metric AS m WHERE m.trial_id = trial.trial_id\n"
               "        AND m.split = '%s' AND m.name = '%s') AS %s_%s,\n",
               split, name, split, name);
}

static int put_metrics(struct buf *out, struct store *store, bool has_stop, struct err *err)
{
    static const char *const splits[] = {"val", "test", "stop"};
    bool has[TASK_COUNT];

    for (int task = 0; task < TASK_COUNT; task++)
        if (has_task(store, (enum task)task, &has[task], err))
            return -1;
    if (has[TASK_NONE] && !has[TASK_REGRESSION] && !has[TASK_CLASSIFICATION])
        return 0;
    for (int i = 0; i < 2 + has_stop; i++) {
        for (int m = 0; m < METRIC_COUNT; m++)
            if (has[metric_rows[m].task])
                put_metric(out, splits[i], metric_rows[m].name);
        put_metric(out, splits[i], "loss");
    }
    return 0;
}

/* ---- metrics that programs reported ---- */

/* Read the names of the columns that the view has without them. */
static int read_columns(struct result_table *columns, struct store *store, const struct buf *head,
                        struct err *err)
{
    struct buf sql = {0};
    sqlite3_stmt *row;
    int rc;

    buf_printf(&sql, "%s%s", buf_text(head), trials_tail);
    row = buf_failed(&sql) ? NULL : db_prepare(store, buf_text(&sql), err);
    rc = row ? db_column_names(columns, row) : -1;
    if (buf_failed(&sql) || (row && rc))
        rc = err_nomem(err, "view", sql.size);
    sqlite3_finalize(row);
    buf_release(&sql);
    return rc;
}

/* For SQLite names are equal whatever their case. */
static bool has_name(const struct result_table *columns, const char *name)
{
    for (int32_t c = 0; c < columns->n_cols; c++)
        if (!sqlite3_stricmp(columns->names[c], name))
            return true;
    return false;
}

/* added: the names of the columns that other metrics got, each with its NUL. */
static bool is_taken(const struct result_table *columns, const struct buf *added, const char *name)
{
    const char *at = buf_text(added), *end = at + added->size;

    for (; at < end; at += strlen(at) + 1)
        if (!sqlite3_stricmp(at, name))
            return true;
    return has_name(columns, name);
}

/* A name that another column has gets the prefix "metric_", the next such name "metric2_". */
static void put_free_name(struct buf *column, const struct result_table *columns,
                          const struct buf *added, const char *split, const char *name)
{
    char prefix[24] = "";

    for (int n = 1; n == 1 || is_taken(columns, added, buf_text(column)); n++) {
        buf_clear(column);
        buf_printf(column, "%s%s%s%s", prefix, split, *split ? "_" : "", name);
        snprintf(prefix, sizeof prefix, "metric%.0d_", n > 1 ? n : 0); /* nothing for 0 */
    }
}

static void put_reported(struct buf *out, struct store *store, const struct result_table *columns,
                         struct buf *added, const char *split, const char *name)
{
    struct buf column = {0};

    put_free_name(&column, columns, added, split, name);
    buf_puts(out, "    (SELECT m.value FROM metric AS m WHERE m.trial_id = trial.trial_id\n"
                  "        AND m.split = ");
    db_put_text(out, split);
    buf_puts(out, " AND m.name = ");
    db_put_text(out, name);
    buf_puts(out, ") AS ");
    db_put_name(out, buf_text(&column));
    buf_puts(out, ",\n");
    buf_add(added, buf_text(&column), column.size + 1);
    buf_add(&store->reported, split, strlen(split) + 1);
    buf_add(&store->reported, name, strlen(name) + 1);
    out->failed |= buf_failed(&column) || buf_failed(added) || buf_failed(&store->reported);
    buf_release(&column);
}

static bool is_of_models(const struct result_table *columns, const char *split, const char *name)
{
    struct buf column = {0};
    bool is = false;

    buf_printf(&column, "%s_%s", split, name);
    for (int32_t c = 0; c < columns->n_cols; c++)
        is |= !strcmp(columns->names[c], buf_text(&column));
    buf_release(&column);
    return is && *split && (!strcmp(name, "loss") || metric_parse(name) >= 0);
}

/* Notes the metrics in store->reported, in the order of their columns. */
static int put_all_reported(struct buf *out, struct store *store, struct err *err)
{
    sqlite3_stmt *row = db_prepare(store, sql_reported, err);
    struct result_table columns = {0};
    struct buf added = {0};
    const char *split, *name;
    int rc = row ? 1 : -1;

    buf_clear(&store->reported);
    if (row)
        sqlite3_bind_int(row, 1, STORE_REPORTED_COLUMNS);
    while (rc == 1 && (rc = db_step(store, row, err)) == 1) {
        if ((!columns.names && read_columns(&columns, store, out, err)) ||
            db_read(store, row, err, "ss", &split, &name))
            rc = -1;
        else if (!is_of_models(&columns, split, name))
            put_reported(out, store, &columns, &added, split, name);
    }
    sqlite3_finalize(row);
    result_table_release(&columns);
    buf_release(&added);
    return rc;
}

static int find_view(struct buf *sql, struct store *store, const char *query, const char *name,
                     struct err *err)
{
    sqlite3_stmt *row = db_prepare(store, query, err);
    const char *text = "";
    int rc;

    if (!row)
        return -1;
    sqlite3_bind_text(row, 1, name, -1, SQLITE_STATIC);
    rc = db_step(store, row, err);
    if (rc == 1)
        rc = db_read(store, row, err, "s", &text);
    if (!rc)
        buf_puts(sql, text);
    sqlite3_finalize(row);
    return rc;
}

static int has_view(struct store *store, const char *query, const char *name, const char *sql,
                    bool *has, struct err *err)
{
    struct buf there = {0};
    int rc = find_view(&there, store, query, name, err);

    *has = !rc && !strcmp(buf_text(&there), sql);
    buf_release(&there);
    return rc;
}

/* A view that exists with this text stays: each change of the schema makes all readers prepare
 * their statements again. */
static int make_view(struct store *store, bool is_temp, const char *name, const struct buf *select,
                     struct err *err)
{
    const char *schema = is_temp ? "temp" : "main";
    struct buf sql = {0}, drop = {0}, create = {0};
    bool has;
    int rc;

    buf_printf(&sql, "CREATE VIEW %s AS\n%s", name, buf_text(select));
    buf_printf(&drop, "DROP VIEW IF EXISTS %s.%s", schema, name);
    buf_printf(&create, "CREATE VIEW %s.%s AS\n%s", schema, name, buf_text(select));
    rc = buf_failed(select) || buf_failed(&sql)
             ? err_nomem(err, "view", sql.size)
             : has_view(store, is_temp ? sql_temp_view : sql_view, name, buf_text(&sql), &has, err);
    if (!rc && !has)
        rc = db_run(store, &drop, err) || db_run(store, &create, err) ? -1 : 0;
    buf_release(&sql);
    buf_release(&drop);
    buf_release(&create);
    return rc;
}

/* A stop part that has columns in the file belongs to another of its sweeps. */
static int shows_stop(struct store *store, bool *shows, struct err *err)
{
    struct buf there = {0};
    int rc = *shows ? 0 : find_view(&there, store, sql_view, "trials", err);

    *shows |= strstr(buf_text(&there), "AS stop_loss") != NULL;
    buf_release(&there);
    return rc;
}

static int make_trials(struct store *store, bool is_temp, bool has_stop, struct err *err)
{
    struct buf select = {0};
    int rc;

    if (shows_stop(store, &has_stop, err))
        return -1;
    buf_puts(&select, trials_head);
    rc = put_settings(&select, store, !is_temp, err);
    buf_puts(&select, trials_middle);
    if (!rc)
        rc = put_metrics(&select, store, has_stop, err) || put_all_reported(&select, store, err)
                 ? -1
                 : 0;
    buf_puts(&select, trials_tail);
    if (!rc)
        rc = make_view(store, is_temp, "trials", &select, err);
    buf_release(&select);
    return rc;
}

int views_put_config(struct buf *out, struct store *store, struct err *err)
{
    int rc;

    buf_puts(out, "SELECT config.sweep_id, ");
    rc = put_settings(out, store, false, err);
    buf_puts(out, "    sweep.name AS sweep FROM config JOIN sweep USING (sweep_id)"
                  " WHERE config_id = ?1");
    return rc;
}

void views_put_metric(struct buf *out, const char *name)
{
    buf_puts(out, "iif(m.split = '', m.name, m.split || '_' || m.name) = ");
    db_put_text(out, name);
}

/* Trials whose value is that of the metric by which the caller ranks. */
static void put_scored_trials(struct buf *out, const struct store *store)
{
    if (!*store->objective) {
        buf_puts(out, "trial");
        return;
    }
    buf_puts(out,
             "(SELECT config_id, replicate, fold, state, seconds, (SELECT m.value FROM metric AS m"
             " WHERE m.trial_id = trial.trial_id AND ");
    views_put_metric(out, store->objective);
    buf_puts(out, ") AS value FROM trial)");
}

static int put_leaderboard(struct buf *out, struct store *store, bool is_typed, int64_t last,
                           struct err *err)
{
    int64_t reference = store->reference;
    struct buf trials = {0};
    int rc;

    put_scored_trials(&trials, store);
    buf_printf(out, leaderboard_head, buf_text(&trials),
               !*store->objective ? "direction"
               : store->maximizes ? "'max'"
                                  : "'min'");
    if (reference)
        buf_printf(out, "config_id = %lld", (long long)reference);
    else
        buf_puts(out, "place = 1");
    buf_printf(out, leaderboard_pairs, buf_text(&trials));
    out->failed |= buf_failed(&trials);
    buf_release(&trials);
    if (last > 0)
        buf_printf(out, "\n    WHERE ranked.place <= %lld", (long long)last);
    buf_puts(out, leaderboard_spread);
    rc = put_settings(out, store, is_typed, err);
    if (reference)
        buf_printf(out, leaderboard_tail, "top", join_top);
    else
        buf_printf(out, leaderboard_tail, "best", "");
    return rc;
}

int views_put_leaderboard(struct buf *out, struct store *store, int64_t last, struct err *err)
{
    return put_leaderboard(out, store, false, last, err);
}

static int make_leaderboard(struct store *store, bool is_temp, struct err *err)
{
    struct buf select = {0};
    int rc = put_leaderboard(&select, store, !is_temp, 0, err);

    if (!rc)
        rc = make_view(store, is_temp, "leaderboard", &select, err);
    buf_release(&select);
    return rc;
}

/* People read the views of the file, the program only the temporary ones. */
static int make_both(struct store *store, bool is_temp, bool has_stop, struct err *err)
{
    return make_trials(store, is_temp, has_stop, err) || make_leaderboard(store, is_temp, err) ? -1
                                                                                               : 0;
}

int views_expect(struct store *store, bool has_stop, struct err *err)
{
    return make_both(store, false, has_stop, err) || make_both(store, true, has_stop, err) ? -1 : 0;
}

int views_update(struct store *store, struct err *err)
{
    sqlite3_stmt *row = db_prepare(store, sql_has_stop, err);
    int64_t has_stop = 0;
    int rc = db_integer(store, row, 0, &has_stop, err);

    sqlite3_finalize(row);
    return rc ? rc : views_expect(store, has_stop, err);
}

int views_for_reading(struct store *store, struct err *err)
{
    return make_both(store, true, false, err);
}
