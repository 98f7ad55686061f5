/* SPDX-License-Identifier: BSD-3-Clause */
/* The corrected resampled t interval. Pure. */
#ifndef REPORT_SWEEP_RESAMPLED_T_H
#define REPORT_SWEEP_RESAMPLED_T_H

#include <stdint.h>

/* The factor of the sample standard deviation in resampled_half_width(). NaN for n < 2. */
double resampled_factor(int32_t n, double share);

/* Half the width of the 95 % interval of the mean of d[n], values on n overlapping parts:
 * t(0.975, n - 1) sqrt((1/n + share) s^2), with share = n_val / n_train. NaN for n < 2.
 * Source: Nadeau & Bengio 2003, Machine Learning 52, 239-281 (doc/decisions/0030). */
double resampled_half_width(const double *d, int32_t n, double share);

#endif
