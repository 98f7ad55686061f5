/* SPDX-License-Identifier: BSD-3-Clause */
#include "store/query.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "gcn/metric.h"
#include "store/db.h"
#include "store/expression.h"
#include "store/lock.h"
#include "store/result_table.h"
#include "store/sql.h"
#include "store/store.h"

static const char sql_attempts[] = "SELECT rank, host, outcome, max(0, finished - started)"
                                   " FROM attempt WHERE session_id ="
                                   " (SELECT max(session_id) FROM session)";
enum { RANK, HOST, OUTCOME, SECONDS };
static const char *const worker_columns[] = {"rank",   "host",     "trials",
                                             "busy_s", "diverged", "failed"};
enum { COLUMNS = sizeof worker_columns / sizeof *worker_columns };

struct worker_sum {
    int64_t rank;
    char *host;
    int64_t trials, diverged, failed;
    double busy_s;
    bool has_ended;
};

struct worker_sums {
    struct worker_sum *of; /* [n] sorted by rank and host */
    size_t n, capacity, last;
};

static int compare(const struct worker_sum *a, int64_t rank, const char *host)
{
    return a->rank != rank ? (a->rank > rank) - (a->rank < rank) : strcmp(a->host, host);
}

static size_t place_of(const struct worker_sums *sums, int64_t rank, const char *host)
{
    size_t low = 0, high = sums->n;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (compare(&sums->of[middle], rank, host) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Results come in groups of one rank, so try the last sum first. */
static struct worker_sum *sum_of(struct worker_sums *sums, int64_t rank, const char *host)
{
    size_t at = sums->last;

    if (at < sums->n && !compare(&sums->of[at], rank, host))
        return &sums->of[at];
    at = sums->last = place_of(sums, rank, host);
    if (at < sums->n && !compare(&sums->of[at], rank, host))
        return &sums->of[at];
    if (sums->n == sums->capacity) {
        size_t capacity = 2 * sums->capacity + 8;
        struct worker_sum *grown = realloc(sums->of, capacity * sizeof *grown);

        if (!grown)
            return NULL;
        sums->of = grown;
        sums->capacity = capacity;
    }
    memmove(&sums->of[at + 1], &sums->of[at], (sums->n - at) * sizeof *sums->of);
    sums->of[at] = (struct worker_sum){.rank = rank, .host = strdup(host)};
    sums->n++;
    return sums->of[at].host ? &sums->of[at] : NULL;
}

static const char *text_of(sqlite3_stmt *row, int column)
{
    const char *text = (const char *)sqlite3_column_text(row, column);

    return text ? text : "";
}

static int add_attempt(struct worker_sums *sums, sqlite3_stmt *row)
{
    struct worker_sum *sum = sum_of(sums, sqlite3_column_int64(row, RANK), text_of(row, HOST));
    int state = trial_state_parse(text_of(row, OUTCOME));

    if (!sum)
        return -1;
    sum->has_ended |= sqlite3_column_type(row, SECONDS) != SQLITE_NULL;
    sum->trials += state == TRIAL_DONE || state == TRIAL_DIVERGED || state == TRIAL_FAILED;
    sum->diverged += state == TRIAL_DIVERGED;
    sum->failed += state == TRIAL_FAILED;
    sum->busy_s += sqlite3_column_double(row, SECONDS); /* NULL (open) reads as 0 */
    return 0;
}

static void fill_row(struct cell *row, struct worker_sum *sum)
{
    row[0] = (struct cell){.type = CELL_INTEGER, .i = sum->rank};
    row[1] = (struct cell){.type = CELL_TEXT, .s = sum->host};
    row[2] = (struct cell){.type = CELL_INTEGER, .i = sum->trials};
    row[3] = (struct cell){.type = sum->has_ended ? CELL_REAL : CELL_NULL, .f = sum->busy_s};
    row[4] = (struct cell){.type = CELL_INTEGER, .i = sum->diverged};
    row[5] = (struct cell){.type = CELL_INTEGER, .i = sum->failed};
    sum->host = NULL; /* handed over */
}

static int fill(struct result_table *out, struct worker_sums *sums, struct err *err)
{
    out->names = calloc(COLUMNS, sizeof *out->names);
    out->cells = calloc(sums->n * COLUMNS + 1, sizeof *out->cells);
    if (out->names && out->cells) {
        out->n_cols = COLUMNS;
        for (size_t i = 0; i < sums->n; i++)
            fill_row(&out->cells[COLUMNS * out->n_rows++], &sums->of[i]);
        for (int c = 0; c < COLUMNS; c++) {
            out->names[c] = strdup(worker_columns[c]);
            if (!out->names[c])
                break;
        }
        if (out->names[COLUMNS - 1])
            return 0;
    }
    result_table_release(out);
    return err_nomem(err, "answer", sums->n * COLUMNS * sizeof *out->cells);
}

static void release_workers(struct worker_sums *sums)
{
    for (size_t i = 0; i < sums->n; i++)
        free(sums->of[i].host);
    free(sums->of);
}

int query_workers(struct result_table *out, struct store *store, struct err *err)
{
    sqlite3_stmt *row = db_prepare(store, sql_attempts, err);
    struct worker_sums sums = {0};
    int rc = row ? 1 : -1;

    memset(out, 0, sizeof *out);
    while (rc == 1 && (rc = db_step(store, row, err)) == 1)
        if (add_attempt(&sums, row))
            rc = err_nomem(err, "ranks", sums.n * sizeof *sums.of);
    sqlite3_finalize(row);
    if (!rc)
        rc = fill(out, &sums, err);
    release_workers(&sums);
    return rc;
}

static const char sql_results[] =
    "SELECT attempt.finished - session.started FROM session CROSS JOIN attempt USING (session_id)"
    " WHERE session_id = ?1 AND attempt.outcome IN ('done', 'diverged', 'failed')";

/* GROUP BY in SQL takes three times as long, since it sorts. */
int query_throughput(int64_t *counts, int32_t n, struct store *store, int64_t session_id,
                     double seconds, struct err *err)
{
    sqlite3_stmt *row = db_prepare(store, sql_results, err);
    int rc = row ? 1 : -1;

    if (row)
        sqlite3_bind_int64(row, 1, session_id);
    while (rc == 1 && (rc = db_step(store, row, err)) == 1) {
        double at = n * sqlite3_column_double(row, 0) / seconds;

        /* NaN is neither */
        counts[at >= n - 1 ? n - 1 : at > 0 ? (int32_t)at : 0]++;
    }
    sqlite3_finalize(row);
    return rc;
}

/* Other programs may write errors of any length. */
#define QUERY_ERROR "coalesce(substr(error, 1, 1000), '')"
#define QUERY_STATES                                                      \
    "count(*) AS trials, count(*) FILTER (WHERE state = 'done') AS done," \
    " count(*) FILTER (WHERE state = 'diverged') AS diverged,"            \
    " count(*) FILTER (WHERE state = 'failed') AS failed,"                \
    " count(*) FILTER (WHERE state = 'running') AS running,"              \
    " count(*) FILTER (WHERE state = 'pending') AS pending"

/* A column with the seconds of a phase of the trial `t`. */
#define QUERY_PHASE(id, name)                                                                 \
    ", (SELECT p.seconds FROM timing AS p WHERE p.trial_id = t.trial_id AND p.phase = '" name \
    "') AS " name
/* Counters of the session ?1: t has the rows, w the seconds and ranks of the session. */
#define QUERY_TRAINS "activity IN ('compute', 'idle')"
#define QUERY_TRAFFIC                                                                 \
    "t AS MATERIALIZED (SELECT * FROM traffic WHERE session_id = ?1),"                \
    " w AS MATERIALIZED (SELECT nullif((SELECT sum(seconds) FROM t WHERE rank = 0"    \
    " AND NOT " QUERY_TRAINS "), 0) AS whole, nullif(ranks, 0) AS ranks FROM session" \
    " WHERE session_id = ?1) "
#define QUERY_SHARE(name)                                                                  \
    " coalesce(round(100 * sum(seconds) FILTER (WHERE activity = '" name "') / whole, 1)," \
    " 0.0) AS \"" name "\""
#define QUERY_ACTIVITY_ORDER \
    "instr('compute idle start store commit schedule send receive poll wait', activity)"

/* One pass through the index takes a quarter of the time for a million trials. */
#define QUERY_SCORED                                                                       \
    "scored AS MATERIALIZED (SELECT config_id, count(value) AS trials, avg(value) AS mean" \
    " FROM trial WHERE state = 'done' GROUP BY config_id HAVING count(value) > 0)"

static const char *const query_sql[QUERY_COUNT] = {
#define QUERY_SQL(id, sql) sql,
    QUERY_TABLE(QUERY_SQL)
#undef QUERY_SQL
};

#define QUERY_PHASE_TYPE(id, name) " " name ":R"

/* Columns that code reads, with letters of db_check_row(). Others are shown unchecked. */
static const char *const query_types[QUERY_COUNT] = {
    [QUERY_FILES] = "file:s ini:s",
    [QUERY_SWEEPS] = "sweep:s configs:i trials:i done:i diverged:i failed:i running:i pending:i",
    [QUERY_INCOMPLETE] = "sweep:s trials:i planned:i",
    [QUERY_BEST] = "config:i mean:R",
    [QUERY_PROGRESS] = "trials:i done:i unfinished:i undefined:i",
    [QUERY_REPEATS] = "folds:i replicates:i",
    [QUERY_SCORES] = "config:i trials:i mean:R",
    [QUERY_SESSION] = "session:i outcome:s command:s host:s pid:i ranks:i",
    [QUERY_REASONS] = "state:t trials:i reason:s",
    [QUERY_LAST_SESSION] = "session:i outcome:s job:s command:s ranks:n seconds:r",
    [QUERY_RANKS] = "rank:n host:s outcome:s trial:i config:i seconds:R",
    [QUERY_WORK] = "done_flops:R left_flops:R",
    [QUERY_PROFILE] =
        "session:i outcome:s command:s ranks:i counted:i seconds:R messages:i bytes:i",
    [QUERY_LEFT] = "pending:i left_s:R",
    [QUERY_EFFICIENCY] = "session:i ranks:i trials:i",
    [QUERY_TRACE_SESSIONS] = "session:i command:s version:s host:s ranks:n outcome:s started:r"
                             " finished:R first:r last:r",
    [QUERY_TRACE_ATTEMPTS] = "attempt:i trial:i config:i sweep:s replicate:n fold:n session:I"
                             " rank:n host:s pid:i started:r finished:R outcome:s error:S value:R"
                             " number:i is_result:I" TRIAL_PHASE_TABLE(QUERY_PHASE_TYPE),
    [QUERY_SETTING_NAMES] = "setting:s words:i",
    [QUERY_METRIC_NAMES] = "split:s name:s",
    [QUERY_BOARD_TRIALS] = "trial:i config:i replicate:n fold:n state:t best_epoch:N started:r"
                           " finished:R",
    [QUERY_CONFIG_HPARAMS] = "setting:s text:S",
    [QUERY_CONFIG_TRIALS] = "trial:i replicate:n fold:n state:t",
    [QUERY_CONFIG_MODELS] = "trial:i",
    [QUERY_TRIAL_RECORD] = "sweep_id:i name:s objective:s data_digest:s config_id:i replicate:n"
                           " fold:n key:s state:t value:R epochs_run:N best_epoch:N",
    [QUERY_DONE] = "trial_id:i config_id:i",
    [QUERY_PREDICTIONS] = "trial:i replicate:n fold:n sample:n id:s sample_group:S"
                          " probabilities:S scores:S",
    [QUERY_CLASS_SCORES] = "trial:i sample:i class:s",
    [QUERY_DATA_FACTS] = "topic:s ordinal:i name:s",
    [QUERY_TRIAL_METRICS] = "metric:s train:R val:R stop:R",
    [QUERY_TRIAL_CURVE] = "epoch:i train_loss:R val_loss:R val_value:R seconds:r",
    [QUERY_MODELS_MISSING] = "trial:i config:i value:R is_best:i",
    [QUERY_PREDICTABLE] = "trial:i config:i epoch_s:R is_stored:i",
    [QUERY_WITH_MODELS] = "trial:i",
    [QUERY_LEVELS] = "axis:s",
    [QUERY_SWEEP_RECORD] = "direction:s task:s file:s ini:s data_digest:s samples:i features:i"
                           " classes:i planned:I created:r updated:r share:r",
    [QUERY_SWEEP_TYPES] = "config:i type:s",
    [QUERY_SWEEP_VALUES] = "config:i replicate:n fold:n value:R epochs:R",
    [QUERY_SWEEP_FAILURES] = "state:t trials:i example:i reason:s",
    [QUERY_SWEEP_SESSIONS] = "session:i started:r finished:R outcome:s ranks:n host:s command:s"
                             " version:s cpu:s job:s",
    [QUERY_SWEEP_ATTEMPTS] = "trial:i config:i session:i rank:n host:s started:r finished:R"
                             " outcome:s attempts:i",
    [QUERY_CONFIG_CURVES] = "trial:i replicate:n fold:n best_epoch:n epoch:n train_loss:R"
                            " val_loss:R val_value:R",
};

static const char sql_sweep[] = "SELECT sweep_id, name, objective, (SELECT count(*) FROM sweep)"
                                " FROM sweep WHERE ?1 IS NULL OR name = ?1"
                                " ORDER BY updated DESC, sweep_id DESC LIMIT 1";
static const char sql_sweep_names[] = "SELECT group_concat(name, ', ') FROM"
                                      " (SELECT name FROM sweep ORDER BY sweep_id)";
static const char sql_axes[] = "SELECT name FROM axis WHERE sweep_id = ?1 ORDER BY ordinal";
static int read_cell(struct cell *cell, sqlite3_stmt *row, int c)
{
    db_view_cell(cell, row, c);
    if (cell->type != CELL_TEXT)
        return 0;
    cell->s = strdup(cell->s);
    if (!cell->s)
        cell->type = CELL_NULL;
    return cell->s ? 0 : -1;
}

static int add_row(struct result_table *out, int64_t *capacity, sqlite3_stmt *row)
{
    struct cell *grown;
    int rc = 0;

    if (out->n_rows == *capacity) {
        *capacity = *capacity ? 2 * *capacity : 64;
        grown = realloc(out->cells, (size_t)(*capacity * out->n_cols) * sizeof *grown);
        if (!grown)
            return -1;
        out->cells = grown;
    }
    for (int c = 0; c < out->n_cols; c++)
        rc |= read_cell(&out->cells[out->n_rows * out->n_cols + c], row, c);
    out->n_rows++;
    return rc;
}

static char type_of(const char *types, const char *column)
{
    size_t n = strlen(column);

    for (const char *p = types; *p; p += strcspn(p, " "), p += strspn(p, " "))
        if (!strncmp(p, column, n) && p[n] == ':')
            return p[n + 1];
    return '?';
}

enum { TYPED_COLUMNS = 31 };

/* Order the letters of a row of query_types like the columns. */
static void order_types(char out[TYPED_COLUMNS + 1], const struct result_table *table,
                        const char *types)
{
    int32_t n = *types ? table->n_cols : 0, n_missing = 0;

    assert(n <= TYPED_COLUMNS);
    for (const char *p = types; *p; p++)
        n_missing += *p == ':';
    for (int32_t c = 0; c < n; c++) {
        out[c] = type_of(types, table->names[c]);
        n_missing -= out[c] != '?';
    }
    out[n] = '\0';
    assert(!n_missing);
}

static int collect(struct result_table *out, struct store *store, sqlite3_stmt *row,
                   const char *columns, struct err *err)
{
    char types[TYPED_COLUMNS + 1];
    int64_t capacity = 0;
    int rc = db_column_names(out, row);
    bool is_short = rc != 0;

    if (!is_short)
        order_types(types, out, columns);
    while (!is_short && rc >= 0 && (rc = db_step(store, row, err)) == 1) {
        rc = db_check_row(store, row, types, err);
        is_short = !rc && add_row(out, &capacity, row) != 0;
    }
    sqlite3_finalize(row);
    if (is_short)
        rc = err_nomem(err, "answer", (size_t)(capacity * out->n_cols) * sizeof *out->cells);
    if (rc)
        result_table_release(out);
    return rc;
}

static sqlite3_stmt *prepare_id(struct store *store, const char *sql, int64_t id, struct err *err)
{
    sqlite3_stmt *row = db_prepare(store, sql, err);

    if (row && sqlite3_bind_parameter_count(row))
        sqlite3_bind_int64(row, 1, id);
    return row;
}

int query_table(struct result_table *out, struct store *store, enum query query, int64_t id,
                struct err *err)
{
    sqlite3_stmt *row = prepare_id(store, query_sql[query], id, err);

    memset(out, 0, sizeof *out);
    return row ? collect(out, store, row, query_types[query] ? query_types[query] : "", err) : -1;
}

static int each_row(struct store *store, sqlite3_stmt *statement, const char *types,
                    int (*row)(void *arg, const struct result_table *row, struct err *err),
                    void *arg, struct result_table *view, struct err *err)
{
    int rc;

    while ((rc = db_step(store, statement, err)) == 1) {
        if (db_check_row(store, statement, types, err))
            return -1;
        for (int c = 0; c < view->n_cols; c++)
            db_view_cell(&view->cells[c], statement, c);
        if (row(arg, view, err))
            return -1;
    }
    return rc;
}

int query_each(struct store *store, enum query query, int64_t id,
               int (*row)(void *arg, const struct result_table *row, struct err *err), void *arg,
               struct err *err)
{
    sqlite3_stmt *statement = prepare_id(store, query_sql[query], id, err);
    struct result_table view = {0};
    char types[TYPED_COLUMNS + 1];
    int rc = -1;

    if (!statement)
        return -1;
    if (!db_column_names(&view, statement))
        view.cells = calloc((size_t)view.n_cols + 1, sizeof *view.cells);
    if (view.cells) {
        order_types(types, &view, query_types[query] ? query_types[query] : "");
        view.n_rows = 1;
        rc = each_row(store, statement, types, row, arg, &view, err);
    } else {
        err_nomem(err, "answer", sizeof *view.cells);
    }
    view.n_rows = 0; /* the table does not own the texts */
    result_table_release(&view);
    sqlite3_finalize(statement);
    return rc;
}

static void find_nearest_sweep(struct nearest *nearest, struct store *store)
{
    struct result_table table;

    if (query_table(&table, store, QUERY_SWEEP_NAMES, 0, NULL))
        return;
    for (int64_t r = 0; r < table.n_rows; r++)
        nearest_offer(nearest, result_table_text(&table, r, "name"));
    result_table_release(&table);
}

static int no_such_sweep(struct store *store, const char *name, struct err *err)
{
    sqlite3_stmt *row = db_prepare(store, sql_sweep_names, err);
    const char *names = NULL;
    struct nearest nearest = {.wrong = name};
    char hint[NEAREST_HINT];

    if (!row)
        return -1;
    if (db_step(store, row, err) == 1 && db_read(store, row, NULL, "S", &names))
        names = NULL;
    if (!names)
        err_set(err, "%s: no sweep in it yet; run 'espalier run' first", store->path);
    else {
        find_nearest_sweep(&nearest, store);
        err_set(err, "%s: no sweep '%s' in it; its sweeps are: %s%s", store->path, name, names,
                nearest_hint(hint, "'", nearest.best, "'", ""));
    }
    sqlite3_finalize(row);
    return -1;
}

int query_sweep(struct query_sweep *sweep, struct store *store, const char *name, struct err *err)
{
    sqlite3_stmt *row = db_prepare(store, sql_sweep, err);
    const char *its_name, *objective;
    int rc;

    if (!row)
        return -1;
    sqlite3_bind_text(row, 1, name, -1, SQLITE_STATIC);
    rc = db_step(store, row, err);
    if (rc == 1 &&
        db_read(store, row, err, "issi", &sweep->sweep_id, &its_name, &objective, &sweep->n_sweeps))
        rc = -1;
    if (rc == 1) {
        snprintf(sweep->name, sizeof sweep->name, "%s", its_name);
        snprintf(sweep->objective, sizeof sweep->objective, "%s", objective);
    }
    sqlite3_finalize(row);
    return rc == 1 ? 0 : rc < 0 ? -1 : no_such_sweep(store, name, err);
}

static int put_axes(struct buf *sql, struct store *store, int64_t sweep_id, struct err *err)
{
    sqlite3_stmt *row = prepare_id(store, sql_axes, sweep_id, err);
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

/* Like collect(), but stop a query whose condition takes too long. */
static int collect_where(struct result_table *out, struct store *store, sqlite3_stmt *row,
                         const char *where, struct err *err)
{
    struct expression_limit limit;
    int rc;

    if (!where)
        return collect(out, store, row, "", err);
    if (expression_begin(&limit, store, err)) {
        sqlite3_finalize(row);
        return -1;
    }
    rc = collect(out, store, row, "", err);
    return expression_end(&limit, store, where, err) ? -1 : rc;
}

/* Places compared with the best: enough for all contenders among 100,000 configurations. */
enum { PLACES_COMPARED = 1000 };

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
        buf_puts(sql, " leaderboard WHERE true");
    }
    buf_printf(sql, " AND sweep = (SELECT name FROM sweep WHERE sweep_id = ?1) AND (%s\n)) ",
               where ? where : "true");
    return rc;
}

static bool is_regression(const struct query_sweep *sweep)
{
    int metric = strncmp(sweep->objective, "val_", 4) ? -1 : metric_parse(sweep->objective + 4);

    return metric >= 0 && metric_task((enum metric)metric) == TASK_REGRESSION;
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
                    " AS n_alike"
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
        row = expression_prepare(store, buf_text(sql), where, err);
    buf_release(sql);
    if (!row)
        return -1;
    sqlite3_bind_int64(row, 1, sweep->sweep_id);
    sqlite3_bind_int64(row, 2, limit);
    return collect_where(out, store, row, where, err);
}

static void take_alike(struct query_alike *alike, struct result_table *table)
{
    *alike = (struct query_alike){0};
    if (table->n_rows) {
        alike->n_scored = result_table_integer(table, 0, "n_scored");
        alike->n_compared = result_table_integer(table, 0, "n_compared");
        alike->n_alike = result_table_integer(table, 0, "n_alike");
    }
    for (int i = 0; i < 3; i++)
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
        take_alike(alike, out);
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

int query_compare_with(struct store *store, int64_t config_id, struct err *err)
{
    store->reference = config_id;
    return db_exec(store, "PRAGMA query_only = off", err) || views_for_reading(store, err) ||
                   db_exec(store, "PRAGMA query_only = on", err)
               ? -1
               : 0;
}

int query_check_where(struct store *store, const struct query_sweep *sweep, const char *where,
                      struct err *err)
{
    sqlite3_stmt *row = NULL;
    struct buf sql = {0};

    if (!put_rows(&sql, store, sweep, where, 0, err)) {
        buf_puts(&sql, "SELECT place FROM l");
        row = buf_failed(&sql) ? NULL : expression_prepare(store, buf_text(&sql), where, err);
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

/* Report why there is no choice. first: the first row of the leaderboard, or none. */
static int no_choice(const struct result_table *first, struct store *store,
                     const struct query_sweep *sweep, const char *where, struct err *err)
{
    if (is_scored(first))
        return err_set(err,
                       "%s: sweep '%s': no standard error for --rule 1se: c%lld has one trial; "
                       "replicates or folds give more",
                       store->path, sweep->name,
                       (long long)result_table_integer(first, 0, "config"));
    return err_set(err, "%s: sweep '%s' has no finished configuration%s%s", store->path,
                   sweep->name, where ? " where " : " yet", where ? where : "");
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

bool query_parse_id(int64_t *id, const char *text, char letter)
{
    const char *digits = text + (*text == letter);
    char *end;

    errno = 0;
    *id = strtoll(digits, &end, 10);
    return !errno && end != digits && !*end && *id > 0;
}
