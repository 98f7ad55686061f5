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
/* A view ?1 of the SELECT ?2 exists. */
#define HAS_VIEW(schema)                                                \
    "SELECT count(*) FROM " schema " WHERE type = 'view' AND name = ?1" \
    " AND sql = 'CREATE VIEW ' || ?1 || ' AS' || char(10) || ?2"
/* A stop part that has columns in the file belongs to another of its sweeps. */
static const char sql_shows_stop[] = "SELECT count(*) FROM main.sqlite_schema WHERE type = 'view'"
                                     " AND name = 'trials' AND instr(sql, 'AS \"stop_loss\"')";
static const char sql_has_search[] = "SELECT EXISTS (SELECT 1 FROM decision)";
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
 * The formats of the first two parts: the table of trials with their values, and the direction; then
 * what a search adds, or "": the name of the first table, the next tables, keys of the order, and a column. */
static const char leaderboard_head[] =
    "WITH %3$s AS MATERIALIZED (\n"
    "    SELECT config_id, count(value) AS trials, avg(seconds) AS seconds,\n"
    "        iif(min(value) = max(value), min(value), avg(value)) AS mean\n"
    "    FROM %1$s WHERE state = 'done' GROUP BY config_id),\n%4$s"
    "most AS MATERIALIZED (\n"
    "    SELECT sweep_id, max(trials) AS trials\n"
    "    FROM config JOIN score USING (config_id) GROUP BY sweep_id),\n"
    "ranked AS MATERIALIZED (\n"
    "    SELECT config.sweep_id, config.config_id, score.trials, mean, seconds,%6$s\n"
    "        score.trials IS most.trials AS complete,\n"
    "        row_number() OVER (PARTITION BY config.sweep_id ORDER BY\n"
    "            score.trials IS NOT most.trials,%5$s mean IS NULL,\n"
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
/* How far a search let a configuration come, by its last decision on it, and its score there. A race has
 * no rungs: its scores are of finished trials. The number of rungs is a setting in the text of the sweep,
 * or its default, which is the last format; the first one: a condition on rungs. */
static const char leaderboard_search[] =
    "last AS MATERIALIZED (\n"
    "    SELECT config_id, rung, action, max(step) FROM decision\n"
    "    WHERE action <> 'propose' GROUP BY config_id),\n"
    "so_far AS MATERIALIZED (\n"
    "    SELECT config_id, last.rung, action = 'keep' AS goes_on, avg(seconds) AS seconds,\n"
    "        iif(count(r.value) = count(*), avg(r.value), NULL) AS mean,\n"
    "        iif(sum(count(r.trial_id)) OVER (PARTITION BY sweep_id) > 0,\n"
    "            'rung ' || last.rung || ' of ' || coalesce(CAST(substr(ini,\n"
    "                nullif(instr(ini, char(10) || 'rungs = '), 0) + 9) AS INTEGER), %2$s),\n"
    "            last.rung || ' of ' || count(*) || iif(max(replicate), ' trials', ' folds'))\n"
    "            AS reached\n"
    "    FROM last JOIN trial USING (config_id)\n"
    "        JOIN config USING (config_id)\n"
    "        JOIN sweep USING (sweep_id)\n"
    "        LEFT JOIN rung AS r ON r.trial_id = trial.trial_id AND r.rung = last.rung%1$s\n"
    "    GROUP BY config_id),\n"
    "score AS MATERIALIZED (\n"
    "    SELECT config_id, trials, coalesce(finished.seconds, so_far.seconds) AS seconds,\n"
    "        coalesce(finished.mean, so_far.mean) AS mean, rung, goes_on, reached\n"
    "    FROM config LEFT JOIN finished USING (config_id) LEFT JOIN so_far USING (config_id)),\n";
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
/* The formats of the last part: the table of the first place, its join where `best` is another
 * configuration, and a column of a search. */
static const char column_reached[] =
    " iif(complete AND ranked.trials > 0, NULL, reached) AS reached,\n   ";
static const char join_top[] =
    "    JOIN (SELECT sweep_id, config_id, mean FROM ranked WHERE place = 1) AS top\n"
    "        ON top.sweep_id = ranked.sweep_id\n";
static const char leaderboard_tail[] =
    "    coalesce(ranked.trials, 0) AS trials,%3$s ranked.mean, spread.sd, spread.se,\n"
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

static int read_tasks(bool has[TASK_COUNT], struct store *store, struct err *err)
{
    for (int task = 0; task < TASK_COUNT; task++) {
        int64_t n;

        if (db_integer(&n, store, sql_has_task, err, "s", task_name((enum task)task)))
            return -1;
        has[task] = n > 0;
    }
    return 0;
}

/* is_typed: a column of numbers and words is text. The program itself reads the values as they are,
 * so that numbers compare as numbers beside `full`. */
