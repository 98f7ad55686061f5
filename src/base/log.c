/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/escape.h"
#include "base/terminal.h"
#include "base/text_width.h"

enum { INDENT = 4 }; /* of the lines that continue a message */

static enum log_level threshold = LOG_INFO;
static int width; /* where stderr is no terminal; 0: lines are not wrapped */

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

void log_set_width(int columns)
{
    width = columns;
}

/* One fputs a message keeps the messages of several ranks apart. Where memory is short, the line is not
 * wrapped. Its head is not escaped, and the bytes that switch colour take no columns. */
void log_print(enum log_level level, enum terminal_style style, const char *format, ...)
{
    static const struct {
        const char *plain, *styled;
    } words[] = {[TERMINAL_PLAIN] = {"espalier:", ""},
                 [TERMINAL_ERROR] = {"", "espalier:"},
                 [TERMINAL_WARNING] = {"espalier: ", "warning:"}};
    const char *plain = words[style].plain, *styled = words[style].styled;
    int columns = isatty(STDERR_FILENO) ? terminal_width(STDERR_FILENO) : width;
    struct buf wrapped = {0};
    char line[1200];
    va_list args;
    size_t used;

    if (threshold < level)
        return;
    used = (size_t)snprintf(line, sizeof line, "%s%s%s%s ", plain,
                            *styled ? terminal_style(STDERR_FILENO, style) : "", styled,
                            *styled ? terminal_style(STDERR_FILENO, TERMINAL_PLAIN) : "");
    if (columns)
        buf_puts(&wrapped, line);
    va_start(args, format);
    vsnprintf(line + used, sizeof line - used - 1, format, args);
    va_end(args);
    escape_terminal(line + used, false);
    if (columns) {
        text_put_wrapped(&wrapped, line + used, text_width(plain) + text_width(styled) + 1, INDENT,
                         columns);
        buf_putc(&wrapped, '\n');
    }
    strcat(line, "\n");
    fputs(wrapped.size && !buf_failed(&wrapped) ? buf_text(&wrapped) : line, stderr);
    buf_release(&wrapped);
}
