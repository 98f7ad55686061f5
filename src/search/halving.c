/* SPDX-License-Identifier: BSD-3-Clause */
#include "search/halving.h"

#include <math.h>
#include <stdlib.h>

#include "search/paired.h"

struct ranked_config {
    double mean;
    int32_t number;
};

int32_t halving_share(int32_t n, int32_t eta)
{
    return (n + eta - 1) / eta;
}

static int compare(const void *a_, const void *b_)
{
    const struct ranked_config *a = a_, *b = b_;

    if (a->mean != b->mean)
        return a->mean > b->mean ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

int32_t halving_keep(bool *keep, double *value, double *threshold, const double *scores, int32_t n,
                     int32_t folds, int32_t n_keep, double slack)
{
    struct ranked_config *by = malloc((size_t)n * sizeof *by);
    const double *last;
    int32_t n_whole = 0, n_kept = 0;

    if (!by)
        return -1;
    for (int32_t i = 0; i < n; i++) {
        by[i] = (struct ranked_config){paired_mean(scores + (size_t)i * (size_t)folds, folds), i};
        n_whole += by[i].mean > -INFINITY;
    }
    qsort(by, (size_t)n, sizeof *by, compare);
    n_keep = n_keep < n_whole ? n_keep : n_whole;
    last = n_keep ? scores + (size_t)by[n_keep - 1].number * (size_t)folds : NULL;
    for (int32_t rank = 0; rank < n; rank++) {
        const int32_t i = by[rank].number;
        struct paired d = {.mean = NAN, .sd = NAN};
        double margin = 0;

        if (rank < n_whole)
            d = paired_difference(last, scores + (size_t)i * (size_t)folds, folds);
        if (slack >= 0 && d.n > 1)
            margin = slack * d.sd / sqrt(d.n);
        keep[i] = rank < n_keep || (slack >= 0 && d.mean <= margin);
        n_kept += keep[i];
        if (value)
            value[i] = by[rank].mean;
        if (threshold)
            threshold[i] = n_keep ? by[n_keep - 1].mean - margin : (double)NAN;
    }
    free(by);
    return n_kept;
}
