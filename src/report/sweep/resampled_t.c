/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/sweep/resampled_t.h"

#include <math.h>

#include "base/student.h"

double resampled_factor(int32_t n, double share)
{
    return n < 2 ? (double)NAN : student_two_sided(0.95, n - 1) * sqrt(1.0 / n + share);
}

double resampled_half_width(const double *d, int32_t n, double share)
{
    double mean = 0, ss = 0;

    if (n < 2)
        return NAN;
    for (int32_t i = 0; i < n; i++)
        mean += d[i] / n;
    for (int32_t i = 0; i < n; i++)
        ss += (d[i] - mean) * (d[i] - mean);
    return resampled_factor(n, share) * sqrt(ss / (n - 1));
}
