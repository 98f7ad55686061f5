/* SPDX-License-Identifier: BSD-3-Clause */
/* The view of `watch` as lines of text, fitted to a terminal. Pure. */
#ifndef REPORT_WATCH_FRAME_H
#define REPORT_WATCH_FRAME_H

#include <stdbool.h>

#include "base/buf.h"
#include "report/watch_facts.h"

struct watch_style {
    int rows;     /* of the terminal; 0: no limit */
    int columns;  /* no line is wider */
    bool is_utf8; /* blocks and an ellipsis; else ASCII */
    /* SGR sequences, or "". */
    const char *bold, *plain, *error, *warning;
    const char *note; /* the last line, at the bottom; NULL: none, and the view may be shorter */
};

/* Append lines that each end in a line feed, harmless to terminals. With few rows the most
 * important lines are left. */
void watch_frame(struct buf *out, const struct watch_facts *facts, const struct watch_style *style);

/* Append one plain line, for where there is no terminal. */
void watch_line(struct buf *out, const struct watch_facts *facts);

#endif
