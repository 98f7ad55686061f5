/* SPDX-License-Identifier: BSD-3-Clause */
/* Student's t distribution. */
#ifndef BASE_STUDENT_H
#define BASE_STUDENT_H

#include <stdint.h>

/* The t with P(|T| <= t) = level in (0, 1), for df degrees of freedom; NaN for df < 1. Relative
 * error 1e-12 for levels from 0.5 to 0.999. */
double student_two_sided(double level, int64_t df);

#endif
