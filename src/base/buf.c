/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/buf.h"

#include <assert.h>
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

void buf_cut(struct buf *buf, size_t size)
{
    assert(size <= buf->size);
    buf->size = size;
    if (buf->data)
        buf->data[size] = '\0';
}

bool buf_failed(const struct buf *buf)
{
    return buf->failed;
}

const char *buf_text(const struct buf *buf)
{
    return buf->data ? buf->data : "";
}

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

void buf_put_decimal(struct buf *buf, int64_t value)
{
    uint64_t rest = value < 0 ? -(uint64_t)value : (uint64_t)value;
    char digits[20];
    size_t at = sizeof digits;

    do
        digits[--at] = (char)('0' + rest % 10);
    while (rest /= 10);
    if (value < 0)
        digits[--at] = '-';
    buf_add(buf, digits + at, sizeof digits - at);
}

/* Most texts are short and are formatted once. */
void buf_printf(struct buf *buf, const char *format, ...)
{
    char text[128];
    va_list args;
    int n;

    va_start(args, format);
    n = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (n < 0)
        return;
    if ((size_t)n < sizeof text) {
        buf_add(buf, text, (size_t)n);
        return;
    }
    if (!buf_reserve(buf, (size_t)n))
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
