/* SPDX-License-Identifier: BSD-3-Clause */
#include "program/characters.h"

/* Return the byte behind an escape sequence of a terminal (ECMA-48): ESC [ parameters letter,
 * ESC ] text BEL, or ESC, bytes below '0' and one more. */
static const char *skip_escape(const char *at, const char *end)
{
    char kind = at + 1 < end ? at[1] : '\0';
    bool is_long = kind == '[' || kind == ']';

    for (at += is_long ? 2 : 1; at < end; at++)
        if (kind == ']' && *at == '\033') /* ESC \ ends it, too */
            return at;
        else if (kind == ']' ? *at == '\a' : *at >= (kind == '[' ? '@' : '0'))
            return at + 1;
    return at;
}

void characters_shown(struct buf *out, const char *at, const char *end)
{
    size_t n_back = 0;

    buf_clear(out);
    while (at < end) {
        if (*at == '\033') {
            at = skip_escape(at, end);
            continue;
        }
        if (*at == '\b') {
            n_back++;
        } else {
            size_t size = out->size;

            for (; n_back && size; n_back--) {
                size--;
                while (size && (out->data[size] & 0xc0) == 0x80)
                    size--;
            }
            n_back = 0;
            buf_cut(out, size);
            buf_putc(out, *at);
        }
        at++;
    }
}
