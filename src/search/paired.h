/* SPDX-License-Identifier: BSD-3-Clause */
/* Scores of configurations on the same folds. Larger scores are better. -INFINITY: the trial failed or
 * diverged, which is worst. NaN: no value, which is no evidence: the fold counts as not seen. Pure. */
#ifndef SEARCH_PAIRED_H
#define SEARCH_PAIRED_H

#include <stdint.h>

/* a - b over the folds on which both have a value. */
struct paired {
    double mean; /* NaN: no pair; infinite: one of them failed */
    double sd;   /* with n - 1; NaN: fewer than two pairs, or one of them failed */
    int32_t n;   /* pairs */
};

/* b NULL: 0 on each fold. */
struct paired paired_difference(const double *a, const double *b, int32_t folds);

/* The mean of the values. -INFINITY if a fold failed, or if there is no value. */
double paired_mean(const double *scores, int32_t folds);

#endif
