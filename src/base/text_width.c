/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/text_width.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/escape.h"
#include "base/terminal.h"

const char *text_ellipsis(void)
{
    return terminal_is_utf8() ? "\xe2\x80\xa6" : "...";
}

/* Columns of the next character, and its bytes. Source: Unicode 15, EastAsianWidth.txt (W and F), and
 * the usual blocks of combining marks. */
static int next_columns(size_t *n, const char *text)
{
    static const struct {
        uint32_t from, to;
        int columns;
    } ranges[] = {
        {0x0300, 0x036f, 0}, {0x200b, 0x200f, 0},   {0xfe00, 0xfe0f, 0},   {0x1100, 0x115f, 2},
        {0x2e80, 0xa4cf, 2}, {0xac00, 0xd7a3, 2},   {0xf900, 0xfaff, 2},   {0xfe30, 0xfe6f, 2},
        {0xff00, 0xff60, 2}, {0x1f300, 0x1f64f, 2}, {0x1f900, 0x1f9ff, 2}, {0x20000, 0x3fffd, 2},
    };
    uint32_t code = 0;

    *n = utf8_next(&code, text);
    *n += !*n;
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (code >= ranges[i].from && code <= ranges[i].to)
            return ranges[i].columns;
    return 1;
}

size_t text_prefix(const char *text, int columns)
{
    const char *at = text;

    while (*at) {
        size_t n;

        columns -= next_columns(&n, at);
        if (columns < 0)
            break;
        at += n;
    }
    return (size_t)(at - text);
}

/* Columns of the first n bytes of a text. */
static int width_of(const char *text, size_t n)
{
    const char *end = text + n;
    int columns = 0;

    for (size_t size; text < end; text += size)
        columns += next_columns(&size, text);
    return columns;
}

int text_width(const char *text)
{
    return width_of(text, strlen(text));
}

void text_put_wrapped(struct buf *out, const char *text, int at, int indent, int width)
{
    bool is_first = true;

    while (*text) {
        size_t n = strcspn(text, " ");
        int columns = width_of(text, n);

        if (!is_first && at + 1 + columns > width) {
            buf_printf(out, "\n%*s", indent, "");
            at = indent;
        } else if (!is_first) {
            buf_putc(out, ' ');
            at++;
        }
        buf_add(out, text, n);
        at += columns;
        text += n + strspn(text + n, " ");
        is_first = false;
    }
}
