/* SPDX-License-Identifier: BSD-3-Clause */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "gcn/metric.h"
#include "grid/settings.h"
#include "store/db.h"
#include "store/query/condition.h"
#include "store/query/progress.h"
#include "store/query/query_rows.h"
#include "store/sql.h"

static const char sql_axes[] = "SELECT name FROM axis WHERE sweep_id = ?1 ORDER BY ordinal";

static int put_axes(struct buf *sql, struct store *store, int64_t sweep_id, struct err *err)
{
    sqlite3_stmt *row = query_prepare(store, sql_axes, sweep_id, err);
    const char *name;
    int rc = row ? 1 : -1;

    while (rc == 1 && (rc = db_step(store, row, err)) == 1) {
        if (db_read(store, row, err, "s", &name)) {
            rc = -1;
            break;
        }
        buf_putc(sql, ' ');
        db_put_name(sql, name);
        buf_putc(sql, ',');
        rc = 1;
    }
    sqlite3_finalize(row);
    return rc;
}

/* Like query_collect(), but stop a query whose condition takes too long. */
static int collect_where(struct result_table *out, struct store *store, sqlite3_stmt *row,
                         const char *where, struct err *err)
{
    struct step_limit limit;
    int rc;

    if (!where)
        return query_collect(out, store, row, "", err);
    if (condition_begin(&limit, store, err)) {
        sqlite3_finalize(row);
        return -1;
    }
    rc = query_collect(out, store, row, "", err);
    return condition_end(&limit, store, where, err) ? -1 : rc;
}

/* Places compared with the best: enough for all contenders among 100,000 configurations. */
enum { PLACES_COMPARED = 1000 };

static void put_metric_name(struct buf *out, const struct result_table *names, int64_t row)
{
    const char *split = result_table_text(names, row, "split");

    buf_printf(out, "%s%s%s", split, *split ? "_" : "", result_table_text(names, row, "name"));
}

static bool has_column(struct store *store, const char *name)
{
    struct buf columns = {0};
    struct err ignored;
    bool has = false;

    if (!query_columns(&columns, store, &ignored)) {
        const char *at = buf_text(&columns), *end = at + columns.size;

        for (; at < end; at += strlen(at) + 1)
            has |= !sqlite3_stricmp(at, name);
    }
    buf_release(&columns);
    return has;
}

/* Append the mean of each metric that a condition may name, and that is no column of the leaderboard. */
static int put_metrics(struct buf *sql, struct store *store, const struct query_sweep *sweep,
                       const char *where, struct err *err)
{
    struct result_table names;

    if (query_table(&names, store, QUERY_METRIC_NAMES, sweep->sweep_id, err))
        return -1;
    for (int64_t r = 0; r < names.n_rows; r++) {
        struct buf name = {0};

        put_metric_name(&name, &names, r);
        if (strcasestr(where, buf_text(&name)) && !has_column(store, buf_text(&name))) {
            buf_puts(sql, ", (SELECT avg(m.value) FROM trial AS t JOIN metric AS m USING (trial_id)"
                          " WHERE t.config_id = config AND t.state = 'done' AND ");
            views_put_metric(sql, buf_text(&name));
            buf_puts(sql, ") AS ");
            db_put_name(sql, buf_text(&name));
        }
        sql->failed |= buf_failed(&name);
        buf_release(&name);
    }
    result_table_release(&names);
    return 0;
}

/* Append a WITH table l, the leaderboard rows that satisfy `where`. last > 0: only the first
 * places, in a fraction of the time. */
static int put_rows(struct buf *sql, struct store *store, const struct query_sweep *sweep,
                    const char *where, int64_t last, struct err *err)
{
    int rc;

    buf_puts(sql, "WITH l AS MATERIALIZED (SELECT place, config,");
    rc = put_axes(sql, store, sweep->sweep_id, err);
    buf_puts(sql,
             " trials, mean, sd, se, diff, diff_se, diff - t95(pairs - 1) * diff_se AS diff_low,"
             " diff + t95(pairs - 1) * diff_se AS diff_high, pairs, within_se, flops, seconds"
             " FROM");
    if (last > 0) {
        buf_puts(sql, " (");
        rc |= views_put_leaderboard(sql, store, last, err);
        buf_printf(sql, ") WHERE place <= %lld", (long long)last);
    } else {
        buf_puts(sql, " (SELECT *");
        rc |= where ? put_metrics(sql, store, sweep, where, err) : 0;
        buf_puts(sql, " FROM leaderboard) WHERE true");
    }
    buf_printf(sql, " AND sweep = (SELECT name FROM sweep WHERE sweep_id = ?1) AND (%s\n)) ",
               where ? where : "true");
    return rc;
}

static bool is_regression(const struct query_sweep *sweep)
{
    int metric = strncmp(sweep->objective, "val_", 4) ? -1 : metric_parse(sweep->objective + 4);

    return metric >= 0 && !sweep->is_program && metric_rows[metric].task == TASK_REGRESSION;
}

