/* SPDX-License-Identifier: BSD-3-Clause */
/* Which columns of a table fit a terminal, and how wide they are. A pure function. */
#ifndef REPORT_LAYOUT_H
#define REPORT_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

/* Blanks between two columns. */
#define LAYOUT_GAP 2

struct layout_column {
    const char *name;
    int width;    /* in: what the widest cell and the name need; out: what they get */
    int least;    /* in: what the name needs; a column never gets less */
    bool is_text; /* in: cells may be cut */
    bool is_same; /* in: several rows, and all have the same cell */
    bool is_left_out;
};

/* Fit columns [n] into a number of terminal columns (0: no limit).
 *
 * Wide text columns are narrowed first. If that does not suffice, columns are left out: first those
 * of `drop` in its order, then the others from the right. Narrow ones return into the room that wide
 * ones leave. `drop` and `keep` are names with blanks between them, or NULL. Names of `drop` with "+"
 * between them are left out together. In `drop`, "*" stands for the columns of neither list, and "="
 * for those of them that are the same in all rows. Columns of `keep` always stay, even if they do not fit. */
void layout_fit(struct layout_column *columns, int32_t n, int width, const char *keep,
                const char *drop);

#endif
