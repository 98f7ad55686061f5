/* SPDX-License-Identifier: BSD-3-Clause */
#include "search/paired.h"

#include <math.h>

double paired_mean(const double *scores, int32_t folds)
{
    double sum = 0;

    for (int32_t f = 0; f < folds; f++)
        sum += scores[f];
    return isnan(sum) ? -INFINITY : sum / folds;
}

struct paired paired_difference(const double *a, const double *b, int32_t folds)
{
    struct paired d = {.sd = NAN};
    double squares = 0;

    for (int32_t f = 0; f < folds; f++)
        d.mean += (a[f] - b[f]) / folds;
    for (int32_t f = 0; f < folds; f++)
        squares += (a[f] - b[f] - d.mean) * (a[f] - b[f] - d.mean);
    if (folds > 1)
        d.sd = sqrt(squares / (folds - 1));
    return d;
}
