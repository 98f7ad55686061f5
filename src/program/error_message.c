/* SPDX-License-Identifier: BSD-3-Clause */
#include "program/error_message.h"

#include <stdbool.h>
#include <string.h>

static const char *next_line(const char *line)
{
    return strchr(line, '\n') + 1;
}

/* The line that ends before `at`, which is behind a line feed. */
static const char *line_before(const char *text, const char *at)
{
    for (at--; at > text && at[-1] != '\n';)
        at--;
    return at;
}

static bool begins(const char *line, const char *const *heads)
{
    for (; *heads; heads++)
        if (!strncmp(line, *heads, strlen(*heads)))
            return true;
    return false;
}

/* ---- R ---- */

static bool is_r_error(const char *line)
{
    static const char *const heads[] = {"Error in ", "Error:", "Error :", NULL};

    return begins(line, heads);
}

/* Return the end of the message at `line`: the trace of its calls, its warnings, or `last`. */
static const char *end_of_r_error(const char *line, const char *last)
{
    static const char *const heads[] = {"Calls: ", "Backtrace:", "In addition: ", NULL};

    do
        line = next_line(line);
    while (line < last && !begins(line, heads));
    return line;
}

/* The warnings begin behind this line. Returns `last` if there are none. */
static const char *warnings_of_r(const char *line, const char *last)
{
    static const char *const heads[] = {"In addition: ", NULL};

    for (; line < last; line = next_line(line))
        if (begins(line, heads))
            return next_line(line);
    return last;
}

static bool ends_with(const char *begin, const char *end, const char *tail)
{
    size_t n = strlen(tail);

    return (size_t)(end - begin) >= n && !memcmp(end - n, tail, n);
}

static bool keep_r_error(struct buf *lines)
{
    const char *text = buf_text(lines), *end = text + lines->size;
    const char *last = line_before(text, end), *error = last, *more;
    struct buf message = {0};

    if (strcmp(last, "Execution halted\n") != 0)
        return false;
    while (error > text && !is_r_error(error))
        error = line_before(text, error);
    if (!is_r_error(error))
        return false;
    end = end_of_r_error(error, last);
    more = ends_with(error, end, "cannot open the connection\n") ? warnings_of_r(end, last) : last;
    buf_add(&message, error, (size_t)(end - error));
    buf_add(&message, more, (size_t)(last - more));
    if (!buf_failed(&message)) {
        buf_clear(lines);
        buf_puts(lines, buf_text(&message)); /* not longer than before */
    }
    buf_release(&message);
    return true;
}

size_t error_message_find(struct buf *lines)
{
    const char *text = buf_text(lines);

    if (!lines->size || keep_r_error(lines))
        return 0;
    return (size_t)(line_before(text, text + lines->size) - text);
}