/* Metrics are looked up only for the shown rows. */
static int put_columns(struct buf *sql, struct store *store, const struct query_sweep *sweep,
                       const struct query_filter *filter, bool has_alike, struct err *err)
{
    int rc;

    buf_puts(sql, "SELECT place, config,");
    rc = put_axes(sql, store, sweep->sweep_id, err);
    buf_puts(sql, " trials, mean,");
    if (is_regression(sweep) && !(filter->is_brief && !strcmp(sweep->objective, "val_r2")))
        buf_puts(sql, " (SELECT avg(m.value) FROM trial AS t JOIN metric AS m USING (trial_id)"
                      " WHERE t.config_id = config AND t.state = 'done' AND m.split = 'val'"
                      " AND m.name = 'r2') AS val_r2,");
    buf_printf(
        sql, " sd, se, diff,%s diff_low, diff_high, %s, seconds%s FROM",
        filter->is_brief ? "" : " diff_se,",
        filter->is_brief ? "CASE within_se WHEN 1 THEN '*' WHEN 0 THEN '' END AS within_se"
                         : "pairs, within_se, flops",
        has_alike ? ", (SELECT count(mean) FROM l) AS n_scored,"
                    " (SELECT count(diff_low) FROM l WHERE place > 1) AS n_compared,"
                    " (SELECT count(*) FROM l WHERE place > 1 AND diff_low <= 0 AND diff_high >= 0)"
                    " AS n_alike, (SELECT config FROM (" SQL_1SE " LIMIT 1)) AS one_se"
                  : "");
    return rc;
}

static int collect_rows(struct result_table *out, struct store *store,
                        const struct query_sweep *sweep, struct buf *sql, const char *where,
                        int64_t limit, struct err *err)
{
    sqlite3_stmt *row = NULL;
    int rc = buf_failed(sql) ? err_nomem(err, "query", sql->size) : 0;

    if (!rc)
        row = condition_prepare(store, buf_text(sql), where, err);
    buf_release(sql);
    if (!row)
        return -1;
    sqlite3_bind_int64(row, 1, sweep->sweep_id);
    sqlite3_bind_int64(row, 2, limit);
    return collect_where(out, store, row, where, err);
}

/* is_all: the rows were not limited. */
static void take_alike(struct query_alike *alike, struct result_table *table, bool is_all)
{
    *alike = (struct query_alike){0};
    if (table->n_rows) {
        alike->n_scored = result_table_integer(table, 0, "n_scored");
        alike->n_compared = result_table_integer(table, 0, "n_compared");
        alike->n_alike = result_table_integer(table, 0, "n_alike");
        alike->one_se = is_all ? result_table_integer(table, 0, "one_se") : 0;
    }
    for (int i = 0; i < 4; i++)
        result_table_drop_last(table);
}

/* choice: what follows FROM. */
static int choose_rows(struct result_table *out, struct query_alike *alike, struct store *store,
                       const struct query_sweep *sweep, const struct query_filter *filter,
                       int64_t last, const char *choice, struct err *err)
{
    struct buf sql = {0};

    memset(out, 0, sizeof *out);
    if (put_rows(&sql, store, sweep, filter->where, last, err) ||
        put_columns(&sql, store, sweep, filter, alike != NULL, err)) {
        buf_release(&sql);
        return -1;
    }
    buf_puts(&sql, choice);
    if (collect_rows(out, store, sweep, &sql, filter->where, filter->limit, err))
        return -1;
    if (alike)
        take_alike(alike, out, last == 0);
    return 0;
}

int query_leaderboard(struct result_table *out, struct query_alike *alike, struct store *store,
                      const struct query_sweep *sweep, const struct query_filter *filter,
                      struct err *err)
{
    int64_t last = filter->limit;

    if (filter->where || last < 0)
        last = 0;
    else if (alike && last < PLACES_COMPARED)
        last = PLACES_COMPARED;
    return choose_rows(out, alike, store, sweep, filter, last,
                       " (SELECT * FROM l ORDER BY place LIMIT ?2) ORDER BY place", err);
}

static int make_views(struct store *store, struct err *err)
{
    return db_exec(store, "PRAGMA query_only = off", err) || views_for_reading(store, err) ||
                   db_exec(store, "PRAGMA query_only = on", err)
               ? -1
               : 0;
}

int query_compare_with(struct store *store, int64_t config_id, struct err *err)
{
    store->reference = config_id;
    return make_views(store, err);
}

int query_rank_by(struct query_sweep *sweep, struct store *store, const char *metric,
                  struct err *err)
{
    struct nearest nearest = {.wrong = metric, .best = ""};
    const char *direction = settings_usual_direction(metric);
    struct result_table names;
    char hint[NEAREST_HINT];
    bool has = false;

