/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/text/lines.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "data/text/stream.h"

#define CHUNK_BYTES ((size_t)1 << 18)

static int fault(struct err *err, const char *path, int64_t number, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static int fault(struct err *err, const char *path, int64_t number, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    err_vset_at(err, path, "", number, format, args);
    va_end(args);
    return -1;
}

int textline_too_long(struct err *err, const char *path, int64_t number, size_t limit)
{
    return fault(err, path, number,
                 "a line of more than %zu bytes: this is the limit; check that the file is text "
                 "and has line ends",
                 limit);
}

int textline_too_many(struct err *err, const char *path, int64_t number, size_t limit)
{
    return fault(
        err, path, number,
        "a line of more than %zu cells: this is the limit; check that the file is a table of text",
        TEXTLINE_CELLS_MAX(limit));
}

int textline_read_stream(void *source, void *out, size_t *got, size_t n, struct err *err)
{
    return stream_read(out, got, source, n, err);
}

int textline_open(struct textline *t, const char *path, textline_read *read, void *source,
                  struct err *err)
{
    *t = (struct textline){
        .path = path, .limit = TEXTLINE_BYTES_MAX, .read = read, .source = source};
    t->chunk = malloc(CHUNK_BYTES);
    return t->chunk ? 0 : err_nomem(err, path, CHUNK_BYTES);
}

void textline_close(struct textline *t)
{
    free(t->chunk);
    buf_release(&t->text);
    memset(t, 0, sizeof *t);
}

static int take(struct textline *t, bool *is_done, struct err *err)
{
    const char *from = t->chunk + t->chunk_at;
    const char *end = memchr(from, '\n', t->chunk_size - t->chunk_at);
    size_t n = end ? (size_t)(end - from) : t->chunk_size - t->chunk_at;

    if (n > t->limit - t->text.size)
        return textline_too_long(err, t->path, t->number + 1, t->limit);
    buf_add(&t->text, from, n);
    t->chunk_at += n + (end != NULL);
    *is_done = end != NULL;
    return 0;
}

int textline_next(struct textline *t, struct err *err)
{
    bool is_begun = false, is_done = false;

    buf_clear(&t->text);
    while (!is_done) {
        if (t->chunk_at == t->chunk_size) {
            t->chunk_at = t->chunk_size = 0;
            if (t->read(t->source, t->chunk, &t->chunk_size, CHUNK_BYTES, err))
                return -1;
        }
        if (t->chunk_size == 0)
            break;
        if (take(t, &is_done, err))
            return -1;
        is_begun = true;
    }
    if (!is_begun)
        return 0;
    t->number++;
    buf_add(&t->text, "", 0); /* a NUL even if it is empty */
    if (buf_failed(&t->text))
        return err_nomem(err, t->path, t->text.size);
    if (memchr(t->text.data, '\0', t->text.size))
        return fault(err, t->path, t->number, "a NUL byte: must be text");
    return 1;
}

struct lines_source {
    struct stream file;
    int32_t cell_capacity;
    bool has_first;
};

int lines_fault(struct err *err, const struct lines *l, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    err_vset_at(err, l->path, "", l->line, format, args);
    va_end(args);
    return -1;
}

/* ---- lines ---- */

static int read_line(struct lines *l, struct err *err)
{
    int status = textline_next(&l->text, err);

    l->line = l->text.number;
    return status;
}

/* ---- cells ---- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static char *trim_end(char *text)
{
    size_t n = strlen(text);

    while (n && is_blank(text[n - 1]))
        n--;
    text[n] = '\0';
    return text;
}

static char *trim(char *text)
{
    while (is_blank(*text))
        text++;
    return trim_end(text);
}

static int add_cell(struct lines *l, char *text, struct err *err)
{
    struct lines_source *s = l->source;

    if ((size_t)l->n_cells == TEXTLINE_CELLS_MAX(l->text.limit))
        return textline_too_many(err, l->path, l->line, l->text.limit);
    if (l->n_cells == s->cell_capacity) {
        int32_t capacity = s->cell_capacity ? 2 * s->cell_capacity : 8;
        char **grown;

        grown = realloc(l->cell, (size_t)capacity * sizeof *grown);
        if (!grown)
            return err_nomem(err, l->path, (size_t)capacity * sizeof *grown);
        l->cell = grown;
        s->cell_capacity = capacity;
    }
    l->cell[l->n_cells++] = text;
    return 0;
}

static int cut(struct lines *l, char *text, struct err *err)
{
    int32_t wanted = l->n_cells;

    l->n_cells = 0;
    while (text) {
        char *comma = strchr(text, ',');

        if (comma)
            *comma = '\0';
        if (add_cell(l, trim(text), err))
            return -1;
        text = comma ? comma + 1 : NULL;
    }
    if (l->source->has_first && l->n_cells != wanted)
        return lines_fault(err, l, "%d cells: the first line has %d", l->n_cells, wanted);
    l->source->has_first = true;
    return 0;
}

int lines_next(struct lines *l, struct err *err)
{
    int64_t empty = 0;
    int status;

    while ((status = read_line(l, err)) > 0) {
        char *text = trim(l->text.text.data);

        if (*text && empty) {
            l->line = empty;
            return lines_fault(
                err, l,
                "an empty line before the last row: rows are identified by their line number");
        }
        if (*text)
            return cut(l, text, err) ? -1 : 1;
        empty = empty ? empty : l->line;
    }
    return status;
}

int lines_next_whole(struct lines *l, struct err *err)
{
    int status;

    while ((status = read_line(l, err)) > 0) {
        char *text = trim_end(l->text.text.data);

        l->n_cells = 0;
        if (*text)
            return add_cell(l, text, err) ? -1 : 1;
    }
    return status;
}

int lines_whole(int32_t *out, const struct lines *l, int32_t cell, int32_t low, int32_t high,
                const char *what, struct err *err)
{
    const char *text = l->cell[cell];
    char *end;
    long long v;

    errno = 0;
    v = strtoll(text, &end, 10);
    if (end == text || *end || errno)
        return lines_fault(err, l, "%s \"%.80s\": must be a whole number", what, text);
    if (v < low || v > high)
        return lines_fault(err, l, "%s %lld: must be in [%d, %d]", what, v, low, high);
    *out = (int32_t)v;
    return 0;
}

/* ---- opening ---- */

int lines_open(struct lines *l, const char *path, struct err *err)
{
    memset(l, 0, sizeof *l);
    l->path = path;
    l->source = calloc(1, sizeof *l->source);
    if (!l->source)
        return err_nomem(err, path, sizeof *l->source);
    if (!textline_open(&l->text, path, textline_read_stream, &l->source->file, err) &&
        !stream_open(&l->source->file, path, "a file of text", err))
        return 0;
    lines_close(l);
    return -1;
}

void lines_close(struct lines *l)
{
    struct lines_source *s = l ? l->source : NULL;

    if (!s)
        return;
    stream_close(&s->file);
    textline_close(&l->text);
    free(s);
    free(l->cell);
    memset(l, 0, sizeof *l);
}
