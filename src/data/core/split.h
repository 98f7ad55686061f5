/* SPDX-License-Identifier: BSD-3-Clause */
/* Who trains, who says when to stop, who selects, who tests.
 *
 * The test part depends on the sweep seed alone (and the setting `test`); folds on (sweep seed,
 * replicate). Neither on any other setting, so that every configuration sees the same parts.
 * Unlabelled samples are in no part. Classes are stratified: a part's share of each class differs
 * from the whole by less than one sample.
 *
 * Where the data have groups, none is on two sides: of test, val and train, and of two folds. Then
 * parts are as near to their sizes as whole groups are, found greedily:
 *   test, val  groups in random order, each that brings the part nearer to its fraction of every
 *              class, until no group that came or went would; at least one.
 *   folds      from large groups to small ones, each to the fold that has least of its classes. For
 *              numbers, the sizes of two folds differ by no more than the largest group; for
 *              classes no such bound holds, but they are spread as far as groups allow. As many
 *              folds as groups: fold f is the f-th of them in the order of their names.
 * Source of the idea: GroupKFold and StratifiedGroupKFold of scikit-learn.
 *
 * The stop part chooses the epoch, so that val need not, and its scores are of no sample that
 * anything of the training was chosen by. It is drawn last, from what would train: `stop` of these
 * samples, stratified, by (sweep seed, replicate, fold); with groups as near to that as whole
 * groups are, at least one. Test, val and folds are the same with and without it. */
#ifndef DATA_CORE_SPLIT_H
#define DATA_CORE_SPLIT_H

#include "base/rng.h"
#include "data/core/dataset.h"

struct split_spec {
    double test;   /* fraction of labelled samples, in [0, 1) */
    double val;    /* fraction of labelled samples; unused when folds > 0 */
    double stop;   /* fraction of those in neither, in [0, 1); 0: no such part */
    int32_t folds; /* 0: one holdout split; else K >= 2 */
    int64_t seed;  /* sweep seed */
    int32_t replicate;
    int32_t fold; /* in [0, K) */
    /* For a model without epochs: the stop part of a split file is trained on. */
    bool trains_on_stop;
};

/* Node lists, ascending. */
struct split {
    int32_t *train; /* [n_train] owned (one allocation, with the three below) */
    int32_t *val;
    int32_t *test;
    int32_t *stop;
    int32_t n_train, n_val, n_test, n_stop;
};

/* A dataset with a split file follows it (the fractions test and val, and folds, are then not used;
 * folds > 0 with a split file: its test and stop parts stay, train + val are cut into folds; stop >
 * 0: drawn from those that train, where the file has no stop part).
 * Pair with split_release(). -1 and err when train or val, or stop where one is asked for, would be
 * empty: with groups, where there are too few of them; when a split file tears one; and for stop >
 * 0 where the file has a stop part. */
int split_make(struct split *out, const struct dataset *d, const struct split_spec *spec,
               struct err *err);
void split_release(struct split *split);

/* The part that chooses the epoch: stop, or val where there is none. Sets *n. */
enum part split_chooser(const int32_t **nodes, int32_t *n, const struct split *split);

/* How many groups are outside the test part (and a given stop part), the most folds that can be.
 * The fields folds, fold, val and stop of spec are not used; d has groups. -1 and err as above. */
int split_count_groups(int32_t *n, const struct dataset *d, const struct split_spec *spec,
                       struct err *err);

#endif
