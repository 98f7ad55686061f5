/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/pen.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/text_width.h"

static void put_styled(struct pen *pen, const char *style, const char *text, size_t n)
{
    buf_puts(pen->out, style);
    buf_add(pen->out, text, n);
    if (*style)
        buf_puts(pen->out, pen->plain);
}

static void put_cut(struct pen *pen, const char *style, const char *text)
{
    const char *mark = pen->is_utf8 ? "\xe2\x80\xa6" : "...";
    int kept = pen->left - text_width(mark);

    if (kept > 0) {
        put_styled(pen, style, text, text_prefix(text, kept));
        buf_puts(pen->out, mark);
    } else if (pen->left > 0) {
        put_styled(pen, style, text, text_prefix(text, pen->left));
    }
    pen->left = 0;
}

void pen_put(struct pen *pen, const char *style, const char *format, ...)
{
    va_list args;
    char *text;
    int n;

    va_start(args, format);
    n = vasprintf(&text, format, args);
    va_end(args);
    if (n < 0) {
        pen->out->failed = true;
        return;
    }
    escape_terminal(text, false);
    if (text_width(text) <= pen->left) {
        put_styled(pen, style, text, strlen(text));
        pen->left -= text_width(text);
    } else {
        put_cut(pen, style, text);
    }
    free(text);
}

void pen_put_part(struct pen *pen, const char *style, const char *part)
{
    const char *gap = pen->left < pen->columns ? ", " : "";

    if (*part && text_width(gap) + text_width(part) <= pen->left) {
        pen_put(pen, "", "%s", gap);
        pen_put(pen, style, "%s", part);
    }
}

void pen_end_line(struct pen *pen)
{
    buf_putc(pen->out, '\n');
    pen->left = pen->columns;
    pen->lines++;
}
