/* SPDX-License-Identifier: BSD-3-Clause */
#include "program/log_tail.h"

#include <stdbool.h>
#include <string.h>

#include "base/escape.h"
#include "base/words.h"
#include "program/characters.h"
#include "program/error_message.h"

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

/* Append lines as one. A line that ends with a colon introduces the next one. */
static void join(struct buf *out, const char *at)
{
    while (*at) {
        const char *feed = strchr(at, '\n');

        at += *at == ' ';
        buf_add(out, at, (size_t)(feed - at));
        if (feed[1])
            buf_puts(out, feed[-1] == ':' ? " " : between);
        at = feed + 1;
    }
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
    begin = error_message_find(&lines);
    join(&message, buf_text(&lines) + begin);
    words_cut(out, size, buf_text(&message));
    prepend_lines(out, size, buf_text(&lines), begin);
    buf_release(&text);
    buf_release(&lines);
    buf_release(&message);
    escape_terminal(out, false);
    return out;
}
