/* SPDX-License-Identifier: BSD-3-Clause */
/* What several models say of the same samples: their table and their scores. */
#ifndef PREDICT_PREDICTIONS_H
#define PREDICT_PREDICTIONS_H

#include "base/err.h"
#include "data/core/dataset.h"
#include "store/result_table.h"

struct predictions {
    const struct dataset *data; /* class names; borrowed */
    const char *const *id;      /* [n] borrowed */
    int32_t n;                  /* samples */
    int32_t n_models;
    int32_t n_outputs;    /* C */
    bool is_probability;  /* of classes; else their scores */
    const int64_t *trial; /* [n_models] ids, borrowed */
    double *v;            /* (n_models, n, C) NaN where a model was not asked */
};

/* Room for n samples, all NaN. The other members are the caller's. Pair with predictions_release().
 */
int predictions_init(struct predictions *p, int32_t n, int32_t n_models, int32_t n_outputs,
                     struct err *err);
void predictions_release(struct predictions *p); /* takes a zeroed one */

/* Append a row for each sample that a model was asked of to a table that begins zeroed:
 * id, prediction, sd, models; of classes prediction is the likeliest by the mean over models, sd
 * that of its probability, and p_NAME (score_NAME) the means; where is_each is set, t12 ... what
 * each model says (of classes t12_NAME). sd: between models, n - 1; NULL for one. */
int predictions_put(struct result_table *table, const struct predictions *p, bool is_each,
                    struct err *err);

/* Say how good predictions of samples of the training data are that were held out of training:
 * together, and, as recorded, the mean of each model's own score. p: of all samples, those of
 * `part` filled in. */
int predictions_score(const struct predictions *p, const char *part, struct err *err);

#endif
