/* SPDX-License-Identifier: BSD-3-Clause */
#include "search/race.h"

#include <math.h>
#include <stddef.h>

#include "base/student.h"
#include "search/paired.h"

int32_t race_first(int32_t folds)
{
    return folds < 8 ? 2 : 3;
}

/* t(1 - alpha / looks, n - 1) sqrt((1 / n) (1 - n / k)) */
static double width(int32_t n, int32_t k, int32_t looks, double alpha)
{
    return student_two_sided(1 - 2 * alpha / looks, n - 1) * sqrt(1.0 / n * (1 - (double)n / k));
}

int32_t race_drop(bool *is_alive, double *value, double *threshold, const double *scores, int32_t n,
                  int32_t m, int32_t k, int32_t first, double alpha)
{
    double most = -INFINITY;
    int32_t best = -1, n_alive = 0;

    for (int32_t i = 0; i < n; i++) {
        const double mean =
            is_alive[i] ? paired_mean(scores + (size_t)i * (size_t)k, m) : -INFINITY;

        is_alive[i] = mean > -INFINITY;
        if (mean > most) {
            most = mean;
            best = i;
        }
    }
    for (int32_t i = 0; i < n; i++) {
        struct paired d;
        double margin;

        if (value)
            value[i] = threshold[i] = NAN;
        if (!is_alive[i])
            continue;
        d = paired_difference(scores + (size_t)best * (size_t)k, scores + (size_t)i * (size_t)k, m);
        margin = d.n < 2 ? (double)INFINITY : width(d.n, k, k - first, alpha) * d.sd;
        is_alive[i] = d.mean <= margin || d.n < 2;
        if (value) {
            value[i] = -d.mean;
            threshold[i] = -margin;
        }
        n_alive += is_alive[i];
    }
    return n_alive;
}
