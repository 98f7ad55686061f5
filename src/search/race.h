/* SPDX-License-Identifier: BSD-3-Clause */
/* A race over folds: after each fold, configurations that the folds so far show to be worse than the best one drop
 * out. Pure.
 *
 * Sources: Maron & Moore 1997, Artificial Intelligence Review 11, 193-225 (races); the paired t test of Birattari et
 * al. 2002 (F-race, irace), with the finite-population correction of Cochran 1977, since the target is the mean over
 * the k folds, not over all possible ones. */
#ifndef SEARCH_RACE_H
#define SEARCH_RACE_H

#include <stdbool.h>
#include <stdint.h>

/* The folds that come before the first look. */
int32_t race_first(int32_t folds);

/* After fold m of k, m < k: clear is_alive [n] of each i with -mean(d) > t(1 - alpha / looks, m - 1) sd(d)
 * sqrt((1 / m) (1 - m / k)), where d are the differences of i to the best one and looks = k - race_first(k). scores
 * (n, k), of which the first m are known for those alive; larger is better, NaN: diverged or failed. Returns how
 * many are alive. */
int32_t race_drop(bool *is_alive, const double *scores, int32_t n, int32_t m, int32_t k,
                  double alpha);

#endif
