/* SPDX-License-Identifier: BSD-3-Clause */
/* The outputs of several models for the same samples, their table and their scores. */
#ifndef PREDICT_PREDICTIONS_H
#define PREDICT_PREDICTIONS_H

#include "base/err.h"
#include "data/core/dataset.h"
#include "store/result_table.h"

struct predictions {
    const struct dataset *data; /* borrowed */
    const char *const *id;      /* [n] borrowed */
    const uint8_t *part;        /* [n] enum part: how the models know a sample; borrowed; NULL:
                                   unknown */
    int32_t n;                  /* samples */
    int32_t n_models;
    int32_t n_outputs;    /* C */
    bool is_probability;  /* otherwise class scores */
    double unit;          /* sd of the target in training; 1 for classes */
    const int64_t *trial; /* [n_models] ids, borrowed */
    double *v;            /* (n_models, n, C); NaN: no prediction */
};

/* Set all n outputs to NaN. The caller sets the other members. Pair with predictions_release(). */
int predictions_init(struct predictions *p, int32_t n, int32_t n_models, int32_t n_outputs,
                     struct err *err);
void predictions_release(struct predictions *p);

/* The digits that a model's output has: seven significant ones; more for a number far from 0, down to
 * a millionth of the unit. NaN stays. */
double predictions_round(double value, double unit);

/* Append a row for each sample that has a prediction; the table begins zeroed. Numbers are rounded
 * by predictions_round(). Columns:
 *
 *   id
 *   prediction   mean over the models; for classes the class with the largest mean
 *   sd           between models, n - 1; for classes of the probability; NULL for one model
 *   models       number of models
 *   sample       new, training (some of the models was trained on it), val, test or stop
 *   p_NAME       for classes: mean probability (score_NAME: mean score)
 *   t12          with is_each: output of each model (for classes t12_NAME) */
int predictions_put(struct result_table *table, const struct predictions *p, bool is_each,
                    struct err *err);

/* Print the scores of samples that were held out of training: of the pooled predictions, and the
 * mean of each model's own score, as recorded. p: for all samples of the data, with those of `part`
 * filled in. */
int predictions_score(const struct predictions *p, const char *part, struct err *err);

#endif
