/* SPDX-License-Identifier: BSD-3-Clause */
#include "program/error_message.h"

#include <stdbool.h>
#include <string.h>

enum { LONGEST_EXCEPTION = 20 }; /* lines that are not indented; CUDA's have 4 */

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

/* ---- Python ---- */

static const char traceback[] = "Traceback (most recent call last):\n";

/* Return the last traceback that begins before `end`; NULL: there is none. */
static const char *last_traceback(const char *text, const char *end)
{
    const char *found = NULL;

    for (const char *at = text; (at = strstr(at, traceback)) && at < end; at++)
        found = at;
    return found;
}

/* Return the first line behind the frames of a traceback, which are indented; NULL: there is none.
 * PyTorch begins each line with "[rank0]: ". A progress bar may stand before the traceback only. */
static const char *exception_of(const char *text, const char *at)
{
    const char *prefix = line_before(text, next_line(at)), *line = next_line(at);
    size_t n = (size_t)(at - prefix);

    if (n && strncmp(line, prefix, n) != 0)
        n = 0;
    for (; *line; line = next_line(line))
        if (!strncmp(line, prefix, n) && line[n] != ' ')
            return line;
    return NULL;
}

/* True if more lines follow than an exception has, apart from indented ones. */
static bool was_caught(const char *exception)
{
    int n = 0;

    for (const char *line = exception; *line; line = next_line(line))
        n += *line != ' ';
    return n > LONGEST_EXCEPTION;
}

/* Return the begin of the message, or NULL. */
static const char *find_exception(struct buf *lines)
{
    const char *text = buf_text(lines), *last = last_traceback(text, text + lines->size);
    const char *exception = last ? exception_of(text, last) : NULL, *earlier, *cause;
    static const char *const torchrun[] = {
        "torch.distributed.elastic.multiprocessing.errors.ChildFailedError", NULL};

    if (!exception || !begins(exception, torchrun))
        return exception && !was_caught(exception) ? exception : NULL;
    earlier = last_traceback(text, last);
    cause = earlier ? exception_of(text, earlier) : NULL;
    if (!cause || cause >= last)
        return exception;
    buf_cut(lines, (size_t)(line_before(text, next_line(last)) - text));
    return cause;
}

size_t error_message_find(struct buf *lines)
{
    const char *text = buf_text(lines), *exception;

    if (!lines->size || keep_r_error(lines))
        return 0;
    exception = find_exception(lines);
    return (size_t)((exception ? exception : line_before(text, text + lines->size)) - text);
}
