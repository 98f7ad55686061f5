/* SPDX-License-Identifier: BSD-3-Clause */
#include "gcn/deal.h"

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
