/* SPDX-License-Identifier: BSD-3-Clause */
/* The samples of a file of genotypes that are to be predicted. */
#ifndef PREDICT_NEW_SAMPLES_H
#define PREDICT_NEW_SAMPLES_H

#include "data/core/covariates.h"
#include "data/genotype/recode.h"
#include "grid/settings.h"

struct new_samples {
    struct recode recode;
    int32_t *sample; /* [n] places in the file */
    const char **id; /* [n] borrowed from recode */
    int32_t n;
    int32_t n_known; /* left out: they have a phenotype in the data */
    int32_t n_twice; /* of n, that are samples of the data too */
    int32_t n_markers;
    struct recode_report report; /* missing calls: of all that were read */
    bool is_read;
    const char *phenotypes; /* table of covariates, borrowed; NULL: the data have none */
    struct mat covariates;  /* (n, F - markers) */
    struct covariates_report covariates_report;
};

/* Read the ids of path, and their covariates from the table `phenotypes`, NULL where the data have
 * none. takes_known: also samples that have a phenotype in the data. Pair with new_samples_close(),
 * also after a failure. -1 and err: the data are no genotypes; they have covariates and no table is
 * given, or the other way round; a file is faulty; nobody is left. */
int new_samples_open(struct new_samples *n, const struct dataset *data,
                     const struct settings *settings, const char *path, const char *phenotypes,
                     bool takes_known, struct err *err);
void new_samples_close(struct new_samples *n); /* takes a zeroed one */

/* x out (count, F): features of newcomers [first, first + count). Tells once what was found of the
 * markers. -1 and err: less than half of them, unless is_forced; none; the file is faulty. */
int new_samples_read(struct mat *x, struct new_samples *n, int32_t first, int32_t count,
                     bool is_forced, struct err *err);

/* After the last: how many calls and covariates were missing. */
void new_samples_report_missing(const struct new_samples *n);

#endif
