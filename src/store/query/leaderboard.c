/* SPDX-License-Identifier: BSD-3-Clause */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "gcn/metric.h"
#include "grid/settings.h"
#include "store/db.h"
#include "store/query/progress.h"
#include "store/sql.h"

/* ---- conditions of people ---- */

/* some milliseconds */
#define STEPS_A_CALL 1000000
/* Enough for the leaderboard, some thousand steps a trial, and a condition on each row. */
#define CALLS_LEAST 50
#define TRIALS_A_CALL 50

static bool is_readable(const char *table)
{
    static const char *const readable[] = {
        "leaderboard", "trials",    "sweep",  "axis",     "config",       "trial",
        "metric",      "curve",     "timing", "session",  "attempt",      "member",
        "checkpoint",  "model",     "log",    "file",     "curve_metric", "prediction",
        "traffic",     "data_fact", "rung",   "decision", "json_each",    "json_tree"};

    for (size_t i = 0; i < sizeof readable / sizeof *readable; i++)
        if (!sqlite3_stricmp(table, readable[i]))
            return true;
    return false;
}

/* names: NUL-terminated other tables and views of the file. */
static bool is_foreign(const struct buf *names, const char *table)
{
    return db_has_name(names, table) || !sqlite3_strnicmp(table, "sqlite_", 7) ||
           !sqlite3_strnicmp(table, "pragma_", 7);
}

/* Allow only the leaderboard and, in subqueries, tables of this program. A view was checked when it
 * was named. If no column is read, as by count(*), a WITH table looks like one of the file. */
static int authorize_tables(void *arg, int action, const char *a, const char *b,
                            const char *database, const char *view)
{
    if (action == SQLITE_SELECT || action == SQLITE_RECURSIVE)
        return SQLITE_OK;
    if (action == SQLITE_FUNCTION)
        return b && strcmp(b, "load_extension") != 0 ? SQLITE_OK : SQLITE_DENY;
    if (action != SQLITE_READ || !a)
        return SQLITE_DENY;
    if (view && !database && !is_foreign(arg, a))
        return SQLITE_OK;
    return is_readable(a) ? SQLITE_OK : SQLITE_DENY;
}

static int find_foreign(struct buf *names, struct store *store, struct err *err)
{
    sqlite3_stmt *row = db_query(
        store, "SELECT name FROM main.sqlite_schema WHERE type IN ('table', 'view')", err, "");
    const char *name;
    int rc = 0;

    while (db_next(&rc, store, row, err)) {
        rc = db_read(store, row, err, "s", &name);
        if (!rc && !is_readable(name))
            buf_add(names, name, strlen(name) + 1);
    }
    sqlite3_finalize(row);
    return rc ? -1 : buf_failed(names) ? err_nomem(err, "names of tables", names->size) : 0;
}

/* Prepare a query with the condition `where` (NULL: none), which can read only tables and views of
 * this program. Every err names the condition: the rest of sql is ours. */
static sqlite3_stmt *prepare(struct store *store, const struct buf *sql, const char *where,
                             struct err *err)
{
    struct buf foreign = {0};
    struct err why;
    sqlite3_stmt *row = NULL;

    if (buf_failed(sql))
        err_nomem(err, "query", sql->size);
    else if (!where)
        row = db_query(store, buf_text(sql), err, "");
    else if (!find_foreign(&foreign, store, err)) {
        sqlite3_set_authorizer(store->db, authorize_tables, &foreign);
        row = db_query(store, buf_text(sql), &why, "");
        sqlite3_set_authorizer(store->db, NULL, NULL);
        if (!row && strstr(why.text, "no such column: "))
            err_set(err,
                    "where %s: %s; 'espalier best' shows the columns; put text in quotes, as in "
                    "batch_size = 'full'",
                    where, why.text);
        else if (!row)
            err_set(err, "where %s: %s", where, why.text);
    }
    buf_release(&foreign);
    return row;
}

/* Return all rows of a statement, and finalize it. A condition may contain a query that does not
 * end: the steps that it may take grow with the file's trials. */
static int collect_where(struct result_table *out, struct store *store, sqlite3_stmt *row,
                         const char *where, struct err *err)
{
    struct step_limit limit;
    int64_t n_trials;
    int rc;

    if (!where)
        return query_collect(out, store, row, "", err);
    if (db_integer(&n_trials, store, "SELECT count(*) FROM trial", err, "")) {
        sqlite3_finalize(row);
        return -1;
    }
    limit.calls = CALLS_LEAST + n_trials / TRIALS_A_CALL;
    db_limit_steps(store->db, STEPS_A_CALL, &limit);
    rc = query_collect(out, store, row, "", err);
    sqlite3_progress_handler(store->db, 0, NULL, NULL);
    if (limit.calls >= 0)
        return rc;
    if (!rc)
        result_table_release(out);
    return err_set(err, "where %s: it takes too long and was stopped; simplify the condition",
                   where);
}

