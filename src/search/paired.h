/* SPDX-License-Identifier: BSD-3-Clause */
/* Scores of two configurations on the same folds. Pure. */
#ifndef SEARCH_PAIRED_H
#define SEARCH_PAIRED_H

#include <stdint.h>

struct paired {
    double mean,
        sd; /* of a - b over the folds, sd with n - 1. NaN sd: one fold, or a score is missing */
};

/* Larger scores are better; NaN: diverged or failed. */
struct paired paired_difference(const double *a, const double *b, int32_t folds);
/* -INFINITY if a score is NaN: such a configuration is worst. */
double paired_mean(const double *scores, int32_t folds);

#endif
