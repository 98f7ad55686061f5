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

int lines_fault(struct err *err, const struct lines *l, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    err_vset_at(err, l->path, "", l->line, format, args);
    va_end(args);
    return -1;
}

static const char blanks[] = " \t\r";

void textline_trim_end(char *text)
{
    size_t n = strlen(text);

    while (n && strchr(blanks, text[n - 1]))
        n--;
    text[n] = '\0';
}

static char *trim(char *text)
{
    text += strspn(text, blanks);
    textline_trim_end(text);
    return text;
}

static int add_cell(struct lines *l, char *text, struct err *err)
{
    if ((size_t)l->n_cells == TEXTLINE_CELLS_MAX(l->text.limit))
        return textline_too_many(err, l->path, l->line, l->text.limit);
    if (l->n_cells == l->cell_capacity) {
        int32_t capacity = l->cell_capacity ? 2 * l->cell_capacity : 8;
        char **grown = realloc(l->cell, (size_t)capacity * sizeof *grown);

        if (!grown)
            return err_nomem(err, l->path, (size_t)capacity * sizeof *grown);
        l->cell = grown;
        l->cell_capacity = capacity;
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
    if (wanted && l->n_cells != wanted)
        return lines_fault(err, l, "%d cells: the first line has %d", l->n_cells, wanted);
    return 0;
}

int lines_next(struct lines *l, struct err *err)
{
    int64_t empty = 0;
    int status;

    while ((status = textline_next(&l->text, err)) > 0) {
        char *text = trim(l->text.text.data);

        l->line = *text && empty ? empty : l->text.number;
        if (*text && empty)
            return lines_fault(
                err, l,
                "an empty line before the last row: rows are identified by their line number");
        if (*text)
            return cut(l, text, err) ? -1 : 1;
        empty = empty ? empty : l->line;
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

int lines_open(struct lines *l, const char *path, struct err *err)
{
    memset(l, 0, sizeof *l);
    l->path = path;
    if (stream_open(&l->file, path, "a file of text", err))
        return -1;
    if (!textline_open(&l->text, path, textline_read_stream, &l->file, err))
        return 0;
    lines_close(l);
    return -1;
}

void lines_close(struct lines *l)
{
    stream_close(&l->file);
    textline_close(&l->text);
    free(l->cell);
    memset(l, 0, sizeof *l);
}
