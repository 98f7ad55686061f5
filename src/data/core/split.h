/* SPDX-License-Identifier: BSD-3-Clause */
/* Assigns samples to parts: train fits the weights, stop chooses the epoch, val ranks
 * configurations, test measures the result. Unlabelled samples are in no part.
 *
 * The test part depends only on the sweep seed and the setting `test`, folds on (sweep seed,
 * replicate), so that every configuration sees the same parts. Parts are stratified: the number of
 * samples of a class differs from its share by less than one.
 *
 * If the data have groups, none is divided between test, val and train, or between folds. Parts are
 * as close to their sizes as whole groups allow, found greedily:
 *   test, val  groups in random order; each joins or leaves if this brings the part closer to its
 *              fraction of every class, until none does. At least one group.
 *   folds      groups from large to small (at random within a factor of two), each to the fold
 *              with the fewest samples of its classes. In regression the sizes of two folds differ
 *              by at most the largest group; classes have no such bound. With as many folds as
 *              groups, fold f is the f-th group by name.
 * Source of the idea: GroupKFold and StratifiedGroupKFold of scikit-learn.
 *
 * The stop part is drawn last, from train: the fraction `stop`, stratified, by (sweep seed,
 * replicate, fold), or at least one whole group. The other parts do not depend on it. */
#ifndef DATA_CORE_SPLIT_H
#define DATA_CORE_SPLIT_H

#include "base/rng.h"
#include "data/core/dataset.h"

/* grid/requirements.h checks the ranges. */
struct split_spec {
    double test;   /* of labelled samples, in [0, 1) */
    double val;    /* of labelled samples; unused with folds */
    double stop;   /* of the remaining samples; 0: no stop part */
    int32_t folds; /* 0: one holdout split; else K >= 2 */
    int64_t seed;  /* sweep seed */
    int32_t replicate;
    int32_t fold; /* in [0, K) */
    /* A given stop part is part of train. */
    bool trains_on_stop;
};

/* Sample lists, ascending. */
struct split {
    int32_t *train; /* [n_train] owned; one allocation for all four */
    int32_t *val;
    int32_t *test;
    int32_t *stop;
    int32_t n_train, n_val, n_test, n_stop;
};

/* Given parts of the dataset replace the fractions test and val. folds > 0 then cuts train + val
 * into folds; stop > 0 draws the stop part from train.
 *
 * Pair with split_release(). -1 and err if a part would be empty (with groups: too few groups), given
 * parts divide a group, or stop > 0 and there is a given stop part. */
int split_make(struct split *out, const struct dataset *d, const struct split_spec *spec,
               struct err *err);
void split_release(struct split *split);

/* Finds the part that chooses the epoch: stop, or val if there is none. */
enum part split_chooser(const int32_t **nodes, int32_t *n, const struct split *split);

/* Count the groups outside test (and a given stop part): the most folds. d must have groups;
 * folds, fold, val and stop of spec are ignored. -1 and err like split_make(). */
int split_count_groups(int32_t *n, const struct dataset *d, const struct split_spec *spec,
                       struct err *err);

#endif
