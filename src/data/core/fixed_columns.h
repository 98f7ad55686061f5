/* SPDX-License-Identifier: BSD-3-Clause */
/* Fixed effects: columns of the phenotype table (sex, site, age) that every model fits without a
 * penalty (gcn/fixed.h).
 *
 * A column of numbers is one column of the data set; a column of words, or factor(NAME), has one
 * for each level, 1 where a sample has it. A missing number is the mean of its column over the data
 * set; a missing level is 0 in all columns of its factor, which gcn/fixed.h takes as the mean of the
 * levels' effects. */
#ifndef DATA_CORE_FIXED_COLUMNS_H
#define DATA_CORE_FIXED_COLUMNS_H

#include "data/core/data_report.h"
#include "data/core/data_spec.h"
#include "data/core/phenotype.h"
#include "data/text/names.h"

struct fixed_columns {
    double *v;       /* (n_samples, n) row-major */
    char **name;     /* [n] COLUMN or COLUMN=LEVEL; owned */
    int32_t *factor; /* [n] as in struct dataset */
    int32_t n;
    int32_t n_factors;
    int64_t n_missing;             /* cells */
    struct equality_count spelled; /* levels of the last factor that differ only in case */
    struct buf described;          /* "sex (F 900, M 914), age (a number)" */
};

/* Pair with fixed_columns_release(), also after a failure. -1 and err if a column does not
 * distinguish samples, mixes words with numbers, or is not UTF-8. */
int fixed_columns_make(struct fixed_columns *c, const struct phenotype *p, struct err *err);
void fixed_columns_release(struct fixed_columns *c);

/* Lends the arrays. */
void fixed_columns_into(struct draft *draft, const struct fixed_columns *c);
void fixed_columns_note(struct data_report *report, const struct fixed_columns *c);

/* Cells of new samples, coded as in the training data. An unknown level counts as missing. */
struct fixed_report {
    int32_t n_absent;          /* samples without a row */
    int64_t n_missing;         /* cells of the others */
    int64_t n_unknown;         /* cells with unknown levels */
    char column[81], word[81]; /* the first of these */
    int64_t line;
};

/* Read the fixed effects of the samples ids[sample[i]], i < n.
 *   out     out  [n q] caller frees, also after a failure
 *   spec    in   settings of the data, with the new table in phenotypes
 *   source  in   file of the ids, for messages */
int fixed_columns_read_new(double **out, struct fixed_report *report, const struct data_spec *spec,
                           const struct joined_ids *source, const int32_t *sample, int32_t n,
                           struct err *err);

#endif
