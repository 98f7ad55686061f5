/* SPDX-License-Identifier: BSD-3-Clause */
#include "search/paired.h"

#include <math.h>
#include <stdbool.h>

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

/* Set *d to a - b on a fold. Returns false if one of them has no value. */
static bool difference(double *d, const double *a, const double *b, int32_t fold)
{
    *d = b ? a[fold] - b[fold] : a[fold];
    return !isnan(a[fold]) && !(b && isnan(b[fold]));
}

struct paired paired_difference(const double *a, const double *b, int32_t folds)
{
    struct paired d = {.sd = NAN};
    double x, squares = 0;

    for (int32_t f = 0; f < folds; f++)
        if (difference(&x, a, b, f)) {
            d.mean += x;
            d.n++;
        }
    d.mean /= d.n;
    for (int32_t f = 0; f < folds; f++)
        if (difference(&x, a, b, f))
            squares += (x - d.mean) * (x - d.mean);
    if (d.n > 1)
        d.sd = sqrt(squares / (d.n - 1));
    return d;
}
