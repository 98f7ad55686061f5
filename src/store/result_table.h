/* SPDX-License-Identifier: BSD-3-Clause */
/* The answer to a query: names and cells. */
#ifndef STORE_RESULT_TABLE_H
#define STORE_RESULT_TABLE_H

#include <stdint.h>

enum cell_type { CELL_NULL, CELL_INTEGER, CELL_REAL, CELL_TEXT };

struct cell {
    enum cell_type type;
    int64_t i;
    double f;
    const char *s; /* owned by the table */
};

struct result_table {
    char **names; /* [n_cols] owned */
    int32_t n_cols;
    int64_t n_rows;
    struct cell *cells; /* [n_rows * n_cols] owned */
};

void result_table_release(struct result_table *table);

/* Return the cell of a row in the named column, borrowed, or NULL. */
const struct cell *result_table_find(const struct result_table *table, int64_t row,
                                     const char *column);

/* Return a cell's value by column name; the table must have the column. A cell of another type
 * reads as 0, NaN (integers read as reals) or "". The text is borrowed. */
int64_t result_table_integer(const struct result_table *table, int64_t row, const char *column);
double result_table_real(const struct result_table *table, int64_t row, const char *column);
const char *result_table_text(const struct result_table *table, int64_t row, const char *column);

/* Drop the last n columns. */
void result_table_drop_last(struct result_table *table, int32_t n);

/* Drop every column from `first` on without a value. */
void result_table_drop_empty(struct result_table *table, int32_t first);

#endif
