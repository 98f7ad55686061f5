/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds features that are the target: a column left in by mistake, the trait in other units, the
 * class as a number. */
#ifndef DATA_CORE_TARGET_LEAKS_H
#define DATA_CORE_TARGET_LEAKS_H

#include "data/core/dataset.h"

#define TARGET_LEAK_CORRELATION 0.999 /* of |r| */
#define TARGET_LEAK_LEAST 10          /* samples with both values */

struct target_leak {
    int32_t feature;   /* from n_features on: columns of fixed effects */
    int32_t n_samples; /* samples with both values */
    double r;          /* for classes: with the number or with one class */
};

struct target_leaks {
    struct target_leak *leak; /* [n] by feature; owned */
    int32_t n;
};

/* Examine all features and fixed effects over labelled samples that have a value (in features
 * other than dosages, the column's mean counts as missing). Finds nothing if the target's values
 * have fewer than 1,000 permutations per feature, or if samples are graphs. Costs one pass over 1 %
 * of the samples, at least 64, for dosages, and over all for other features; then all samples of
 * each feature not ruled out. Pair with target_leaks_release(). Local. */
int target_leaks_find(struct target_leaks *out, const struct dataset *d, struct err *err);
/* Its name, of a feature or a fixed effect. */
const char *target_leak_name(const struct dataset *d, const struct target_leak *leak);

void target_leaks_release(struct target_leaks *p);

#endif
