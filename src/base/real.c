#include "base/real.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int real_parse(double *out, const char *text)
{
    char *end;

    /* strtod() also takes inf, nan and hexadecimal */
    if (!*text || strspn(text, "+-.0123456789eE") != strlen(text))
        return -1;
    *out = strtod(text, &end) + 0.0; /* -0 is 0 */
    return *end || !isfinite(*out) ? -1 : 0;
}

void real_format(struct buf *out, double value)
{
    char text[32];

    if (value == floor(value) && fabs(value) < 1e15) {
        buf_printf(out, "%.0f", value);
        return;
    }
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    buf_puts(out, text);
}
