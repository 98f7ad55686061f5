/* SPDX-License-Identifier: BSD-3-Clause */
/* Profiles the columns of a table, so that `init` can distinguish their roles. */
#ifndef DATA_CORE_PROFILE_H
#define DATA_CORE_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "data/text/names.h"

/* Further columns are not profiled. */
enum { PROFILE_COLUMNS = 256 };

struct profile_column {
    char *name;           /* owned */
    int64_t n;            /* rows with a value */
    int64_t n_numbers;    /* of these, numbers */
    int64_t n_whole;      /* of these, whole numbers */
    double low, high;     /* of the numbers; low > high if none */
    int64_t n_structures; /* values with a character of SMILES that words lack */
    struct names seen;    /* distinct values */
    bool is_cut;          /* `seen` is not complete */
};

struct profile {
    int32_t n_cols; /* of the table */
    int64_t n_rows;
    bool has_family;
    struct profile_column *col; /* [n] owned */
    int32_t n;                  /* at most PROFILE_COLUMNS */
};

/* Profile the rows whose cell in column id is among ids, or all if ids is NULL. Pair with
 * profile_release(), also after a failure. -1 and err like table_open() and table_next(). */
int profile_read(struct profile *out, const char *path, const struct names *ids, int32_t id,
                 struct err *err);
void profile_release(struct profile *profile);

/* Counts distinct values of a column among ids. */
int32_t profile_known(const struct profile_column *column, const struct names *ids);

bool profile_is_unique(const struct profile_column *column); /* no value occurs twice */
bool profile_is_numeric(const struct profile_column *column);
bool profile_is_whole(const struct profile_column *column);
bool profile_is_structural(const struct profile_column *column); /* most values are SMILES */

/* Returns -1 if the column was not profiled. */
int32_t profile_find(const struct profile *profile, const char *name);

#endif
