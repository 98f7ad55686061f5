/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/terminal.h"

static enum log_level threshold = LOG_INFO;

enum log_level log_set_level(enum log_level level)
{
    enum log_level before = threshold;

    threshold = level;
    return before;
}

enum log_level log_get_level(void)
{
    return threshold;
}

/* One fputs a line keeps the lines of several ranks apart. */
static void log_line(const char *mark, const char *format, va_list args)
{
    char line[1200];
    int used = snprintf(line, sizeof line, "espalier: %s", mark);

    vsnprintf(line + used, sizeof line - (size_t)used - 1, format, args);
    escape_terminal(line + used, false);
    strcat(line, "\n");
    fputs(line, stderr);
}

void log_warn(const char *format, ...)
{
    char mark[64];
    va_list args;

    if (threshold < LOG_WARN)
        return;
    snprintf(mark, sizeof mark, "%swarning:%s ", terminal_style(STDERR_FILENO, TERMINAL_WARNING),
             terminal_style(STDERR_FILENO, TERMINAL_PLAIN));
    va_start(args, format);
    log_line(mark, format, args);
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

void log_verbose(const char *format, ...)
{
    va_list args;

    if (threshold < LOG_VERBOSE)
        return;
    va_start(args, format);
    log_line("", format, args);
    va_end(args);
}
