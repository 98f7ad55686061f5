/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/text/examples.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void examples_add(struct examples *e, const char *between, const char *format, ...)
{
    size_t used = strlen(e->text);
    va_list args;

    if (e->n++ < 3) {
        if (e->n > 1)
            used += (size_t)snprintf(e->text + used, sizeof e->text - used, "%s", between);
        va_start(args, format);
        vsnprintf(e->text + used, sizeof e->text - used, format, args);
        va_end(args);
    } else if (e->n == 4) {
        snprintf(e->text + used, sizeof e->text - used, " ...");
    }
}