static int put_setting(struct buf *out, struct store *store, const char *name, bool is_typed,
                       bool has_programs, struct err *err)
{
    enum param_type type = param_row(param_find(NULL, name))->type;
    int64_t is_text = 0;

    if (param_find(NULL, name) == P_COUNT && !has_programs && !settings_gone_value(name))
        return err_set(err,
                       "%s: its axis '%s' is not a setting of this espalier: a newer one wrote the "
                       "file, or another program changed it; 'espalier params' lists the settings",
                       store->path, name);
    /* R gives a column the type of its first value: `full` after 32 would be 0. */
    if (is_typed &&
        (has_programs || (type != PARAM_REAL && type != PARAM_INT && type != PARAM_CHOICE)) &&
        db_integer(&is_text, store, sql_has_words, err, "s", name))
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

static int put_settings(struct buf *out, struct store *store, bool is_typed, struct err *err)
{
    bool has[TASK_COUNT], has_programs;
    struct buf main = {0}; /* JSON array */
    sqlite3_stmt *row;
    const char *name;
    int rc = read_tasks(has, store, err);

    if (rc)
        return -1;
    has_programs = has[TASK_NONE];
    for (int id = 0; id < P_COUNT; id++)
        if (param_table[id].flags & PARAM_MAIN &&
            (!has_programs || has[TASK_REGRESSION] || has[TASK_CLASSIFICATION]))
            buf_printf(&main, "%c\"%s\"", main.size ? ',' : '[', param_table[id].key);
    buf_puts(&main, main.size ? "]" : "[]");
    row = db_query(store, sql_settings, err, "s", buf_text(&main));
    while (db_next(&rc, store, row, err))
        rc = db_read(store, row, err, "s", &name) ||
                     put_setting(out, store, name, is_typed, has_programs, err)
                 ? -1
                 : 0;
    sqlite3_finalize(row);
    out->failed |= buf_failed(&main);
    buf_release(&main);
    return rc;
}

static void put_metric(struct buf *out, const char *split, const char *name, const char *column)
{
    buf_puts(out, "    (SELECT m.value FROM metric AS m WHERE m.trial_id = trial.trial_id\n"
                  "        AND m.split = ");
    db_put_text(out, split);
    buf_puts(out, " AND m.name = ");
    db_put_text(out, name);
    buf_puts(out, ") AS ");
    db_put_name(out, column);
    buf_puts(out, ",\n");
}

static int put_metrics(struct buf *out, struct store *store, bool has_stop, struct err *err)
{
    static const char *const splits[] = {"val", "test", "stop"};
    bool has[TASK_COUNT];
    char column[64];

    if (read_tasks(has, store, err))
        return -1;
    if (has[TASK_NONE] && !has[TASK_REGRESSION] && !has[TASK_CLASSIFICATION])
        return 0;
    for (int i = 0; i < 2 + has_stop; i++)
        for (int m = 0; m <= METRIC_COUNT; m++) {
            const char *name = m < METRIC_COUNT ? metric_rows[m].name : "loss";

            if (m < METRIC_COUNT && !has[metric_rows[m].task])
                continue;
            snprintf(column, sizeof column, "%s_%s", splits[i], name);
            put_metric(out, splits[i], name, column);
        }
    return 0;
}

/* ---- metrics that programs reported ---- */

/* Append the names, each with its NUL, of the columns that the view has without these. */
static int read_columns(struct buf *names, struct store *store, const struct buf *head,
                        struct err *err)
{
    struct buf sql = {0};
    sqlite3_stmt *row;
    int rc;

    buf_printf(&sql, "%s%s", buf_text(head), trials_tail);
    row = db_query(store, buf_text(&sql), err, "");
    rc = row ? 0 : -1;
    for (int c = 0; c < sqlite3_column_count(row); c++)
        buf_add(names, sqlite3_column_name(row, c), strlen(sqlite3_column_name(row, c)) + 1);
    sqlite3_finalize(row);
    buf_release(&sql);
    return rc;
}

/* A name that another column has gets the prefix "metric_", the next such name "metric2_". */
static void put_reported(struct buf *out, struct store *store, struct buf *names, const char *split,
                         const char *name)
{
    struct buf column = {0};

    for (int n = 0; !n || db_has_name(names, buf_text(&column)); n++) {
        buf_clear(&column);
        if (n)
            buf_printf(&column, "metric%.0d_", n > 1 ? n : 0); /* nothing for 0 */
        buf_printf(&column, "%s%s%s", split, *split ? "_" : "", name);
        /* a metric of models, too, which has its column */
        if (!n && *split && (!strcmp(name, "loss") || metric_parse(name) >= 0) &&
            db_has_name(names, buf_text(&column)))
            goto done;
    }
    put_metric(out, split, name, buf_text(&column));
    buf_add(names, buf_text(&column), column.size + 1);
    buf_add(&store->reported, split, strlen(split) + 1);
    buf_add(&store->reported, name, strlen(name) + 1);
done:
    out->failed |= buf_failed(&column) || buf_failed(names) || buf_failed(&store->reported);
    buf_release(&column);
}

/* Notes the metrics in store->reported, in the order of their columns. */
static int put_all_reported(struct buf *out, struct store *store, struct err *err)
{
    sqlite3_stmt *row = db_query(store, sql_reported, err, "n", STORE_REPORTED_COLUMNS);
    struct buf names = {0};
    const char *split, *name;
    int rc = 0;

    buf_clear(&store->reported);
    while (db_next(&rc, store, row, err)) {
        rc = (!names.size && read_columns(&names, store, out, err)) ||
                     db_read(store, row, err, "ss", &split, &name)
                 ? -1
                 : 0;
        if (!rc)
            put_reported(out, store, &names, split, name);
    }
    sqlite3_finalize(row);
    buf_release(&names);
    return rc;
}

/* A view that exists with this text stays: each change of the schema makes all readers prepare
 * their statements again. */
static int make_view(struct store *store, bool is_temp, const char *name, const struct buf *select,
                     struct err *err)
{
    const char *schema = is_temp ? "temp" : "main";
    int64_t has;

    if (buf_failed(select))
        return err_nomem(err, "view", select->size);
    if (db_integer(&has, store,
                   is_temp ? HAS_VIEW("sqlite_temp_schema") : HAS_VIEW("main.sqlite_schema"), err,
                   "ss", name, buf_text(select)))
        return -1;
    return has ? 0
               : db_execf(store, err, "DROP VIEW IF EXISTS %s.%s; CREATE VIEW %s.%s AS\n%s", schema,
                          name, schema, name, buf_text(select));
}

static int make_trials(struct store *store, bool is_temp, bool has_stop, struct err *err)
{
    struct buf select = {0};
    int64_t shows_stop = has_stop;
    int rc;

    if (!has_stop && db_integer(&shows_stop, store, sql_shows_stop, err, ""))
        return -1;
    buf_puts(&select, trials_head);
    rc = put_settings(&select, store, !is_temp, err);
    buf_puts(&select, trials_middle);
    if (!rc)
        rc = put_metrics(&select, store, shows_stop != 0, err) ||
                     put_all_reported(&select, store, err)
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

int views_put_leaderboard(struct buf *out, struct store *store, bool is_typed, int64_t last,
                          struct err *err)
{
    int64_t reference = store->reference;
    const bool searches = store->has_search;
    struct buf trials = {0}, search = {0};
    int rc;

    /* Trials whose value is that of the metric by which the caller ranks. */
    if (*store->objective) {
        buf_puts(&trials, "(SELECT config_id, replicate, fold, state, seconds, (SELECT m.value FROM"
                          " metric AS m WHERE m.trial_id = trial.trial_id AND ");
        views_put_metric(&trials, store->objective);
        buf_puts(&trials, ") AS value FROM trial)");
    } else {
        buf_puts(&trials, "trial");
    }
    if (searches)
        buf_printf(&search, leaderboard_search, *store->objective ? " AND false" : "",
                   param_table[P_RUNGS].default_text);
    buf_printf(out, leaderboard_head, buf_text(&trials),
               !*store->objective ? "direction"
               : store->maximizes ? "'max'"
                                  : "'min'",
               searches ? "finished" : "score", buf_text(&search),
               searches ? " rung DESC, NOT goes_on," : "", searches ? " reached," : "");
    if (reference)
        buf_printf(out, "config_id = %lld", (long long)reference);
    else
        buf_puts(out, "place = 1");
    buf_printf(out, leaderboard_pairs, buf_text(&trials));
    out->failed |= buf_failed(&trials) || buf_failed(&search);
    buf_release(&trials);
    buf_release(&search);
    if (last > 0)
        buf_printf(out, "\n    WHERE ranked.place <= %lld", (long long)last);
    buf_puts(out, leaderboard_spread);
    rc = put_settings(out, store, is_typed, err);
    buf_printf(out, leaderboard_tail, reference ? "top" : "best", reference ? join_top : "",
               searches ? column_reached : "");
    return rc;
}

/* People read the views of the file, the program only the temporary ones. */
static int make_both(struct store *store, bool is_temp, bool has_stop, struct err *err)
{
    struct buf select = {0};
    int64_t has_search = 0;
    int rc = make_trials(store, is_temp, has_stop, err) ||
                     db_integer(&has_search, store, sql_has_search, err, "")
                 ? -1
                 : 0;

    store->has_search = has_search;
    if (!rc)
        rc = views_put_leaderboard(&select, store, !is_temp, 0, err);
    if (!rc)
        rc = make_view(store, is_temp, "leaderboard", &select, err);
    buf_release(&select);
    return rc;
}

int views_expect(struct store *store, bool has_stop, struct err *err)
{
    return make_both(store, false, has_stop, err) || make_both(store, true, has_stop, err) ? -1 : 0;
}

int views_update(struct store *store, struct err *err)
{
    int64_t has_stop;

    return db_integer(&has_stop, store, sql_has_stop, err, "") ||
                   views_expect(store, has_stop != 0, err)
               ? -1
               : 0;
}

int views_for_reading(struct store *store, struct err *err)
{
    return make_both(store, true, false, err);
}
