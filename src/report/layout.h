/* SPDX-License-Identifier: BSD-3-Clause */
/* Fits the columns of a table to a terminal. Pure. */
#ifndef REPORT_LAYOUT_H
#define REPORT_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#define LAYOUT_GAP 2

struct layout_column {
    const char *name;
    int width;    /* in: of the widest cell or the name; out: what it gets */
    int least;    /* in: of the name */
    bool is_text; /* in: cells may be cut */
    bool is_same; /* in: several rows, and all have the same cell */
    bool is_left_out;
    int order; /* scratch: when it was left out */
};

/* Fit columns [n] into a number of terminal columns (0: no limit).
 *
 * Wide text columns are narrowed first. Then columns are left out: those of `drop` in its order,
 * then the others from the right. Narrow ones return into the room that wide ones leave. Columns of
 * `keep` always stay.
 *
 * Both lists are names with blanks between them, or NULL. In `drop`, "+" joins names that are left
 * out together, "*" stands for the columns of neither list, and "=" for those of them that are the
 * same in all rows. */
void layout_fit(struct layout_column *columns, int32_t n, int width, const char *keep,
                const char *drop);

#endif
