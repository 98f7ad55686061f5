/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/escape.h"

static enum log_level threshold = LOG_INFO;

void log_set_level(enum log_level level)
{
    threshold = level;
}

/* One fputs() a line keeps lines of several ranks apart. */
static void log_line(const char *mark, const char *format, va_list args)
{
    char line[1200];
    int used = snprintf(line, sizeof line, "espalier: %s", mark);

    vsnprintf(line + used, sizeof line - (size_t)used - 1, format, args);
    escape_terminal(line, false);
    strcat(line, "\n");
    fputs(line, stderr);
}

void log_warn(const char *format, ...)
{
    va_list args;

    if (threshold < LOG_WARN)
        return;
    va_start(args, format);
    log_line("warning: ", format, args);
    va_end(args);
}

void log_info(const char *format, ...)
{
    va_list args;

    if (threshold < LOG_INFO)
        return;
    va_start(args, format);
    log_line("", format, args);
    va_end(args);
}
