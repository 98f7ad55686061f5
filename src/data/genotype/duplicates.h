/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples with the same markers: one accession under two names, a clone, a sample that was
 * genotyped twice. On both sides of a split they let a model answer by heart. */
#ifndef DATA_GENOTYPE_DUPLICATES_H
#define DATA_GENOTYPE_DUPLICATES_H

#include "data/core/dataset.h"

struct duplicates {
    int32_t *member; /* [n_members] samples that have a double, set after set; owned */
    int32_t *start;  /* [n_sets + 1] where each set begins in member; owned */
    int32_t n_sets;  /* in the order of their first samples, which stand in ascending order */
    int32_t n_members;
};

/* Compares the markers as they were read (covariates are none), missing calls being equal to
 * missing calls. Cost: one pass over the markers. Dense features only; samples are nodes. Pair with
 * duplicates_release(). -1 and err when memory is short. Local. */
int duplicates_find(struct duplicates *out, const struct dataset *d, struct err *err);
void duplicates_release(struct duplicates *dup); /* takes a zeroed one */

/* How many sets have labelled samples on different sides; side[i] is any number for each side and
 * negative for a sample that is on none. */
int32_t duplicates_straddling(const struct duplicates *dup, const int32_t *side);
/* The same of one set. */
bool duplicates_straddles(const struct duplicates *dup, int32_t set, const int32_t *side);

#endif
