/* SPDX-License-Identifier: BSD-3-Clause */
/* Dense features while a table is being read: rows are added, then constant columns are dropped and
 * missing values are filled in. Values are stored as small integers (data/core/dataset.h), so that
 * a genotype takes one byte. The first value that does not fit turns all of them into floats. */
#ifndef DATA_CORE_COLUMNS_H
#define DATA_CORE_COLUMNS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "data/core/dataset.h"
#include "data/core/filter.h"
#include "data/text/names.h"
#include "data/text/table.h"

struct columns {
    int8_t *dosage; /* (n_rows, n_cols) row-major, DOSAGE_MISSING where missing; NULL where v is
                       used */
    float *v;       /* (n_rows, n_cols) row-major, NaN where missing; NULL where dosage is used */
    int32_t n_rows;
    int32_t n_cols;
    int32_t row_capacity;
    const char **name;           /* [n_cols] array owned, texts owned by the table */
    const struct names *missing; /* words and numbers that mean "missing", besides those of
                                    table_is_missing(); borrowed; NULL: none */
};

/* Take all columns of an open table except the first, which is the id. rows_expected > 0 creates
 * that many rows of missing values; 0 creates none. Pair with columns_release(). */
int columns_init(struct columns *c, const struct table *t, int32_t rows_expected, struct err *err);
void columns_release(struct columns *c);

/* Append a row of missing values. */
int columns_add_row(struct columns *c, struct err *err);
/* Fill row i from the table's current row. -1 and err if a cell is not a number or memory is
 * short. */
int columns_read_row(struct columns *c, int32_t i, const struct table *t, struct err *err);

/* Keep only the rows row[n], in this order. No row may occur twice. */
int columns_take_rows(struct columns *c, const int32_t *row, int32_t n, struct err *err);
/* Tally each column; tally has n_cols entries. */
void columns_tally(struct tally *tally, const struct columns *c);
/* Keep only the columns j with keeps[j]. */
void columns_keep(struct columns *c, const bool *keeps);
/* Drop each column whose present values are all equal. *n_dropped receives their number. */
int columns_drop_constant(struct columns *c, int32_t *n_dropped, struct err *err);
/* Count missing values in *n_missing and replace those of float columns by the mean of the column's
 * present values. Small integers stay marked, because a dataset stores their means separately. -1
 * and err if a column has no value. */
int columns_impute(struct columns *c, int64_t *n_missing, struct err *err);

#endif
