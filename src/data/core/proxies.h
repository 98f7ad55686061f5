/* Features that are the target: a column that was left in the table by mistake, the trait in other
 * units, the class as a number. A model that sees one is scored for copying it. */
#ifndef DATA_CORE_PROXIES_H
#define DATA_CORE_PROXIES_H

#include "data/core/dataset.h"

#define PROXY_CORRELATION 0.999 /* from this |r| on a feature is taken for the target */
#define PROXY_LEAST 10          /* samples with both */

struct proxy {
    int32_t feature;
    int32_t n_samples; /* with both */
    double r;          /* of classes: with the class's number or, where larger, with one class */
};

struct proxies {
    struct proxy *proxy; /* [n] in the order of the features; owned */
    int32_t n;
    int32_t capacity;
};

/* Look at all features, covariates too, over the labelled samples that have a value. (Of numbers
 * that are no dosages a value that is the column's mean counts as missing.) Nothing is noted where
 * chance would make such a feature: where the target's values can be dealt out in fewer than 1,000
 * ways for each feature. Where samples are graphs nothing is looked at.
 *
 * Cost: dosages of 1 % of the samples, at least 64, and other numbers once; then all samples of
 * each feature that those do not rule out. Pair with proxies_release(). -1 and err when memory is
 * short. Local. */
int proxies_find(struct proxies *out, const struct dataset *d, struct err *err);
void proxies_release(struct proxies *p); /* takes a zeroed one */

#endif
