/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/text/textline.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_BYTES ((size_t)1 << 18)

static int fault(struct err *err, const struct textline *t, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static int fault(struct err *err, const struct textline *t, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    err_vset_at(err, t->path, "", t->number, format, args);
    va_end(args);
    return -1;
}

static int read_stream(void *source, void *out, size_t *got, size_t n, struct err *err)
{
    return stream_read(out, got, source, n, err);
}

int textline_open_source(struct textline *t, const char *path, textline_read *read, void *source,
                         struct err *err)
{
    *t = (struct textline){
        .path = path, .limit = TEXTLINE_BYTES_MAX, .read = read, .source = source};
    t->chunk = malloc(CHUNK_BYTES);
    return t->chunk ? 0 : err_nomem(err, path, CHUNK_BYTES);
}

int textline_open(struct textline *t, const char *path, const char *wanted, struct err *err)
{
    return textline_open_source(t, path, read_stream, &t->file, err) ||
                   stream_open(&t->file, path, wanted, err)
               ? -1
               : 0;
}

void textline_close(struct textline *t)
{
    stream_close(&t->file);
    free(t->chunk);
    buf_release(&t->text);
    memset(t, 0, sizeof *t);
}

/* Returns 0 at the end. A chunk may begin with the LF of a CRLF. */
static int fill(struct textline *t, struct err *err)
{
    while (t->chunk_at == t->chunk_size) {
        t->chunk_at = t->chunk_size = 0;
        if (t->read(t->source, t->chunk, &t->chunk_size, CHUNK_BYTES, err))
            return -1;
        if (t->chunk_size == 0)
            return 0;
        t->chunk_at = t->is_after_cr && *t->chunk == '\n';
        t->is_after_cr = false;
    }
    return 1;
}

static int read_line(struct textline *t, struct err *err)
{
    size_t before = t->text.size;
    bool is_begun = false, is_done = false;

    while (!is_done) {
        int status = fill(t, err);
        const char *from = t->chunk + t->chunk_at, *end, *cr;
        size_t n = t->chunk_size - t->chunk_at;

        if (status < 0)
            return -1;
        if (!status)
            break;
        end = memchr(from, '\n', n);
        n = end ? (size_t)(end - from) : n;
        cr = memchr(from, '\r', n);
        n = cr ? (size_t)(cr - from) : n;
        is_begun = true;
        is_done = end || cr;
        if (n + t->text.size > t->limit) {
            t->number++;
            return fault(err, t,
                         "a line of more than %zu bytes: this is the limit; check that the file "
                         "is text and has line ends",
                         t->limit);
        }
        buf_add(&t->text, from, n);
        t->chunk_at += n + is_done;
        t->is_after_cr = cr && t->chunk_at == t->chunk_size;
        t->chunk_at += cr && !t->is_after_cr && t->chunk[t->chunk_at] == '\n';
    }
    if (!is_begun)
        return 0;
    t->number++;
    buf_add(&t->text, "", 0); /* a NUL even if it is empty */
    if (buf_failed(&t->text))
        return err_nomem(err, t->path, t->text.size);
    if (memchr(t->text.data + before, '\0', t->text.size - before))
        return fault(err, t, "a NUL byte: this is not text (save UTF-16 as UTF-8)");
    return 1;
}

int textline_next(struct textline *t, struct err *err)
{
    buf_clear(&t->text);
    return read_line(t, err);
}

int textline_append(struct textline *t, struct err *err)
{
    buf_putc(&t->text, '\n');
    return read_line(t, err);
}

int textline_peek(struct textline *t, struct err *err)
{
    size_t n = t->chunk_size - t->chunk_at, got = 1;

    if (n >= CHUNK_BYTES / 2)
        return 0;
    memmove(t->chunk, t->chunk + t->chunk_at, n);
    for (; n < CHUNK_BYTES && got; n += got)
        if (t->read(t->source, t->chunk + n, &got, CHUNK_BYTES - n, err))
            return -1;
    t->chunk_size = n;
    t->chunk_at = t->is_after_cr && n && *t->chunk == '\n';
    t->is_after_cr = false;
    return 0;
}
