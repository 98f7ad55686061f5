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

int32_t race_drop(bool *is_alive, const double *scores, int32_t n, int32_t m, int32_t k,
                  double alpha)
{
    const double t = student_two_sided(1 - 2 * alpha / (k - race_first(k)), m - 1);
    const double width = t * sqrt(1.0 / m * (1 - (double)m / k));
    double most = -INFINITY;
    int32_t best = -1, n_alive = 0;

    for (int32_t i = 0; i < n; i++) {
        const double mean =
            is_alive[i] ? paired_mean(scores + (size_t)i * (size_t)k, m) : -INFINITY;

        if (is_alive[i] && (best < 0 || mean > most)) {
            most = mean;
            best = i;
        }
    }
    for (int32_t i = 0; i < n; i++) {
        struct paired d;

        if (!is_alive[i])
            continue;
        d = paired_difference(scores + (size_t)best * (size_t)k, scores + (size_t)i * (size_t)k, m);
        /* a missing score makes both NaN */
        is_alive[i] = i == best || most == -INFINITY || d.mean <= width * d.sd;
        n_alive += is_alive[i];
    }
    return n_alive;
}
