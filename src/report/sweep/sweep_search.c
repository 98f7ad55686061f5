/* SPDX-License-Identifier: BSD-3-Clause */
/* The decisions of the search of a sweep, and the order of configurations that it stopped. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/sweep/sweep_read.h"

static int take_decisions(struct sweep_data *data, const struct result_table *rows, struct err *err)
{
    struct sweep_decision *d = sweep_take(data, (size_t)rows->n_rows, sizeof *d, err);

    data->search.decisions = d;
    for (int64_t r = 0; d && r < rows->n_rows; r++, d++) {
        int32_t c;

        *d = (struct sweep_decision){.config = result_table_integer(rows, r, "config"),
                                     .step = (int32_t)result_table_integer(rows, r, "step"),
                                     .rung = (int32_t)result_table_integer(rows, r, "rung"),
                                     .value = result_table_real(rows, r, "value"),
                                     .threshold = result_table_real(rows, r, "threshold"),
                                     .cost_s = result_table_real(rows, r, "cost_s")};
        while (d->action < SEARCH_ACTION_COUNT &&
               strcmp(search_action_name(d->action), result_table_text(rows, r, "action")) != 0)
            d->action++;
        d->rung = d->rung < 0 ? 0 : d->rung; /* of a damaged file */
        c = sweep_data_find(data, d->config);
        if (c < 0 || d->action != SEARCH_STOP || d->rung < 1 ||
            !result_table_integer(rows, r, "is_stopped"))
            continue;
        data->configs[c].rung = d->rung;
        data->configs[c].mean = d->value; /* for the order */
        data->search.n_stopped++;
    }
    data->search.n = data->search.decisions ? (int32_t)rows->n_rows : 0;
    return data->search.decisions ? 0 : -1;
}

static int compare_places(const void *a, const void *b, void *arg)
{
    const struct sweep_data *data = arg;
    const int32_t i = *(const int32_t *)a, j = *(const int32_t *)b;
    const struct sweep_config *x = &data->configs[i], *y = &data->configs[j];

    if (x->rung != y->rung)
        return !x->rung || (y->rung && x->rung > y->rung) ? -1 : 1;
    if (x->rung && x->mean != y->mean)
        return (x->mean > y->mean) == data->maximize ? -1 : 1;
    return (i > j) - (i < j);
}

/* A mean of some trials, and its interval, would not compare with those of others. */
int sweep_read_decisions(struct sweep_data *data, struct store *store, struct err *err)
{
    const size_t n = (size_t)data->n_configs,
                 row = (size_t)data->leaderboard.n_cols * sizeof(struct cell);
    struct sweep_config *configs = sweep_take(data, n, sizeof *configs, err);
    int32_t *order = sweep_take(data, n, sizeof *order, err);
    char *cells = sweep_take(data, n, row, err), *was = (char *)data->leaderboard.cells;

    if (!configs || !order || !cells ||
        sweep_read_table(data, store, QUERY_SEARCH_DECISIONS, data->sweep_id, take_decisions, err))
        return -1;
    if (!data->search.n_stopped)
        return 0;
    for (int32_t c = 0; c < data->n_configs; c++)
        order[c] = c;
    qsort_r(order, n, sizeof *order, compare_places, data);
    data->alike.n_compared = data->alike.n_alike = data->alike.n_scored = 0;
    for (size_t c = 0; c < n; c++) {
        struct sweep_config *o = &configs[c];

        *o = data->configs[order[c]];
        memcpy(cells + c * row, was + (size_t)order[c] * row, row);
        if (o->rung)
            o->mean = o->sd = o->se = o->diff = o->low = o->high = NAN;
        o->within = o->rung ? -1 : o->within;
        data->alike.n_scored += !isnan(o->mean);
        data->alike.n_compared += c && !isnan(o->low);
        data->alike.n_alike += c && o->low <= 0 && o->high >= 0;
    }
    memcpy(data->configs, configs, n * sizeof *configs);
    memcpy(was, cells, n * row);
    return 0;
}

void sweep_find_search(struct sweep_data *data)
{
    const struct settings *s = sweep_data_settings(data, 0);
    struct sweep_searched *search = &data->search;

    search->proposer = s ? proposer_of(s) : NULL;
    search->is_listed = !s || param_equal(P_PROPOSE, s->v[P_PROPOSE], param_default(P_PROPOSE));
    search->is_grid = search->is_listed && !search->n_stopped;
    if (!search->n || !s || !search_is_wanted(s))
        return;
    search->settings = s;
    search->allocator = allocator_of(s);
}
