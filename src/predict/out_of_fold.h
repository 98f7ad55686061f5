/* SPDX-License-Identifier: BSD-3-Clause */
/* Out-of-fold predictions: a kept model applied to the validation part of its own trial. They are
 * stored beside the model, so that reports need neither data nor model (doc/decisions/0029). */
#ifndef PREDICT_OUT_OF_FOLD_H
#define PREDICT_OUT_OF_FOLD_H

#include "predict/predictor.h"
#include "store/store.h"

/* For the trials of one configuration. */
struct out_of_fold {
    struct store *store; /* borrowed, like the next two */
    struct prepared *prepared;
    const struct dataset *data;
    struct settings settings;
    struct predictor predictor;
    struct buf file, json; /* scratch */
};

/* The caller has set the first four members, the others are zero. -1 and err: no memory. Pair with
 * out_of_fold_release(), also after a failure. */
int out_of_fold_init(struct out_of_fold *o, struct err *err);
void out_of_fold_release(struct out_of_fold *o);

/* The number of outputs: samples of the validation part times classes. -1 and err: no memory. */
int64_t out_of_fold_count(struct out_of_fold *o, int32_t replicate, int32_t fold, struct err *err);

enum out_of_fold_end {
    OUT_OF_FOLD_STORED,
    OUT_OF_FOLD_IMPOSSIBLE, /* err: the model is damaged, or memory is short */
    OUT_OF_FOLD_UNWRITTEN   /* err: the database cannot be written */
};

/* Add a row for each sample of the trial's validation part. The caller commits. Numbers have the
 * digits of `predict`. */
enum out_of_fold_end out_of_fold_put(struct out_of_fold *o, int64_t trial_id, int32_t replicate,
                                     int32_t fold, struct err *err);

#endif
