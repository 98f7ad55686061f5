/* SPDX-License-Identifier: BSD-3-Clause */
/* The contents of the columns of a table, to tell ids, traits, classes, groups and molecules apart.
 */
#ifndef DATA_CORE_PROFILE_H
#define DATA_CORE_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "data/text/names.h"

/* Only the first columns of a wide table are looked at. */
enum { PROFILE_COLUMNS = 256 };

struct profile_column {
    char *name;           /* owned */
    int64_t n;            /* rows with a value */
    int64_t n_numbers;    /* of these, the numbers */
    int64_t n_whole;      /* of these, the whole ones */
    double low, high;     /* of the numbers; low > high without any */
    int64_t n_structures; /* values with a character that SMILES have and words have not */
    struct names seen;    /* the distinct values, up to a limit */
    bool is_cut;          /* the limit was reached */
};

struct profile {
    int32_t n_cols; /* of the table */
    int64_t n_rows;
    bool has_family;            /* the header begins FID IID */
    struct profile_column *col; /* [n] owned */
    int32_t n;                  /* at most PROFILE_COLUMNS */
};

/* Look at the rows whose cell in column id is among ids, at all rows where ids is NULL. ids are
 * borrowed during the call. Pair with profile_release(), also after a failure. -1 and err: as
 * table_open() and table_next(). */
int profile_read(struct profile *out, const char *path, const struct names *ids, int32_t id,
                 struct err *err);
void profile_release(struct profile *profile); /* takes a zeroed one */

/* The correlation of each column with one of them, over the rows that have a number in both; 0
 * where there are fewer than three, or no spread. r: [profile->n] out. The rest as profile_read().
 */
int profile_correlate(double *r, const struct profile *profile, const char *path,
                      const struct names *ids, int32_t id, int32_t column, struct err *err);

/* How many distinct values a column has that are among ids. */
int32_t profile_known(const struct profile_column *column, const struct names *ids);

bool profile_is_unique(const struct profile_column *column); /* no value twice */
bool profile_is_numeric(const struct profile_column *column);
bool profile_is_whole(const struct profile_column *column);

/* The number of the column of that name, -1 if it is not among those looked at. */
int32_t profile_find(const struct profile *profile, const char *name);

#endif
