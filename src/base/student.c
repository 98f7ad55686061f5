/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/student.h"

#include <math.h>

#define HALF_PI 1.57079632679489661923

/* P(|T| <= sqrt(df) tan(angle)), a sum of df / 2 terms.
 * Source: Abramowitz & Stegun 1964, 26.7.3 and 26.7.4. */
static double within(double angle, int64_t df)
{
    double square = cos(angle) * cos(angle);
    double term = df % 2 ? cos(angle) : 1, sum = 0;

    for (int64_t i = df % 2 ? 3 : 2; i <= df && term > 1e-18; i += 2) {
        sum += term;
        term *= square * (double)(i - 1) / (double)i;
    }
    return df % 2 ? (angle + sin(angle) * sum) / HALF_PI : sin(angle) * sum;
}

double student_two_sided(double level, int64_t df)
{
    double low = 0, high = HALF_PI, middle = high / 2;

    if (df < 1)
        return NAN;
    while (low < middle && middle < high) {
        if (within(middle, df) < level)
            low = middle;
        else
            high = middle;
        middle = (low + high) / 2;
    }
    return sqrt((double)df) * tan(middle);
}
