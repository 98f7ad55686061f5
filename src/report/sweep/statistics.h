/* SPDX-License-Identifier: BSD-3-Clause */
/* Statistics on arrays. Pure. */
#ifndef REPORT_SWEEP_STATISTICS_H
#define REPORT_SWEEP_STATISTICS_H

#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"

/* The factor of the sample standard deviation in resampled_half_width(). NaN for n < 2. */
double resampled_factor(int32_t n, double share);

/* Half the width of the 95 % interval of the mean of d[n], values on n overlapping parts:
 * t(0.975, n - 1) sqrt((1/n + share) s^2), with share = n_val / n_train. NaN for n < 2.
 * Source: Nadeau & Bengio 2003, Machine Learning 52, 239-281 (doc/decisions/0030). */
double resampled_half_width(const double *d, int32_t n, double share);

/* Find the front of score against cost: the points for which no other has an equal or better score at
 * an equal or smaller cost. The first of equal points is kept.
 *
 *   front  out  [n] indices, cheapest first
 *   score  in   [n] the best first, without NaN
 *   cost   in   [n] NaN is not on the front
 *
 * Returns the size of the front. */
int32_t pareto_front(int32_t *front, const double *score, const double *cost, int32_t n);

/* Analysis of variance of a complete factorial grid with one value in each cell.
 *
 * With y centred at its mean, m_i the mean of a level of axis A (a levels of N cells in all) and
 * m_ij that of a pair of levels:
 *
 *   SS_A  = N / a       sum_i  m_i^2
 *   SS_AB = N / (a b)   sum_ij (m_ij - m_i - m_j)^2
 *
 * The grid is balanced, so the terms are orthogonal and add up: total = sum of all terms of any
 * order. Higher interactions are what main effects and pairs leave.
 * Source: Montgomery, Design and Analysis of Experiments, section 5.3; Hutter, Hoos & Leyton-Brown
 * 2014 (ICML) decompose the performance of hyperparameters likewise.
 *
 *   main   out  [k] sum of squares of each axis
 *   pair   out  (k, k) of each pair a < b at a * k + b; other entries are 0
 *   y      in   [product of levels] row-major, the last axis fastest; finite
 *   levels in   [k] levels of each axis, at least 1
 *   memory      for scratch
 *
 * Returns the total sum of squares around the mean. -1 and err: out of memory. */
double anova_grid(double *main, double *pair, const double *y, const int32_t *levels, int32_t k,
                  struct arena *memory, struct err *err);

#endif