/* ---- rows ---- */

static const char sql_axes[] = "SELECT name FROM axis WHERE sweep_id = ?1 ORDER BY ordinal";

static int put_axes(struct buf *sql, struct store *store, int64_t sweep_id, struct err *err)
{
    sqlite3_stmt *row = db_query(store, sql_axes, err, "i", sweep_id);
    const char *name;
    int rc = 0;

    while (db_next(&rc, store, row, err)) {
        rc = db_read(store, row, err, "s", &name);
        if (rc)
            continue;
        buf_putc(sql, ' ');
        db_put_name(sql, name);
        buf_putc(sql, ',');
    }
    sqlite3_finalize(row);
    return rc;
}

/* Places compared with the best: enough for all contenders among 100,000 configurations. */
enum { PLACES_COMPARED = 1000 };

/* Append the mean of each metric that a condition may name, and that is no column of the leaderboard. */
static int put_metrics(struct buf *sql, struct store *store, const struct query_sweep *sweep,
                       const char *where, struct err *err)
{
    struct result_table names;
    struct buf columns = {0};
    int rc = query_table(&names, store, QUERY_METRIC_NAMES, sweep->sweep_id, err);

    if (rc)
        return -1;
    rc = query_columns(&columns, store, err);
    for (int64_t r = 0; !rc && r < names.n_rows; r++) {
        const char *name = result_table_text(&names, r, "metric");

        if (!strcasestr(where, name) || db_has_name(&columns, name))
            continue;
        buf_puts(sql, ", (SELECT avg(m.value) FROM trial AS t JOIN metric AS m USING (trial_id)"
                      " WHERE t.config_id = config AND t.state = 'done' AND ");
        views_put_metric(sql, name);
        buf_puts(sql, ") AS ");
        db_put_name(sql, name);
    }
    buf_release(&columns);
    result_table_release(&names);
    return rc;
}

/* Append a WITH table l, the leaderboard rows that satisfy `where`. last > 0: only the first
 * places, in a fraction of the time. */
