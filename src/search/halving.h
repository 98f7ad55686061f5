/* SPDX-License-Identifier: BSD-3-Clause */
/* Successive halving over epochs, with all folds at each rung, that does not cut where the folds cannot tell. Pure.
 *
 * Source: Jamieson & Talwalkar 2016, AISTATS, algorithm 1; the slack is our own (doc/decisions). */
#ifndef SEARCH_HALVING_H
#define SEARCH_HALVING_H

#include <stdbool.h>
#include <stdint.h>

/* How many of n go on at least: n / eta, rounded up. */
int32_t halving_share(int32_t n, int32_t eta);

/* value, threshold out [n], or NULL: the mean score, and the least with which a configuration is kept; NaN: none is.
 * keep out [n]: the n_keep best by mean score, ties to the lower number, and all whose paired difference over the
 * folds to the last of these is at most `slack` standard errors of that difference; slack < 0: only the first.
 * scores (n, folds) as in search/paired.h. A configuration that failed on a fold, or that has no value, is never
 * kept. n_keep >= 1. Returns how many are kept. -1: memory is short. */
int32_t halving_keep(bool *keep, double *value, double *threshold, const double *scores, int32_t n,
                     int32_t folds, int32_t n_keep, double slack);

#endif
