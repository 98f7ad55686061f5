/* SPDX-License-Identifier: BSD-3-Clause */
/* The answer to a query: names and cells. The readers in query.h and the writers in report/ meet
 * here. */
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

/* The cell of a row in the column of this name, borrowed; NULL where there is no such column. */
const struct cell *result_table_find(const struct result_table *table, int64_t row,
                                     const char *column);

/* The value of a cell, by the name of its column, which the table must have (asserted). Integer: 0
 * where the cell is no integer. Real: NaN where it is no number. Text: borrowed; "" where it is no
 * text. */
int64_t result_table_integer(const struct result_table *table, int64_t row, const char *column);
double result_table_real(const struct result_table *table, int64_t row, const char *column);
const char *result_table_text(const struct result_table *table, int64_t row, const char *column);

/* Take the last column out. */
void result_table_drop_last(struct result_table *table);

/* Take the last column out where nothing is in it. */
void result_table_drop_empty(struct result_table *table);

#endif
