/* SPDX-License-Identifier: BSD-3-Clause */
/* Analysis of variance of a complete factorial grid with one value in each cell. Pure.
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
 * 2014 (ICML) decompose the performance of hyperparameters likewise. */
#ifndef REPORT_SWEEP_ANOVA_H
#define REPORT_SWEEP_ANOVA_H

#include <stdint.h>

#include "base/err.h"

/* main   out  [k] sum of squares of each axis
 * pair   out  (k, k) of each pair a < b at a * k + b; other entries are 0
 * y      in   [product of levels] row-major, the last axis fastest; finite
 * levels in   [k] levels of each axis, at least 1
 *
 * Returns the total sum of squares around the mean. -1 and err: out of memory. */
double anova_grid(double *main, double *pair, const double *y, const int32_t *levels, int32_t k,
                  struct err *err);

#endif
