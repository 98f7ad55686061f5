/* SPDX-License-Identifier: BSD-3-Clause */
/* Covariates: columns of the phenotype table (latitude, year, block) used as features beside the
 * markers.
 *
 * A column of numbers gives one feature; a column of words, or factor(NAME), one for each distinct
 * word, 1 where a sample has it. No word is left out as the reference, because weight decay and
 * dropout would not touch it. Gradient descent does not mind that the features of a factor sum to
 * 1. A missing cell gets the mean in each feature of its column. */
#ifndef DATA_CORE_COVARIATES_H
#define DATA_CORE_COVARIATES_H

#include "data/core/data_spec.h"
#include "data/core/phenotype.h"
#include "data/text/names.h"

struct covariates {
    float *v;    /* (n_samples, n) row-major */
    char **name; /* [n] COLUMN or COLUMN=WORD; owned */
    int32_t n;
    int32_t capacity;
    int32_t n_columns;        /* of the table */
    int64_t n_missing;        /* cells set to the mean */
    const char **all_names;   /* [n_features] owned arrays of borrowed texts, for the draft */
    const char **all_alleles; /* [n_features] */
    const char **all_ids;     /* [n_features] of markers */
};

/* Pair with covariates_release(), also after a failure. -1 and err if a column does not distinguish
 * samples, mixes words with numbers, or is not UTF-8. */
int covariates_make(struct covariates *c, const struct phenotype *p, struct err *err);
void covariates_release(struct covariates *c);

/* The draft's other features become the markers. Lends the arrays. */
int covariates_into(struct draft *draft, struct covariates *c, struct err *err);

/* Covariates of new samples, coded as in the training data. A missing cell or an unknown word gets
 * the data's mean in each feature of the column. */
struct covariates_report {
    int32_t n_absent;          /* samples without a row */
    int64_t n_missing;         /* cells of the others */
    int64_t n_unknown;         /* cells with unknown words */
    char column[81], word[81]; /* the first of these */
    int64_t line;
};

/* Read the covariates of the samples ids[sample[i]], i < n.
 *   out     out  (n, F - K)  pair with mat_release(), also after a failure
 *   spec    in   settings of the data, with the new table in phenotypes
 *   source  in   file of the ids, for messages */
int covariates_read_new(struct mat *out, struct covariates_report *report,
                        const struct dataset *data, const struct data_spec *spec,
                        const struct names *ids, const int32_t *sample, int32_t n,
                        const char *source, struct err *err);

#endif
