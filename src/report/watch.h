/* SPDX-License-Identifier: BSD-3-Clause */
/* The view of `watch`: the progress of a sweep and a few tables, as lines of text fitted to a
 * terminal. */
#ifndef REPORT_WATCH_H
#define REPORT_WATCH_H

#include <stdbool.h>

#include "base/buf.h"
#include "store/query/progress.h"

struct watch_facts {
    struct progress progress;
    double limit_s; /* until the time limit; NaN: none. The caller sets it. */
    /* Owned: the first rows of the leaderboard; QUERY_RUNNING, QUERY_REASONS. */
    struct result_table top, running, reasons;
    int64_t top_done;         /* trials that were done when `top` was read */
    double top_s, top_cost_s; /* when by clock_system, and the processor time that it took */
};

/* Read the facts of a sweep at one moment; name NULL: the one that ran last. before: earlier facts,
 * or NULL; `top` is taken from there while reading it would use much of the time. Pair with
 * watch_release(), whatever the result. -1 and err; then `before` is unchanged. */
int watch_read(struct watch_facts *facts, struct store *store, const char *name,
               struct watch_facts *before, struct err *err);
void watch_release(struct watch_facts *facts);

struct watch_style {
    int rows;     /* of the terminal; 0: no limit */
    int columns;  /* no line is wider */
    bool is_utf8; /* blocks and an ellipsis; else ASCII */
    /* SGR sequences, or "". */
    const char *bold, *plain, *error, *warning;
    const char *note; /* the last line, at the bottom; NULL: none, and the view may be shorter */
};

/* Append lines that each end in a line feed, harmless to terminals. With few rows the most
 * important lines are left. Pure, like the next. */
void watch_frame(struct buf *out, const struct watch_facts *facts, const struct watch_style *style);

/* Append one plain line, for where there is no terminal. */
void watch_line(struct buf *out, const struct watch_facts *facts);

#endif
