/* SPDX-License-Identifier: BSD-3-Clause */
/* Sessions, attempts and failures of a sweep. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/sweep/sweep_read.h"

const char *const sweep_outcome_names[SWEEP_N_OUTCOMES] = {
    [SWEEP_DONE] = "done",       [SWEEP_DIVERGED] = "diverged", [SWEEP_FAILED] = "failed",
    [SWEEP_STOPPED] = "stopped", [SWEEP_CRASHED] = "crashed",   [SWEEP_LOST] = "lost",
    [SWEEP_RUNNING] = "running",
};

/* ---- sessions ---- */

/* Sessions ascend in both. */
static int read_sessions(struct sweep_data *data, struct store *store, struct err *err)
{
    struct query_efficiency *of;
    int64_t n, at = 0;
    int32_t busy = 0;

    if (query_table(&data->sessions, store, QUERY_SWEEP_SESSIONS, data->sweep_id, err) ||
        query_efficiency(&of, &n, store, -1, err))
        return -1;
    while (strcmp(data->sessions.names[busy], "busy") != 0)
        busy++;
    for (int64_t r = 0; r < data->sessions.n_rows; r++) {
        int64_t session = result_table_integer(&data->sessions, r, "session");

        while (at < n && of[at].session < session)
            at++;
        if (at < n && of[at].session == session)
            data->sessions.cells[r * data->sessions.n_cols + busy] =
                (struct cell){.type = CELL_REAL, .f = of[at].busy};
    }
    free(of);
    return 0;
}

/* ---- ranks and attempts ---- */

static int compare_ranks(const void *a, const void *b)
{
    const struct sweep_rank *x = a, *y = b;

    if (x->session != y->session)
        return x->session < y->session ? -1 : 1;
    return x->rank != y->rank ? (x->rank > y->rank) - (x->rank < y->rank)
                              : strcmp(x->host, y->host);
}

/* host: borrowed from the table. */
static struct sweep_rank rank_of(const struct result_table *rows, int64_t r)
{
    return (struct sweep_rank){
        .session = result_table_integer(rows, r, "session"),
        .rank = (int32_t)result_table_integer(rows, r, "rank"),
        .host = result_table_text(rows, r, "host"),
    };
}

static int take_ranks(struct sweep_data *data, const struct result_table *rows, struct err *err)
{
    struct sweep_rank *ranks = sweep_take(data, (size_t)rows->n_rows, sizeof *ranks, err);
    int32_t n = 0;

    if (!ranks)
        return -1;
    for (int64_t r = 0; r < rows->n_rows; r++)
        ranks[r] = rank_of(rows, r);
    qsort(ranks, (size_t)rows->n_rows, sizeof *ranks, compare_ranks);
    for (int64_t r = 0; r < rows->n_rows; r++)
        if (!n || compare_ranks(&ranks[n - 1], &ranks[r]) != 0)
            ranks[n++] = ranks[r];
    for (int32_t i = 0; i < n; i++) {
        ranks[i].host = sweep_copy(data, ranks[i].host, err);
        if (!ranks[i].host)
            return -1;
    }
    data->ranks = ranks;
    data->n_ranks = n;
    return 0;
}

/* The schema allows no other outcome. */
static enum sweep_outcome outcome_of(const char *name)
{
    int outcome = 0;

    while (outcome < SWEEP_RUNNING && strcmp(sweep_outcome_names[outcome], name) != 0)
        outcome++;
    return (enum sweep_outcome)outcome;
}

static int compare_starts(const void *a, const void *b)
{
    const struct sweep_attempt *x = a, *y = b;

    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return (x->trial > y->trial) - (x->trial < y->trial);
}

static int take_attempts(struct sweep_data *data, const struct result_table *rows, struct err *err)
{
    int64_t n = rows->n_rows;

    data->attempts = sweep_take(data, (size_t)n, sizeof *data->attempts, err);
    if (!data->attempts)
        return -1;
    data->t0 = INFINITY;
    for (int64_t r = 0; r < n; r++)
        data->t0 = fmin(data->t0, result_table_real(rows, r, "started"));
    for (int64_t r = 0; r < n; r++) {
        struct sweep_rank wanted = rank_of(rows, r);
        const struct sweep_rank *rank =
            bsearch(&wanted, data->ranks, (size_t)data->n_ranks, sizeof wanted, compare_ranks);

        data->attempts[r] = (struct sweep_attempt){
            .trial = result_table_integer(rows, r, "trial"),
            .config = result_table_integer(rows, r, "config"),
            .rank = (int32_t)(rank - data->ranks),
            .start = result_table_real(rows, r, "started") - data->t0,
            .end = result_table_real(rows, r, "finished") - data->t0,
            .outcome = outcome_of(result_table_text(rows, r, "outcome")),
        };
    }
    qsort(data->attempts, (size_t)n, sizeof *data->attempts, compare_starts);
    data->n_attempts = (int32_t)n;
    data->n_attempts_left_out = n ? result_table_integer(rows, 0, "attempts") - n : 0;
    return 0;
}

static int take_all_attempts(struct sweep_data *data, const struct result_table *rows,
                             struct err *err)
{
    return take_ranks(data, rows, err) || take_attempts(data, rows, err) ? -1 : 0;
}

static int read_table(struct sweep_data *data, struct store *store, enum query query, int64_t of,
                      int (*take)(struct sweep_data *data, const struct result_table *rows,
                                  struct err *err),
                      struct err *err)
{
    struct result_table rows;
    int rc;

    if (query_table(&rows, store, query, of, err))
        return -1;
    rc = take(data, &rows, err);
    result_table_release(&rows);
    return rc;
}

int sweep_read_history(struct sweep_data *data, struct store *store, struct err *err)
{
    int64_t id = data->sweep_id;

    return read_sessions(data, store, err) ||
                   query_table(&data->failures, store, QUERY_FAILURES, id, err) ||
                   read_table(data, store, QUERY_SWEEP_ATTEMPTS, id, take_all_attempts, err) ||
                   read_table(data, store, QUERY_DATA_FACTS, id, sweep_take_facts, err)
               ? -1
               : 0;
}
