/* SPDX-License-Identifier: BSD-3-Clause */
/* Student's t distribution. */
#ifndef BASE_STUDENT_H
#define BASE_STUDENT_H

#include <stdint.h>

/* The t of which P(|T| <= t) = level in (0, 1), with df degrees of freedom; NaN for df < 1. To a
 * relative 1e-12 at the levels of intervals (0.5 to 0.999). */
double student_two_sided(double level, int64_t df);

#endif
