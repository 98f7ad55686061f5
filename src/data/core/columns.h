/* SPDX-License-Identifier: BSD-3-Clause */
/* Dense features while a table is read. Values are small integers (data/core/dataset.h), one byte
 * each, until one does not fit; from then on all are floats. */
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
    int8_t *dosage; /* (n_rows, n_cols), DOSAGE_MISSING where missing; or NULL, and */
    float *v;       /* (n_rows, n_cols), NaN where missing */
    int32_t n_rows;
    int32_t n_cols;
    int32_t row_capacity;
    const char **name;           /* [n_cols] array owned, texts owned by the table */
    const struct names *missing; /* further words that mean "missing"; borrowed; or NULL */
};

/* Take all columns of an open table but the first, with rows_expected missing rows. Pair with
 * columns_release(). */
int columns_init(struct columns *c, const struct table *t, int32_t rows_expected, struct err *err);
void columns_release(struct columns *c);

/* The row is missing. */
int columns_add_row(struct columns *c, struct err *err);
/* Fill row i from the table's current row. -1 and err if a cell is not a number. */
int columns_read_row(struct columns *c, int32_t i, const struct table *t, struct err *err);

/* Keep the rows row[n], in this order, each at most once. */
int columns_take_rows(struct columns *c, const int32_t *row, int32_t n, struct err *err);
/* tally: out [n_cols]. */
void columns_tally(struct tally *tally, const struct columns *c);
void columns_keep(struct columns *c, const bool *keeps);
/* Count missing values. In float columns they become the mean of the present ones; a dataset stores
 * the means of small integers. -1 and err if a column has no value. */
int columns_impute(struct columns *c, int64_t *n_missing, struct err *err);

#endif
