/* SPDX-License-Identifier: BSD-3-Clause */
/* Dense features while they are being read: rows are added, then constant columns dropped and
 * missing values filled in. They are held as small integers (data/core/dataset.h) until a value
 * comes that is none, and as floats from then on: so genotypes take a byte each. */
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
    int8_t *dosage; /* (n_rows, n_cols) row-major, DOSAGE_MISSING where missing; or NULL and */
    float *v;       /* (n_rows, n_cols) row-major, NaN where missing */
    int32_t n_rows;
    int32_t n_cols;
    int32_t row_capacity;
    const char **name;           /* [n_cols] the array is owned, the texts belong to the table */
    const struct names *missing; /* words and numbers that stand for a missing value; borrowed,
                                    NULL: none beside those of table_is_missing() */
};

/* The columns of an open table but the first, which is the id. With rows_expected > 0 that many
 * rows are there at once, all missing; with 0, none. Pair with columns_release(). */
int columns_init(struct columns *c, const struct table *t, int32_t rows_expected, struct err *err);
void columns_release(struct columns *c); /* takes a zeroed one */

/* Append a row of missing values. */
int columns_add_row(struct columns *c, struct err *err);
/* Fill row i from the table's current row. -1 and err: a cell that is not a number, or memory is
 * short for floats. */
int columns_read_row(struct columns *c, int32_t i, const struct table *t, struct err *err);

/* Keep these rows, in this order: row[n], each once. */
int columns_take_rows(struct columns *c, const int32_t *row, int32_t n, struct err *err);
/* tally[n_cols] of the columns. */
void columns_tally(struct tally *tally, const struct columns *c);
/* Keep the columns j where keeps[j]. */
void columns_keep(struct columns *c, const bool *keeps);
/* Keep the columns whose present values are not all equal; the number dropped goes to n_dropped. */
int columns_drop_constant(struct columns *c, int32_t *n_dropped, struct err *err);
/* Count missing values to n_missing; in floats, put the mean of a column's present values in their
 * place (of small integers a dataset keeps the means apart). -1 and err: a column without any
 * value. */
int columns_impute(struct columns *c, int64_t *n_missing, struct err *err);

#endif
