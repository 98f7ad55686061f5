/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds samples with the same markers: one accession under two names, a clone, a sample genotyped
 * twice. If they are on both sides of a split, a model can memorise the answer. */
#ifndef DATA_GENOTYPE_DUPLICATES_H
#define DATA_GENOTYPE_DUPLICATES_H

#include "data/core/dataset.h"

struct duplicates {
    int32_t *member; /* [n_members] samples that have a duplicate, set by set; owned */
    int32_t *start;  /* [n_sets + 1] where each set begins in member; owned */
    int32_t n_sets;  /* sets are ordered by first sample, samples within a set ascend */
    int32_t n_members;
};

/* Find sets of samples with equal markers as read, without covariates. A missing call equals only a
 * missing call. Cost: one pass over the markers. Only for dense features and samples that are
 * nodes. Pair with duplicates_release(). Local. */
int duplicates_find(struct duplicates *out, const struct dataset *d, struct err *err);
void duplicates_release(struct duplicates *dup);

/* Count the sets with labelled samples on different sides. side[i] is a number for each side,
 * negative for a sample on no side. */
int32_t duplicates_straddling(const struct duplicates *dup, const int32_t *side);
/* True if this set has labelled samples on different sides. */
bool duplicates_straddles(const struct duplicates *dup, int32_t set, const int32_t *side);

#endif