static int put_rows(struct buf *sql, struct store *store, const struct query_sweep *sweep,
                    const char *where, int64_t last, struct err *err)
{
    int rc;

    buf_puts(sql, "WITH l AS MATERIALIZED (SELECT place, config,");
    rc = put_axes(sql, store, sweep->sweep_id, err);
    buf_puts(sql, sweep->has_search ? " reached," : "");
    buf_puts(sql,
             " trials, mean, sd, se, diff, diff_se, diff - t95(pairs - 1) * diff_se AS diff_low,"
             " diff + t95(pairs - 1) * diff_se AS diff_high, pairs, within_se, flops, seconds"
             " FROM");
    if (last > 0) {
        buf_puts(sql, " (");
        rc |= views_put_leaderboard(sql, store, false, last, err);
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

/* %s: a condition. */
#define SQL_ALIKE                                                                            \
    ", (SELECT count(mean) FROM l WHERE true%1$s) AS n_scored,"                              \
    " (SELECT count(diff_low) FROM l WHERE place > 1%1$s) AS n_compared,"                    \
    " (SELECT count(*) FROM l WHERE place > 1 AND diff_low <= 0 AND diff_high >= 0%1$s) AS " \
    "n_alike,"                                                                               \
    " (SELECT config FROM (" SQL_1SE " LIMIT 1)) AS one_se"

/* Metrics are looked up only for the shown rows. */
static int put_columns(struct buf *sql, struct store *store, const struct query_sweep *sweep,
                       const struct query_filter *filter, bool has_alike, struct err *err)
{
    int metric = strncmp(sweep->objective, "val_", 4) ? -1 : metric_parse(sweep->objective + 4);
    int rc;

    buf_puts(sql, "SELECT place, config,");
    rc = put_axes(sql, store, sweep->sweep_id, err);
    if (sweep->has_search)
        buf_puts(sql, filter->is_brief ? " coalesce(reached, '') AS reached," : " reached,");
    buf_puts(sql, " trials, mean,");
    if (metric >= 0 && !sweep->is_program && metric_rows[metric].task == TASK_REGRESSION &&
        !(filter->is_brief && !strcmp(sweep->objective, "val_r2")))
        buf_puts(sql, " (SELECT avg(m.value) FROM trial AS t JOIN metric AS m USING (trial_id)"
                      " WHERE t.config_id = config AND t.state = 'done' AND m.split = 'val'"
                      " AND m.name = 'r2') AS val_r2,");
    /* Stopped configurations have scores of fewer epochs or trials. */
    buf_printf(sql, " sd, se, diff,%s diff_low, diff_high, %s, seconds",
               filter->is_brief ? "" : " diff_se,",
               filter->is_brief ? "CASE within_se WHEN 1 THEN '*' WHEN 0 THEN '' END AS within_se"
                                : "pairs, within_se, flops");
    if (has_alike)
        buf_printf(sql, SQL_ALIKE, sweep->has_search ? " AND reached IS NULL" : "");
    buf_puts(sql, " FROM");
    return rc;
}

/* choice: what follows FROM. */
static int choose_rows(struct result_table *out, struct query_alike *alike, struct store *store,
                       const struct query_sweep *sweep, const struct query_filter *filter,
                       int64_t last, const char *choice, struct err *err)
{
    sqlite3_stmt *row = NULL;
    struct buf sql = {0};

    memset(out, 0, sizeof *out);
    if (!put_rows(&sql, store, sweep, filter->where, last, err) &&
        !put_columns(&sql, store, sweep, filter, alike != NULL, err)) {
        buf_puts(&sql, choice);
        row = prepare(store, &sql, filter->where, err);
    }
    buf_release(&sql);
    if (!row)
        return -1;
    sqlite3_bind_int64(row, 1, sweep->sweep_id);
    sqlite3_bind_int64(row, 2, filter->limit);
    if (collect_where(out, store, row, filter->where, err))
        return -1;
    if (!alike)
        return 0;
    *alike = (struct query_alike){0};
    if (out->n_rows) {
        alike->n_scored = result_table_integer(out, 0, "n_scored");
        alike->n_compared = result_table_integer(out, 0, "n_compared");
        alike->n_alike = result_table_integer(out, 0, "n_alike");
        /* with all rows, not a limited number */
        alike->one_se = last == 0 ? result_table_integer(out, 0, "one_se") : 0;
    }
    result_table_drop_last(out, 4);
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
    const char *direction = settings_usual_direction(metric);
    struct result_table names;
    struct buf all = {0};
    bool has = false;
    int rc = 0;

    if (query_table(&names, store, QUERY_METRIC_NAMES, sweep->sweep_id, err))
        return -1;
    for (int64_t r = 0; r < names.n_rows; r++) {
        const char *name = result_table_text(&names, r, "metric");

        buf_printf(&all, "%s%s", all.size ? ", " : "", name);
        has |= !strcmp(name, metric);
    }
    result_table_release(&names);
    if (!strncmp(metric, "test_", 5))
        rc = err_set(err, "--objective %s: the test part must not choose", metric);
    else if (!has)
        rc = err_set(err, "--objective %s: no trial of sweep '%s' has this metric; they have: %s",
                     metric, sweep->name, all.size ? buf_text(&all) : "none");
    buf_release(&all);
    if (rc)
        return -1;
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
        row = prepare(store, &sql, where, err);
    }
    buf_release(&sql);
    sqlite3_finalize(row);
    return row ? 0 : -1;
}

int query_columns(struct buf *out, struct store *store, struct err *err)
{
    sqlite3_stmt *row = db_query(store, "SELECT * FROM leaderboard", err, "");

    if (!row)
        return -1;
    for (int c = 0; c < sqlite3_column_count(row); c++)
        buf_add(out, sqlite3_column_name(row, c), strlen(sqlite3_column_name(row, c)) + 1);
    buf_add(out, "diff_low\0diff_high", sizeof "diff_low\0diff_high");
    sqlite3_finalize(row);
    return buf_failed(out) ? err_nomem(err, "columns", out->size) : 0;
}

enum query_rule query_rule_parse(const char *name)
{
    assert(!strcmp(name, "best") || !strcmp(name, "1se"));
    return strcmp(name, "best") ? QUERY_RULE_1SE : QUERY_RULE_BEST;
}

const char *query_rule_words(enum query_rule rule)
{
    return rule == QUERY_RULE_BEST ? "the best"
                                   : "the cheapest within one standard error of the best";
}

static bool is_scored(const struct result_table *table)
{
    return table->n_rows && !isnan(result_table_real(table, 0, "mean")) &&
           result_table_integer(table, 0, "trials") > 0;
}

/* Report why there is no choice. first: the first row of the leaderboard, or none. */
static int no_choice(const struct result_table *first, struct store *store,
                     const struct query_sweep *sweep, const char *where, struct err *err)
{
    static const char lost[] = ": no trial is left to run, and none has a score; 'espalier status' "
                               "lists the reasons";
    struct progress_counts now;
    struct err ignored;
    bool is_over;

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
    is_over = !progress_count(&now, store, sweep, &ignored) && now.trials &&
              now.done + now.diverged + now.failed + now.stopped == now.planned;
    return err_set(err, "%s: sweep '%s' has no finished configuration%s%s", store->path,
                   sweep->name,
                   where     ? " where "
                   : is_over ? lost
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
