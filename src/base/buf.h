/* SPDX-License-Identifier: BSD-3-Clause */
/* A growing byte buffer for text (always followed by a NUL) and packed messages. A failed
 * allocation is sticky: write freely and check buf_failed() once. */
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

/* A zeroed struct is an empty buffer. */
void buf_release(struct buf *buf);
void buf_clear(struct buf *buf); /* keeps the memory */
/* Keep the first `size` bytes; there must be as many. */
void buf_cut(struct buf *buf, size_t size);
bool buf_failed(const struct buf *buf);
const char *buf_text(const struct buf *buf); /* never NULL */

void buf_add(struct buf *buf, const void *bytes, size_t n);
/* Append n bytes, which the caller must fill at once. NULL: out of memory. */
void *buf_extend(struct buf *buf, size_t n);
void buf_puts(struct buf *buf, const char *text);
void buf_putc(struct buf *buf, char c);
void buf_put_decimal(struct buf *buf, int64_t value);
void buf_printf(struct buf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Packing: fixed-width values in the machine's byte order, which all ranks share. */
void buf_put_u32(struct buf *buf, uint32_t v);
void buf_put_i64(struct buf *buf, int64_t v);
void buf_put_f64(struct buf *buf, double v);
void buf_put_text(struct buf *buf, const char *text); /* NULL is packed as "" */

/* Unpacking: a cursor over borrowed bytes. Reading past the end returns zeros and sets `failed`,
 * which stays. */
struct cursor {
    const char *data;
    size_t size;
    size_t at;
    bool failed;
};

uint32_t cursor_u32(struct cursor *cursor);
int64_t cursor_i64(struct cursor *cursor);
double cursor_f64(struct cursor *cursor);
/* Borrowed; NULL if there are fewer bytes. */
const void *cursor_bytes(struct cursor *cursor, size_t n);
/* Copy a packed text to out[size], cut to fit, with a NUL. */
void cursor_text(struct cursor *cursor, char *out, size_t size);

#endif
