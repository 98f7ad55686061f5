/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds equal samples: one accession under two names, a clone, a molecule that is listed twice. On
 * both sides of a split they let a model memorise the answer. */
#ifndef DATA_CORE_DUPLICATES_H
#define DATA_CORE_DUPLICATES_H

#include "data/core/dataset.h"

struct duplicates {
    int32_t *member; /* [n_members] set by set; owned */
    int32_t *start;  /* [n_sets + 1] into member; owned */
    int32_t n_sets;  /* ordered by first sample; samples of a set ascend */
    int32_t n_members;
};

/* Samples that are nodes are equal if their markers are, as read and without fixed effects; a missing
 * call equals only a missing call. Samples that are graphs are equal if they have the same colour
 * (data/core/colouring.h); stereochemistry is no feature. Only for dense features. Pair with
 * duplicates_release(). Local. */
int duplicates_find(struct duplicates *out, const struct dataset *d, struct err *err);
void duplicates_release(struct duplicates *dup);

/* True if a set has samples on different sides. side[i] is any number for each side, negative for
 * none. */
bool duplicates_straddles(const struct duplicates *dup, int32_t set, const int32_t *side);

/* Count the sets in which two samples have different values or classes. */
int32_t duplicates_disagreeing(const struct duplicates *dup, const struct dataset *d);

#endif
