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
static double width(int32_t n, int32_t k, double alpha)
{
    return student_two_sided(1 - 2 * alpha / (k - race_first(k)), n - 1) *
           sqrt(1.0 / n * (1 - (double)n / k));
}

int32_t race_drop(bool *is_alive, const double *scores, int32_t n, int32_t m, int32_t k,
                  double alpha)
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

        if (!is_alive[i])
            continue;
        d = paired_difference(scores + (size_t)best * (size_t)k, scores + (size_t)i * (size_t)k, m);
        is_alive[i] = d.n < 2 || d.mean <= width(d.n, k, alpha) * d.sd;
        n_alive += is_alive[i];
    }
    return n_alive;
}
