#include "base/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void buf_release(struct buf *buf)
{
    if (!buf)
        return;
    free(buf->data);
    memset(buf, 0, sizeof *buf);
}

void buf_clear(struct buf *buf)
{
    buf->size = 0;
    buf->failed = false;
    if (buf->data)
        buf->data[0] = '\0';
}

bool buf_failed(const struct buf *buf)
{
    return buf->failed;
}

const char *buf_text(const struct buf *buf)
{
    return buf->data ? buf->data : "";
}

/* Room for n more bytes and the NUL. */
static bool buf_reserve(struct buf *buf, size_t n)
{
    size_t need = buf->size + n + 1;
    size_t capacity = buf->capacity ? buf->capacity : 64;
    char *grown;

    if (buf->failed)
        return false;
    if (need <= buf->capacity)
        return true;
    while (capacity < need)
        capacity *= 2;
    grown = realloc(buf->data, capacity);
    if (!grown) {
        buf->failed = true;
        return false;
    }
    buf->data = grown;
    buf->capacity = capacity;
    return true;
}

void *buf_extend(struct buf *buf, size_t n)
{
    char *space;

    if (!buf_reserve(buf, n))
        return NULL;
    space = buf->data + buf->size;
    buf->size += n;
    buf->data[buf->size] = '\0';
    return space;
}

void buf_add(struct buf *buf, const void *bytes, size_t n)
{
    void *space = buf_extend(buf, n);

    if (space && n)
        memcpy(space, bytes, n);
}

void buf_puts(struct buf *buf, const char *text)
{
    buf_add(buf, text, strlen(text));
}

void buf_putc(struct buf *buf, char c)
{
    buf_add(buf, &c, 1);
}

void buf_printf(struct buf *buf, const char *format, ...)
{
    va_list args;
    int n;

    va_start(args, format);
    n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (n < 0 || !buf_reserve(buf, (size_t)n))
        return;
    va_start(args, format);
    vsnprintf(buf->data + buf->size, (size_t)n + 1, format, args);
    va_end(args);
    buf->size += (size_t)n;
}

void buf_put_u32(struct buf *buf, uint32_t v)
{
    buf_add(buf, &v, sizeof v);
}

void buf_put_i64(struct buf *buf, int64_t v)
{
    buf_add(buf, &v, sizeof v);
}

void buf_put_f64(struct buf *buf, double v)
{
    buf_add(buf, &v, sizeof v);
}

void buf_put_text(struct buf *buf, const char *text)
{
    uint32_t n = text ? (uint32_t)strlen(text) : 0;

    buf_put_u32(buf, n);
    buf_add(buf, text, n);
}

const void *cursor_bytes(struct cursor *cursor, size_t n)
{
    const void *bytes;

    if (cursor->failed || n > cursor->size - cursor->at) {
        cursor->failed = true;
        return NULL;
    }
    bytes = cursor->data + cursor->at;
    cursor->at += n;
    return bytes;
}

static void cursor_copy(struct cursor *cursor, void *out, size_t n)
{
    const void *bytes = cursor_bytes(cursor, n);

    if (bytes)
        memcpy(out, bytes, n);
    else
        memset(out, 0, n);
}

uint32_t cursor_u32(struct cursor *cursor)
{
    uint32_t v;

    cursor_copy(cursor, &v, sizeof v);
    return v;
}

int64_t cursor_i64(struct cursor *cursor)
{
    int64_t v;

    cursor_copy(cursor, &v, sizeof v);
    return v;
}

double cursor_f64(struct cursor *cursor)
{
    double v;

    cursor_copy(cursor, &v, sizeof v);
    return v;
}

void cursor_text(struct cursor *cursor, char *out, size_t size)
{
    uint32_t n = cursor_u32(cursor);
    const char *bytes = cursor_bytes(cursor, n);
    size_t keep = bytes ? n : 0;

    if (keep >= size)
        keep = size - 1;
    if (keep)
        memcpy(out, bytes, keep);
    out[keep] = '\0';
}
