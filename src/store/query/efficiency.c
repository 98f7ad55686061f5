/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>

#include "store/query/query.h"

/* The rows of one session, one for each width. */
struct session_rows {
    const struct result_table *rows;
    int64_t first, end;
};

static double real(const struct session_rows *of, int64_t row, const char *column)
{
    return result_table_real(of->rows, row, column);
}

static int64_t sum(const struct session_rows *of, const char *column)
{
    int64_t n = 0;

    for (int64_t row = of->first; row < of->end; row++)
        n += result_table_integer(of->rows, row, column);
    return n;
}

/* work: scratch, a place for each row. */
static void compute(struct query_efficiency *e, const struct session_rows *of,
                    struct makespan_work *work)
{
    double began = INFINITY, ended = -INFINITY;

    *e = (struct query_efficiency){.session = result_table_integer(of->rows, of->first, "session"),
                                   .ranks = result_table_integer(of->rows, of->first, "ranks"),
                                   .trials = sum(of, "trials")};
    e->ranks = e->ranks > 1 ? e->ranks : 1; /* the file may be damaged */
    for (int64_t row = of->first; row < of->end; row++) {
        struct makespan_work *w = &work[row - of->first];

        *w = (struct makespan_work){.width = result_table_integer(of->rows, row, "width"),
                                    .all_s = real(of, row, "all_s"),
                                    .longest_s = real(of, row, "longest_s")};
        e->total_s += w->all_s * (double)w->width;
        e->longest_s = fmax(e->longest_s, w->longest_s);
        began = fmin(began, real(of, row, "first"));
        ended = fmax(ended, real(of, row, "last"));
    }
    e->elapsed_s = ended - began;
    e->bound = makespan_bound(work, (size_t)(of->end - of->first), e->ranks);
    e->busy = e->elapsed_s > 0 ? fmin(1, e->total_s / ((double)e->ranks * e->elapsed_s)) : 0;
    e->above = e->bound.seconds > 0 ? e->elapsed_s / e->bound.seconds - 1 : (double)NAN;
}

static int64_t compute_all(struct query_efficiency *out, const struct result_table *rows,
                           struct makespan_work *work)
{
    struct session_rows of = {.rows = rows};
    int64_t n = 0;

    for (; of.first < rows->n_rows; of.first = of.end) {
        int64_t session = result_table_integer(rows, of.first, "session");

        for (of.end = of.first + 1; of.end < rows->n_rows; of.end++)
            if (result_table_integer(rows, of.end, "session") != session)
                break;
        if (sum(&of, "good"))
            compute(&out[n++], &of, work);
    }
    return n;
}

int query_efficiency(struct query_efficiency **out, int64_t *n, struct store *store,
                     int64_t session_id, struct err *err)
{
    struct makespan_work *work;
    struct result_table rows;
    size_t most;

    *out = NULL;
    *n = 0;
    if (query_table(&rows, store, QUERY_EFFICIENCY, session_id, err))
        return -1;
    most = (size_t)rows.n_rows + 1;
    *out = calloc(most, sizeof **out);
    work = calloc(most, sizeof *work);
    if (*out && work)
        *n = compute_all(*out, &rows, work);
    else
        err_nomem(err, "efficiency", most * sizeof **out);
    result_table_release(&rows);
    if (!work) {
        free(*out);
        *out = NULL;
    }
    free(work);
    return *out ? 0 : -1;
}
