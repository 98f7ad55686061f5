/* SPDX-License-Identifier: BSD-3-Clause */
#include "search/paired.h"

#include <math.h>

double paired_mean(const double *scores, int32_t folds)
{
    double sum = 0;
    int32_t n = 0;

    for (int32_t f = 0; f < folds; f++) {
        if (isnan(scores[f]))
            continue;
        sum += scores[f];
        n++;
    }
    return n ? sum / n : -INFINITY;
}

struct paired paired_difference(const double *a, const double *b, int32_t folds)
{
    struct paired d = {.sd = NAN};
    double squares = 0;

    for (int32_t f = 0; f < folds; f++) {
        if (isnan(a[f]) || isnan(b[f]))
            continue;
        d.mean += a[f] - b[f];
        d.n++;
    }
    d.mean /= d.n;
    for (int32_t f = 0; f < folds; f++)
        if (!isnan(a[f]) && !isnan(b[f]))
            squares += (a[f] - b[f] - d.mean) * (a[f] - b[f] - d.mean);
    if (d.n > 1)
        d.sd = sqrt(squares / (d.n - 1));
    return d;
}
