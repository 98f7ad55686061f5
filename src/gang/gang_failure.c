/* SPDX-License-Identifier: BSD-3-Clause */
#include "gang/gang_failure.h"

#include <stdio.h>

int gang_fails(struct gang_failure *failure, enum gang_trouble trouble, const char *format, ...)
{
    va_list args;

    failure->trouble = trouble;
    va_start(args, format);
    vsnprintf(failure->why.text, sizeof failure->why.text, format, args);
    va_end(args);
    return -1;
}