    if (query_table(&names, store, QUERY_METRIC_NAMES, sweep->sweep_id, err))
        return -1;
    for (int64_t r = 0; r < names.n_rows; r++) {
        struct buf name = {0};

        put_metric_name(&name, &names, r);
        has |= !strcmp(buf_text(&name), metric);
        nearest_offer(&nearest, buf_text(&name));
        buf_release(&name);
    }
    nearest_hint(hint, "", nearest.best, "", "");
    result_table_release(&names);
    if (!strncmp(metric, "test_", 5))
        return err_set(err, "--objective %s: the test part must not choose", metric);
    if (!has)
        return err_set(err, "--objective %s: no trial of sweep '%s' has this metric%s", metric,
                       sweep->name, hint);
    snprintf(store->objective, sizeof store->objective, "%s", metric);
    snprintf(sweep->objective, sizeof sweep->objective, "%s", metric);
    sweep->maximize = direction ? !strcmp(direction, "max") : sweep->maximize;
    store->maximizes = sweep->maximize;
    return make_views(store, err);
}

int query_check_where(struct store *store, const struct query_sweep *sweep, const char *where,
                      struct err *err)
{
    sqlite3_stmt *row = NULL;
    struct buf sql = {0};

    if (!put_rows(&sql, store, sweep, where, 0, err)) {
        buf_puts(&sql, "SELECT place FROM l");
        row = buf_failed(&sql) ? NULL : condition_prepare(store, buf_text(&sql), where, err);
        if (buf_failed(&sql))
            err_nomem(err, "query", sql.size);
    }
    buf_release(&sql);
    sqlite3_finalize(row);
    return row ? 0 : -1;
}

int query_columns(struct buf *out, struct store *store, struct err *err)
{
    sqlite3_stmt *row = db_prepare(store, "SELECT * FROM leaderboard", err);

    if (!row)
        return -1;
    for (int c = 0; c < sqlite3_column_count(row); c++)
        buf_add(out, sqlite3_column_name(row, c), strlen(sqlite3_column_name(row, c)) + 1);
    buf_add(out, "diff_low\0diff_high", sizeof "diff_low\0diff_high");
    sqlite3_finalize(row);
    return buf_failed(out) ? err_nomem(err, "columns", out->size) : 0;
}

static const char *const rule_names[QUERY_N_RULES] = {
    [QUERY_RULE_BEST] = "best",
    [QUERY_RULE_1SE] = "1se",
};

enum query_rule query_rule_parse(const char *name)
{
    enum query_rule rule = 0;

    while (rule < QUERY_N_RULES && strcmp(rule_names[rule], name) != 0)
        rule++;
    assert(rule < QUERY_N_RULES);
    return rule;
}

const char *query_rule_words(enum query_rule rule)
{
    return rule == QUERY_RULE_BEST ? "the best"
                                   : "the cheapest within one standard error of the best";
}

static bool is_scored(const struct result_table *table)
{
    return table->n_rows && !isnan(result_table_real(table, 0, "mean"));
}

/* True if no trial is left to run. */
static bool is_over(struct store *store, const struct query_sweep *sweep)
{
    struct progress_counts now;
    struct err err;

    return !progress_count(&now, store, sweep, &err) && now.trials &&
           now.done + now.diverged + now.failed == now.planned;
}

/* Report why there is no choice. first: the first row of the leaderboard, or none. */
static int no_choice(const struct result_table *first, struct store *store,
                     const struct query_sweep *sweep, const char *where, struct err *err)
{
    static const char lost[] = ": no trial is left to run, and none has a score; 'espalier status' "
                               "lists the reasons";

    if (is_scored(first) && result_table_integer(first, 0, "trials") > 1)
        return err_set(err,
                       "%s: sweep '%s': no standard error for --rule 1se: the scores of c%lld are "
                       "too large for arithmetic; the trials, or the database, are damaged",
                       store->path, sweep->name,
                       (long long)result_table_integer(first, 0, "config"));
    if (is_scored(first))
        return err_set(err,
                       "%s: sweep '%s': no standard error for --rule 1se: c%lld has one trial; "
                       "replicates or folds give more",
                       store->path, sweep->name,
                       (long long)result_table_integer(first, 0, "config"));
    return err_set(err, "%s: sweep '%s' has no finished configuration%s%s", store->path,
                   sweep->name,
                   where                   ? " where "
                   : is_over(store, sweep) ? lost
                                           : " yet",
                   where ? where : "");
}

int query_choose(struct result_table *out, struct query_alike *alike, struct store *store,
                 const struct query_sweep *sweep, enum query_rule rule,
                 const struct query_filter *filter, struct err *err)
{
    struct query_filter one = *filter;
    int rc;

    one.limit = 1;
    if (rule == QUERY_RULE_1SE) {
        if (choose_rows(out, alike, store, sweep, &one, 0, " (" SQL_1SE " LIMIT ?2)", err))
            return -1;
        if (out->n_rows)
            return 0;
        result_table_release(out);
    }
    if (query_leaderboard(out, alike, store, sweep, &one, err))
        return -1;
    if (rule == QUERY_RULE_BEST && is_scored(out))
        return 0;
    rc = no_choice(out, store, sweep, filter->where, err);
    result_table_release(out);
    return rc;
}
