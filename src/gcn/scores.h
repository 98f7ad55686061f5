/* SPDX-License-Identifier: BSD-3-Clause */
/* Scores the outputs of a fitted model on the parts of a split. */
#ifndef GCN_SCORES_H
#define GCN_SCORES_H

#include "data/core/split.h"
#include "gcn/loss.h"
#include "gcn/outcome.h"

struct scores {
    const struct training_target *target; /* borrowed */
    float *output;                        /* (N, C) of the part, as `target` has them */
    float *truth;                         /* [N] regression, standardised */
    int32_t *label;                       /* [N] classification */
    void *scratch;                        /* for metrics */
};

int scores_init(struct scores *s, const struct training_target *target, const struct dataset *data,
                struct arena *scratch, struct err *err);

/* Prepare scores_metric() of n samples whose outputs are in s->output; returns their mean loss. Logits of
 * classes become log-probabilities.
 *   are_logits  outputs of classes are logits; false: scores, whose loss is NaN */
double scores_prepare(struct scores *s, const int32_t *samples, int32_t n, bool are_logits);

/* A metric of the task over n samples. Standardised values, so that the target's offset costs no
 * precision; errors are scaled to its units. */
double scores_metric(const struct scores *s, enum metric metric, int32_t n);

/* Writes the outputs of a sample. */
typedef void scores_predict(void *arg, float *output, int32_t sample);

/* Predict and score all parts. Without are_logits, classes have no log_loss. */
void scores_put(struct gcn_outcome *outcome, struct scores *s, const struct split *split,
                bool are_logits, scores_predict *predict, void *arg);

#endif
