/* SPDX-License-Identifier: BSD-3-Clause */
#include "program/log_tail.h"

#include <stdbool.h>
#include <string.h>

#include "base/escape.h"
#include "base/words.h"
#include "program/characters.h"

enum {
    RING = LOG_TAIL_BYTES + 1,
    CUT_BYTES = 4096 /* dropped at most, so that the log begins with a whole line */
};

static const char between[] = " | ";

void log_tail_clear(struct log_tail *tail)
{
    tail->total = 0;
}

void log_tail_add(struct log_tail *tail, const void *bytes, size_t n)
{
    const char *from = bytes;
    size_t at, first;

    tail->total += (int64_t)n;
    if (n > RING) {
        from += n - RING;
        n = RING;
    }
    at = (size_t)((tail->total - (int64_t)n) % RING);
    first = n < RING - at ? n : RING - at;
    memcpy(tail->bytes + at, from, first);
    memcpy(tail->bytes, from + first, n - first);
}

bool log_tail_ends_line(const struct log_tail *tail)
{
    return !tail->total || tail->bytes[(tail->total - 1) % RING] == '\n';
}

void log_tail_put(struct buf *out, const struct log_tail *tail)
{
    size_t at = (size_t)(tail->total % RING), begin = out->size, rest;
    const char *line, *text;

    if (tail->total <= LOG_TAIL_BYTES) {
        buf_add(out, tail->bytes, (size_t)tail->total);
        return;
    }
    /* The oldest byte is the one at `at`. It is not part of the text. */
    buf_add(out, tail->bytes + at, RING - at);
    buf_add(out, tail->bytes, at);
    if (buf_failed(out))
        return;
    text = out->data + begin;
    line = memchr(text, '\n', LOG_TAIL_BYTES);
    rest = line && line - text <= CUT_BYTES ? (size_t)(text + RING - (line + 1)) : LOG_TAIL_BYTES;
    memmove(out->data + begin, text + RING - rest, rest);
    buf_cut(out, begin + rest);
}

/* ---- the error message ---- */

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

static bool keep_r_error(struct buf *lines)
{
    static const char unopened[] = "cannot open the connection\n";
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
    more = (size_t)(end - error) >= sizeof unopened - 1 &&
                   !memcmp(end - (sizeof unopened - 1), unopened, sizeof unopened - 1)
               ? warnings_of_r(end, last)
               : last;
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

/* Return the offset at which the message begins; it extends to the end of `lines`: lines with a line feed
 * each, none empty, whose indent is one blank. Lines that are no part of the message are removed. */
static size_t find_message(struct buf *lines)
{
    const char *text = buf_text(lines), *exception;

    if (!lines->size || keep_r_error(lines))
        return 0;
    exception = find_exception(lines);
    return (size_t)((exception ? exception : line_before(text, text + lines->size)) - text);
}

/* ---- the reason ---- */

/* Append the text of a line without colours, control bytes and blanks at its end. One blank stands for
 * those at its begin. */
static void put_line(struct buf *out, struct buf *shown, const char *line, const char *line_end)
{
    size_t begin = out->size;
    const char *at, *end;

    characters_shown(shown, line, line_end);
    at = buf_text(shown);
    for (end = at + shown->size; at < end; at++)
        if (*at == '\r' && at + 1 < end)
            buf_cut(out, begin);
        else if (*at == '\t' || *at == ' ')
            buf_puts(out, out->size == begin + 1 && out->data[begin] == ' ' ? "" : " ");
        else if ((unsigned char)*at > ' ' && *at != 0x7f)
            buf_putc(out, *at);
    while (out->size > begin && out->data[out->size - 1] == ' ')
        buf_cut(out, out->size - 1);
}

/* Append the lines with words, each with a line feed: no empty line, and none that only points at the line
 * above, "    ^^^^^~~~". */
static void put_lines(struct buf *out, const char *at, const char *end)
{
    struct buf shown = {0};

    while (at < end && !buf_failed(out)) {
        const char *feed = memchr(at, '\n', (size_t)(end - at));
        size_t begin = out->size;

        put_line(out, &shown, at, feed ? feed : end);
        if (strspn(buf_text(out) + begin, "^~ ") < out->size - begin)
            buf_putc(out, '\n');
        else
            buf_cut(out, begin);
        at = feed ? feed + 1 : end;
    }
    out->failed |= buf_failed(&shown);
    buf_release(&shown);
}

/* Put those of the last lines in text[n] before the text in out that fit. */
static void prepend_lines(char *out, size_t size, const char *text, size_t n)
{
    const size_t gap = sizeof between - 1;
    size_t begin;

    for (; n; n = begin) {
        size_t used = strlen(out), indent, n_line;

        for (begin = n - 1; begin && text[begin - 1] != '\n';)
            begin--;
        indent = text[begin] == ' ';
        n_line = n - 1 - begin - indent;
        if (n_line + gap + used >= size)
            return;
        memmove(out + n_line + gap, out, used + 1);
        memcpy(out, text + begin + indent, n_line);
        memcpy(out + n_line, between, gap);
    }
}

char *log_tail_reason(char *out, size_t size, const struct log_tail *tail, int64_t since)
{
    struct buf text = {0}, lines = {0}, message = {0};
    const char *first, *end;
    size_t begin;

    log_tail_put(&text, tail);
    first = buf_text(&text);
    end = first + (buf_failed(&text) ? 0 : text.size);
    if (end - first > tail->total - since)
        first = end - (tail->total - since);
    put_lines(&lines, first, end);
    if (buf_failed(&lines))
        buf_clear(&lines);
    if (lines.size)
        escape_invalid(lines.data);
    begin = find_message(&lines);
    /* One line. A line that ends with a colon introduces the next one. */
    for (const char *at = buf_text(&lines) + begin, *feed; *at; at = feed + 1) {
        feed = strchr(at, '\n');
        at += *at == ' ';
        buf_add(&message, at, (size_t)(feed - at));
        if (feed[1])
            buf_puts(&message, feed[-1] == ':' ? " " : between);
    }
    words_cut(out, size, buf_text(&message));
    prepend_lines(out, size, buf_text(&lines), begin);
    buf_release(&text);
    buf_release(&lines);
    buf_release(&message);
    escape_terminal(out, false);
    return out;
}
