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

/* After fold m of k, first <= m < k: value, threshold out [n], or NULL: -mean(d) below, and the least with which i is
 * kept. Clear is_alive [n] of each i with
 * -mean(d) > t(1 - alpha / looks, p - 1) sd(d) sqrt((1 / p) (1 - p / k)), where d are the p differences of i to the
 * best one, p = m unless values are missing, and looks = k - first. With p < 2 nothing is shown. scores (n, k)
 * as in search/paired.h, of which the first m are read for those alive. A configuration that failed on a fold, or that
 * has no value, drops out. Returns how many are alive. */
int32_t race_drop(bool *is_alive, double *value, double *threshold, const double *scores, int32_t n,
                  int32_t m, int32_t k, int32_t first, double alpha);

#endif
