/* SPDX-License-Identifier: BSD-3-Clause */
#include "gcn/deal.h"

#include <stdlib.h>

#include "gcn/division.h"

static int32_t smaller(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

static int32_t count(const struct deal *deal, int32_t worker)
{
    return deal->n / deal->n_workers + (worker < deal->n % deal->n_workers);
}

static int32_t begin(const struct deal *deal, int32_t worker)
{
    return worker * (deal->n / deal->n_workers) + smaller(worker, deal->n % deal->n_workers);
}

void deal_samples(struct deal *deal, const int32_t *order)
{
    int32_t *out = deal->samples;

    for (int32_t w = 0; w < deal->n_workers; w++)
        for (int32_t i = w; i < deal->n; i += deal->n_workers)
            *out++ = order[i];
}

/* The heaviest first; equal ones in the order of the epoch. */
static int compare_weighed(const void *left, const void *right)
{
    const struct weighed_sample *a = left, *b = right;

    if (a->weight != b->weight)
        return a->weight < b->weight ? 1 : -1;
    return (a->place > b->place) - (a->place < b->place);
}

void deal_balance(int32_t *order, const struct deal *deal, const struct gcn_inputs *inputs,
                  struct weighed_sample *sorted)
{
    int64_t most = (int64_t)deal->n_workers * deal->batch_size;

    for (int64_t at = 0; at < deal->n; at += most) {
        int32_t n = (int32_t)(most < deal->n - at ? most : deal->n - at), *step = order + at;
        struct division_samples samples = {
            .a_hat = &inputs->a_hat,
            .graph_start = inputs->data->graph_start,
            .ids = step,
            .n = n,
        };

        for (int32_t i = 0; i < n; i++)
            sorted[i] = (struct weighed_sample){division_weight(&samples, i), i, step[i]};
        qsort(sorted, (size_t)n, sizeof *sorted, compare_weighed);
        for (int32_t i = 0; i < n; i++) {
            int32_t begin = i - i % deal->n_workers;
            int32_t end = begin + smaller(deal->n_workers, n - begin);
            bool is_backwards = begin / deal->n_workers % 2 == 1;

            step[i] = sorted[is_backwards ? begin + end - 1 - i : i].sample;
        }
    }
}

int32_t deal_steps(const struct deal *deal)
{
    int32_t most = count(deal, 0);

    return most / deal->batch_size + (most % deal->batch_size > 0);
}

const int32_t *deal_batch(int32_t *n, const struct deal *deal, int32_t worker, int32_t step)
{
    int32_t at = step * deal->batch_size; /* counts differ by one at most, so all have so many */

    *n = smaller(deal->batch_size, count(deal, worker) - at);
    return deal->samples + begin(deal, worker) + at;
}
