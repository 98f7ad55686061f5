/* SPDX-License-Identifier: BSD-3-Clause */
#include "program/log_tail.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include "base/escape.h"

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

/* Return the byte behind an escape sequence of a terminal (ECMA-48): ESC [ parameters letter,
 * ESC ] text BEL, or ESC, bytes below '0' and one more. */
static const char *skip_escape(const char *at, const char *end)
{
    char kind = at + 1 < end ? at[1] : '\0';
    bool is_long = kind == '[' || kind == ']';

    for (at += is_long ? 2 : 1; at < end; at++)
        if (kind == ']' ? *at == '\a' : *at >= (kind == '[' ? '@' : '0'))
            return at + 1;
    return at;
}

/* Append the text of a line without colours and control bytes. Blanks around it are dropped. */
static void put_line(struct buf *out, const char *at, const char *end)
{
    size_t begin = out->size;

    while (at < end) {
        if (*at == '\x1b') {
            at = skip_escape(at, end);
            continue;
        }
        if (*at == '\r' && at + 1 < end)
            buf_cut(out, begin);
        else if (*at == '\t' || *at == ' ')
            buf_puts(out, out->size > begin ? " " : "");
        else if ((unsigned char)*at > ' ' && *at != 0x7f)
            buf_putc(out, *at);
        at++;
    }
    while (out->size > begin && out->data[out->size - 1] == ' ')
        buf_cut(out, out->size - 1);
}

/* False for an empty line, and for one that only points at the line above: "    ^^^^^~~~". */
static bool has_words(const struct buf *line)
{
    return strspn(buf_text(line), "^~ ") < line->size;
}

/* Keep at most n bytes of whole characters. */
static void cut_line(struct buf *line, size_t n)
{
    if (line->size <= n)
        return;
    while (n && (line->data[n] & 0xc0) == 0x80)
        n--;
    buf_cut(line, n);
}

/* Put a line before the text in out. Returns false if there is no room. */
static bool prepend(char *out, size_t size, struct buf *line)
{
    size_t n = strlen(out);

    if (!n)
        cut_line(line, size - 1);
    else
        buf_puts(line, between);
    if (line->size + n >= size)
        return false;
    memmove(out + line->size, out, n + 1);
    memcpy(out, buf_text(line), line->size);
    return true;
}

char *log_tail_reason(char *out, size_t size, const struct log_tail *tail, int64_t since)
{
    struct buf text = {0}, line = {0};
    const char *first, *begin, *end;
    bool has_room = true;

    assert(size >= 8);
    *out = '\0';
    log_tail_put(&text, tail);
    first = buf_text(&text);
    end = first + (buf_failed(&text) ? 0 : text.size);
    if (end - first > tail->total - since)
        first = end - (tail->total - since);
    for (; has_room && end > first; end = begin > first ? begin - 1 : first) {
        for (begin = end; begin > first && begin[-1] != '\n';)
            begin--;
        buf_clear(&line);
        put_line(&line, begin, end);
        if (has_words(&line)) {
            escape_invalid(line.data);
            has_room = prepend(out, size, &line);
        }
    }
    buf_release(&text);
    buf_release(&line);
    escape_terminal(out, false);
    return out;
}
