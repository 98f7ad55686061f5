/* SPDX-License-Identifier: BSD-3-Clause */
/* The samples of a genotype file to predict. */
#ifndef PREDICT_NEW_SAMPLES_H
#define PREDICT_NEW_SAMPLES_H

#include "data/core/fixed_columns.h"
#include "data/genotype/recode.h"
#include "grid/settings.h"

struct new_samples {
    struct recode recode;
    int32_t *sample; /* [n] places in the file */
    const char **id; /* [n] borrowed from recode */
    int32_t *known;  /* [n] places in the training data, or -1 */
    int32_t n;
    int32_t n_known;             /* skipped: they have a phenotype in the data */
    int32_t n_twice;             /* of the n, in the training data too */
    bool has_graph;              /* the models join samples */
    struct recode_report report; /* counts the missing calls of all samples read so far */
    bool is_read;
    const char *phenotypes; /* table of fixed effects, borrowed, or NULL */
    double *fixed;          /* (n, q), or NULL */
    struct fixed_report fixed_report;
};

/* Read the ids of path, and fixed effects from the table `phenotypes` (NULL: the data have none).
 * takes_known: include samples that have a phenotype in the data. Pair with new_samples_close(),
 * also after a failure. -1 and err: the data are not genotypes, a table of fixed effects is missing or
 * unwanted, a file is faulty, or no sample is left. */
int new_samples_open(struct new_samples *n, const struct dataset *data,
                     const struct settings *settings, const char *path, const char *phenotypes,
                     bool takes_known, struct err *err);
void new_samples_close(struct new_samples *n);

/* x out (count, F): features of samples [first, first + count). The first call reports how many
 * markers were found. -1 and err: these are less than half (unless accepts_few) or none, or the file
 * is faulty. */
int new_samples_read(struct mat *x, struct new_samples *n, int32_t first, int32_t count,
                     bool accepts_few, struct err *err);

/* (count, q) of the samples from `first`; NULL without. */
const double *new_samples_fixed(const struct new_samples *n, int32_t first);

/* Print the notes of a report, with `before` before each. */
void new_samples_report_notes(const struct data_report *r, const char *before);

/* After the last call: report how many calls and fixed effects were missing. */
void new_samples_report_missing(const struct new_samples *n);

#endif
