/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/real.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int real_parse(double *out, const char *text)
{
    char *end;

    /* strtod() also accepts inf, nan and hexadecimal. */
    if (!*text || strspn(text, "+-.0123456789eE") != strlen(text))
        return -1;
    *out = strtod(text, &end) + 0.0; /* turns -0 into 0 */
    return *end || !isfinite(*out) ? -1 : 0;
}

int real_parse_whole(int64_t *out, const char *text)
{
    double number;
    char *end;

    if (real_parse(&number, text) || number != floor(number))
        return -1;
    if (!strpbrk(text, "eE")) {
        *out = strtoll(text, &end, 10); /* ERANGE: a limit */
        return *end ? -1 : 0;
    }
    if (fabs(number) >= 0x1p63)
        *out = number < 0 ? INT64_MIN : INT64_MAX;
    else
        *out = (int64_t)number;
    return 0;
}

/* %.15g finds a decimal of up to DBL_DIG digits if one reads back exactly. Subnormal numbers may
 * need fewer. */
void real_format(struct buf *out, double value)
{
    int first = fabs(value) < DBL_MIN ? 1 : DBL_DIG;
    char text[32];

    if (value == floor(value) && fabs(value) < 1e15) {
        if (value == 0)
            buf_puts(out, signbit(value) ? "-0" : "0");
        else
            buf_put_decimal(out, (int64_t)value);
        return;
    }
    for (int digits = first; digits <= DBL_DECIMAL_DIG; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (digits == DBL_DECIMAL_DIG || strtod(text, NULL) == value)
            break;
    }
    buf_puts(out, text);
}

double real_of_float(float value)
{
    char text[32];

    for (int digits = FLT_DIG; digits <= FLT_DECIMAL_DIG; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, (double)value);
        if (strtof(text, NULL) == value)
            break;
    }
    return strtod(text, NULL);
}

bool real_is_same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}
