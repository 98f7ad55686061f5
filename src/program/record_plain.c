/* SPDX-License-Identifier: BSD-3-Clause */
#include "program/record.h"

#include <string.h>

#include "program/characters.h"

/* Skip ESC, and all of a sequence that sets a colour: ESC [ parameters letter. */
static const char *skip_escape(const char *at, const char *end)
{
    at++;
    if (at == end || *at != '[')
        return at;
    at++;
    while (at < end && is_among(*at, "0123456789;?"))
        at++;
    return at + (at < end);
}

/* Remove the last n characters of UTF-8. */
static void cut_characters(struct buf *text, size_t n)
{
    size_t size = text->size;

    for (; n && size; n--) {
        size--;
        while (size && (text->data[size] & 0xc0) == 0x80)
            size--;
    }
    buf_cut(text, size);
}

/* Signs beyond ASCII, and what they mean here: a plus-minus sign ends a value. */
static const struct {
    const char *sign;
    char plain;
} signs[] = {{"\xc2\xa0", ' '},     {"\xc2\xb1", ' '},     {"\xc2\xb2", '2'},
             {"\xe2\x94\x82", '|'}, {"\xe2\x94\x83", '|'}, {"\xe2\x88\x92", '-'}};

/* Return the length of the sign at `at`; 0: none. */
static size_t find_sign(char *plain, const char *at, const char *end)
{
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        size_t n = strlen(signs[i].sign);

        if ((size_t)(end - at) >= n && !memcmp(at, signs[i].sign, n)) {
            *plain = signs[i].plain;
            return n;
        }
    }
    return 0;
}

void record_plain(struct buf *plain, const char *line, size_t n)
{
    const char *at = line, *end = line + n;
    size_t n_back = 0;

    buf_clear(plain);
    while (at < end) {
        char c = *at;

        if (c == '\033') {
            at = skip_escape(at, end);
            continue;
        }
        if (c == '\b') {
            n_back++;
        } else {
            cut_characters(plain, n_back);
            n_back = 0;
            buf_putc(plain, c);
        }
        at++;
    }
}

void record_plain_signs(struct buf *plain)
{
    const char *at = plain->data, *end = at + plain->size;
    char *out = plain->data;

    while (at < end) {
        char c = *at;
        size_t n = (unsigned char)c < 0x80 ? 0 : find_sign(&c, at, end);

        *out++ = c;
        at += n ? n : 1;
    }
    buf_cut(plain, (size_t)(out - plain->data));
}
