/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums over the attempts of a session, in a tenth of the time of GROUP BY. All ranks of an attempt
 * are busy in it, and the one that it names counts its trial. */
#include <stdlib.h>
#include <string.h>

#include "store/db.h"
#include "store/query/query.h"

static const char sql_attempts[] = "SELECT rank, host, outcome, max(0, finished - started)"
                                   " FROM attempt WHERE session_id ="
                                   " (SELECT max(session_id) FROM session)";
enum { RANK, HOST, OUTCOME, SECONDS };
/* The columns of sql_attempts; outcome: none. */
static const char sql_members[] =
    "SELECT m.rank, m.host, '', max(0, finished - started)"
    " FROM member AS m CROSS JOIN attempt AS a USING (attempt_id) WHERE session_id ="
    " (SELECT max(session_id) FROM session) AND m.rank <> a.rank";
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

static int add_rows(struct worker_sums *sums, struct store *store, const char *sql, struct err *err)
{
    sqlite3_stmt *row = db_prepare(store, sql, err);
    int rc = row ? 1 : -1;

    while (rc == 1 && (rc = db_step(store, row, err)) == 1)
        if (add_attempt(sums, row))
            rc = err_nomem(err, "ranks", sums->n * sizeof *sums->of);
    sqlite3_finalize(row);
    return rc;
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
    struct worker_sums sums = {0};
    int rc = add_rows(&sums, store, sql_attempts, err) || add_rows(&sums, store, sql_members, err)
                 ? -1
                 : 0;

    memset(out, 0, sizeof *out);
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
