#include "data/text/textline.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

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
                 "a line of more than %zu bytes: a line may have at most that many; check that the "
                 "file is text and has line ends",
                 limit);
}

int textline_too_many(struct err *err, const char *path, int64_t number, size_t limit)
{
    return fault(err, path, number,
                 "a line of more than %zu cells: a line may have at most that many; check that the "
                 "file is a table of text",
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

/* Move bytes of the chunk up to the next line end, or all of them, into the line. */
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
    buf_add(&t->text, "", 0); /* a text even where it is empty */
    if (buf_failed(&t->text))
        return err_nomem(err, t->path, t->text.size);
    if (memchr(t->text.data, '\0', t->text.size))
        return fault(err, t->path, t->number, "a NUL byte: must be text");
    return 1;
}
