/* SPDX-License-Identifier: BSD-3-Clause */
/* Covariates: columns of the phenotype table (latitude, year, block) as features beside the
 * markers.
 *
 * A column of numbers is one feature. A column of words, or one written as factor(NAME), is one
 * feature for each of its words, 1 where a sample has it and 0 elsewhere. All of them, for a
 * network is trained with weight decay and dropout: a word left out would be the one that these do
 * not touch, and which it is would change the model. That the columns of a factor sum to 1 troubles
 * a solver of normal equations, not a descent. A missing cell is the column's mean in every feature
 * of it, which is 0 when they are standardised. */
#ifndef DATA_CORE_COVARIATES_H
#define DATA_CORE_COVARIATES_H

#include "data/core/data_spec.h"
#include "data/core/phenotype.h"
#include "data/text/names.h"

struct covariates {
    float *v;    /* (n_samples, n) row-major */
    char **name; /* [n] the column's, or COLUMN=WORD; owned */
    int32_t n;
    int32_t capacity;
    int32_t n_columns;        /* of the table, that became features */
    int64_t n_missing;        /* their missing cells, set to the mean */
    const char **all_names;   /* [n_features] the draft's, owned, as the next; the texts are not */
    const char **all_alleles; /* [n_features] */
    const char **all_ids;     /* likewise, of markers */
};

/* Pair with covariates_release(), also after a failure. -1 and err: a column that tells no samples
 * apart (no value, one value, a word for each sample), words among numbers, a word that is not
 * UTF-8. */
int covariates_make(struct covariates *c, const struct phenotype *p, struct err *err);
void covariates_release(struct covariates *c); /* takes a zeroed one */

/* Append them to the features of a draft, which are its markers from now on; lends the arrays.
 * Without covariates the draft is left alone. -1 and err when memory is short. */
int covariates_into(struct draft *draft, struct covariates *c, struct err *err);

/* Covariates of new samples, as features for the models of a data set: the same columns in the same
 * order. A number is taken as it is, a word sets the feature of its own; what is missing is the
 * mean of the data in every feature of the column, as it was there, and so is a word that the data
 * have not. */
struct covariates_report {
    int32_t n_absent;          /* samples without a row */
    int64_t n_missing;         /* cells of the others, those with an unknown word not counted */
    int64_t n_unknown;         /* cells with a word that the data have not */
    char column[81], word[81]; /* of the first of them */
    int64_t line;
};

/* out (n, F - K): of the samples ids[sample[i]], which come from the file `source`. spec: the
 * data's with a table of its own in phenotypes. Pair with mat_release(), also after a failure. -1
 * and err: the table is faulty, has not one of the columns, has nobody of ids or a word among
 * numbers. */
int covariates_read_new(struct mat *out, struct covariates_report *report,
                        const struct dataset *data, const struct data_spec *spec,
                        const struct names *ids, const int32_t *sample, int32_t n,
                        const char *source, struct err *err);

#endif
