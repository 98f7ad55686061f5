/* SPDX-License-Identifier: BSD-3-Clause */
/* A growing byte buffer, used for text (always followed by a NUL) and for messages on the wire.
 *
 * Running out of memory is sticky: later writes do nothing and buf_failed() says so, so that a
 * caller writes freely and checks once. */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf {
    char *data; /* owned; NULL while empty */
    size_t size;
    size_t capacity;
    bool failed;
};

/* Zero-initialise a struct buf to begin. Release takes a zeroed one. */
void buf_release(struct buf *buf);
void buf_clear(struct buf *buf); /* keeps the memory */
void buf_cut(struct buf *buf,
             size_t size); /* to its first `size` bytes, of which it has that many */
bool buf_failed(const struct buf *buf);
const char *buf_text(const struct buf *buf); /* never NULL */

void buf_add(struct buf *buf, const void *bytes, size_t n);
/* n more bytes for the caller to fill at once; NULL when memory is short. */
void *buf_extend(struct buf *buf, size_t n);
void buf_puts(struct buf *buf, const char *text);
void buf_putc(struct buf *buf, char c);
void buf_put_decimal(struct buf *buf, int64_t value); /* as "%lld" */
void buf_printf(struct buf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Packing: fixed-width values in the machine's byte order (all ranks of a sweep are alike). */
void buf_put_u32(struct buf *buf, uint32_t v);
void buf_put_i64(struct buf *buf, int64_t v);
void buf_put_f64(struct buf *buf, double v);
void buf_put_text(struct buf *buf, const char *text); /* length, then bytes; NULL packs as "" */

/* Unpacking: a cursor over borrowed bytes. Reading past the end is sticky too: zeros come back
 * and `failed` is set, so that a truncated message is noticed once, after the last field. */
struct cursor {
    const char *data;
    size_t size;
    size_t at;
    bool failed;
};

uint32_t cursor_u32(struct cursor *cursor);
int64_t cursor_i64(struct cursor *cursor);
double cursor_f64(struct cursor *cursor);
/* Borrowed bytes of n; NULL when they are not there. */
const void *cursor_bytes(struct cursor *cursor, size_t n);
/* Copies a packed text into out[size], cutting what does not fit; always NUL-terminated. */
void cursor_text(struct cursor *cursor, char *out, size_t size);

#endif
