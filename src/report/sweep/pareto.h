/* SPDX-License-Identifier: BSD-3-Clause */
/* The Pareto front of score against cost. Pure. */
#ifndef REPORT_SWEEP_PARETO_H
#define REPORT_SWEEP_PARETO_H

#include <stdint.h>

/* Find the points for which no other has an equal or better score at an equal or smaller cost. The
 * first of equal points is kept.
 *
 *   front  out  [n] indices, cheapest first
 *   score  in   [n] the best first, without NaN
 *   cost   in   [n] NaN is not on the front
 *
 * Returns the size of the front. */
int32_t pareto_front(int32_t *front, const double *score, const double *cost, int32_t n);

#endif
