/* SPDX-License-Identifier: BSD-3-Clause */
/* A small table made value by value, for report/answer.h. */
#ifndef REPORT_ROWS_H
#define REPORT_ROWS_H

#include <stdint.h>

#include "base/buf.h"
#include "store/result_table.h"

enum { ROWS_COLUMNS = 32 };

struct rows {
    char *names[ROWS_COLUMNS]; /* borrowed */
    int32_t n_cols;
    int64_t n_cells;
    struct buf cells; /* owned: struct cell; .i of a text is its place in `texts` */
    struct buf texts; /* owned */
    struct result_table table;
};

/* A table with these columns, names borrowed. Values are added row by row, from left to right.
 * A record is a zeroed struct: one row, whose columns are named as values are added. */
void rows_init(struct rows *rows, const char *const *names, int32_t n_cols);
void rows_release(struct rows *rows);

/* Add a value. name: of its column (asserted). */
void rows_integer(struct rows *rows, const char *name, int64_t value);
void rows_real(struct rows *rows, const char *name, double value);      /* NaN: no value */
void rows_text(struct rows *rows, const char *name, const char *value); /* NULL: no value */

/* Borrowed until the next call. NULL: memory was short. */
const struct result_table *rows_table(struct rows *rows);

#endif
