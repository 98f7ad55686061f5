/* Who trains, who selects, who tests.
 *
 * The test part depends on the sweep seed alone (and the setting `test`); folds on (sweep seed,
 * replicate). Neither on any other setting, so that every configuration sees the same parts.
 * Unlabelled samples are in no part. Classes are stratified: a part's share of each class differs
 * from the whole by less than one sample. */
#ifndef DATA_SPLIT_H
#define DATA_SPLIT_H

#include "data/dataset.h"

struct split_spec {
    double test;   /* fraction of labelled samples, in [0, 1) */
    double val;    /* fraction of labelled samples; unused when folds > 0 */
    int32_t folds; /* 0: one holdout split; else K >= 2 */
    int64_t seed;  /* sweep seed */
    int32_t replicate;
    int32_t fold; /* in [0, K) */
};

/* Node lists, ascending. */
struct split {
    int32_t *train; /* [n_train] owned (one allocation, with the two below) */
    int32_t *val;
    int32_t *test;
    int32_t n_train, n_val, n_test;
};

/* A dataset with a split file follows it (fractions and folds are then not used; folds > 0 with a
 * split file: its test part stays, train + val are cut into folds).
 * Pair with split_release(). -1 and err when train or val would be empty. */
int split_make(struct split *out, const struct dataset *d, const struct split_spec *spec,
               struct err *err);
void split_release(struct split *split);

#endif
