/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes lines of a given width, in styles, harmless to terminals. */
#ifndef REPORT_PEN_H
#define REPORT_PEN_H

#include <stdbool.h>

#include "base/buf.h"

struct pen {
    struct buf *out;   /* borrowed */
    int columns;       /* no line is wider */
    int left;          /* columns of the current line; at first `columns` */
    int lines;         /* ended so far */
    bool is_utf8;      /* the mark of a cut is an ellipsis; else three dots */
    const char *plain; /* the SGR sequence that ends a style */
};

/* Append text to the line, cut where the line ends. style: an SGR sequence, or "". */
void pen_put(struct pen *pen, const char *style, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Append ", part", or "part" at the start of a line, if it fits whole and is not empty. */
void pen_put_part(struct pen *pen, const char *style, const char *part);

void pen_end_line(struct pen *pen);

#endif
