/* SPDX-License-Identifier: BSD-3-Clause */
/* Features that are the target: a column that was left in the table by mistake, the trait in other
 * units, the class as a number. A model that sees one is scored for copying it. */
#ifndef DATA_CORE_TARGET_LEAKS_H
#define DATA_CORE_TARGET_LEAKS_H

#include "data/core/dataset.h"

#define TARGET_LEAK_CORRELATION 0.999 /* from this |r| on a feature is taken for the target */
#define TARGET_LEAK_LEAST 10          /* samples with both */

struct target_leak {
    int32_t feature;
    int32_t n_samples; /* with both */
    double r;          /* of classes: with the class's number or, where larger, with one class */
};

struct target_leaks {
    struct target_leak *leak; /* [n] in the order of the features; owned */
    int32_t n;
    int32_t capacity;
};

/* Look at all features, covariates too, over the labelled samples that have a value. (Of numbers
 * that are no dosages a value that is the column's mean counts as missing.) Nothing is noted where
 * chance would make such a feature: where the target's values can be dealt out in fewer than 1,000
 * ways for each feature. Where samples are graphs nothing is looked at.
 *
 * Cost: dosages of 1 % of the samples, at least 64, and other numbers once; then all samples of
 * each feature that those do not rule out. Pair with target_leaks_release(). -1 and err when memory
 * is short. Local. */
int target_leaks_find(struct target_leaks *out, const struct dataset *d, struct err *err);
void target_leaks_release(struct target_leaks *p); /* takes a zeroed one */

#endif
