/* SPDX-License-Identifier: BSD-3-Clause */
/* The samples of a genotype file that are to be predicted. */
#ifndef PREDICT_NEW_SAMPLES_H
#define PREDICT_NEW_SAMPLES_H

#include "data/core/covariates.h"
#include "data/genotype/recode.h"
#include "grid/settings.h"

struct new_samples {
    struct recode recode;
    int32_t *sample; /* [n] indexes in the file */
    const char **id; /* [n] borrowed from recode */
    int32_t n;
    int32_t n_known; /* skipped: they have a phenotype in the training data */
    int32_t n_twice; /* samples among the n that the training data have too */
    int32_t n_markers;
    struct recode_report report; /* missing calls are those of all samples read so far */
    bool is_read;
    const char *phenotypes; /* table of covariates, borrowed; NULL: no covariates */
    struct mat covariates;  /* (n, F - markers) */
    struct covariates_report covariates_report;
};

/* Read the ids of path, and covariates from the table `phenotypes` (NULL: the data have none).
 * takes_known: include samples that have a phenotype in the data. Pair with new_samples_close(),
 * also after a failure. Returns -1 and err if the data are not genotypes, if a table of covariates
 * is missing or unwanted, if a file is faulty, or if no sample is left. */
int new_samples_open(struct new_samples *n, const struct dataset *data,
                     const struct settings *settings, const char *path, const char *phenotypes,
                     bool takes_known, struct err *err);
void new_samples_close(struct new_samples *n); /* accepts a zeroed one */

/* x out (count, F): features of samples [first, first + count). The first call reports how many
 * markers were found. Returns -1 and err if these are less than half (unless is_forced) or none, or
 * if the file is faulty. */
int new_samples_read(struct mat *x, struct new_samples *n, int32_t first, int32_t count,
                     bool is_forced, struct err *err);

/* After the last: report how many calls and covariates were missing. */
void new_samples_report_missing(const struct new_samples *n);

#endif
