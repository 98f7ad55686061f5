/* SPDX-License-Identifier: BSD-3-Clause */
/* Sessions, attempts and failures of a sweep. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/sweep/sweep_read.h"
#include "store/query/progress.h"

const char *const sweep_outcome_names[SWEEP_N_OUTCOMES] = {
    [SWEEP_DONE] = "done",     [SWEEP_HELD] = "held",       [SWEEP_DIVERGED] = "diverged",
    [SWEEP_FAILED] = "failed", [SWEEP_STOPPED] = "stopped", [SWEEP_CRASHED] = "crashed",
    [SWEEP_LOST] = "lost",     [SWEEP_RUNNING] = "running",
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

static int take_attempts(struct sweep_data *data, const struct result_table *rows, struct err *err)
{
    size_t n = (size_t)rows->n_rows;

    data->attempts = sweep_take(data, n, sizeof *data->attempts, err);
    data->ranks = sweep_take(data, n, sizeof *data->ranks, err);
    if (!data->attempts || !data->ranks)
        return -1;
    data->t0 = n ? result_table_real(rows, 0, "started") : INFINITY;
    data->n_attempts_left_out = n ? result_table_integer(rows, 0, "attempts") - rows->n_rows : 0;
    data->n_attempts = (int32_t)n;
    for (int32_t r = 0; r < data->n_attempts; r++) {
        int32_t place = (int32_t)result_table_integer(rows, r, "place");
        struct sweep_rank *rank = &data->ranks[place];
        enum sweep_outcome outcome = 0;

        while (outcome < SWEEP_RUNNING && /* the schema allows no other */
               strcmp(sweep_outcome_names[outcome], result_table_text(rows, r, "outcome")) != 0)
            outcome++;
        data->attempts[r] = (struct sweep_attempt){
            .trial = result_table_integer(rows, r, "trial"),
            .config = result_table_integer(rows, r, "config"),
            .rank = place,
            .start = result_table_real(rows, r, "started") - data->t0,
            .end = result_table_real(rows, r, "finished") - data->t0,
            .outcome = outcome,
        };
        if (rank->host)
            continue;
        rank->session = result_table_integer(rows, r, "session");
        rank->rank = (int32_t)result_table_integer(rows, r, "rank");
        rank->host = sweep_copy_cell(data, rows, r, "host", err);
        if (!rank->host)
            return -1;
        data->n_ranks++;
    }
    return 0;
}

int sweep_read_history(struct sweep_data *data, struct store *store, struct err *err)
{
    int64_t id = data->sweep_id;

    return read_sessions(data, store, err) ||
                   query_table(&data->failures, store, QUERY_FAILURES, id, err) ||
                   sweep_read_table(data, store, QUERY_SWEEP_ATTEMPTS, id, take_attempts, err) ||
                   sweep_read_table(data, store, QUERY_DATA_FACTS, id, sweep_take_facts, err)
               ? -1
               : 0;
}
