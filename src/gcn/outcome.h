/* SPDX-License-Identifier: BSD-3-Clause */
/* The outcome of a training. */
#ifndef GCN_OUTCOME_H
#define GCN_OUTCOME_H

#include <stdint.h>

#include "data/core/dataset.h"
#include "gcn/fixed.h"
#include "gcn/metric.h"

enum gcn_phase { GCN_FORWARD, GCN_BACKWARD, GCN_OPTIMIZER, GCN_EVALUATION, GCN_PHASE_COUNT };

enum gcn_status {
    GCN_DONE,
    GCN_DIVERGED, /* a loss was not finite; scores of an earlier epoch, if any */
    GCN_STOPPED,  /* by the observer; nothing else counts, unless it wants scores */
};

/* val_*: of the stop part if there is one, else of the validation part. Losses count class
 * weights. */
struct gcn_epoch {
    /* Mean over training samples, with dropout. */
    double train_loss;
    double val_loss;
    double val_value; /* the objective */
    double seconds;   /* without breaks */
};

struct gcn_outcome {
    enum gcn_status status;
    int32_t epochs_run;
    int32_t best_epoch; /* from 1; 0: no epoch finished */
    /* Objective of the validation part at the best epoch; NaN without one. During training, of the
     * part that chooses the epoch. */
    double value;
    /* [enum part][metric] at the best epoch; NaN if undefined */
    double metrics[PART_COUNT][METRIC_COUNT];
    double losses[PART_COUNT];
    double seconds[GCN_PHASE_COUNT];
    double flops;            /* in matrix products */
    struct gcn_epoch *curve; /* [epochs] caller-allocated; epochs_run are filled */
    int32_t resumed_epoch;   /* 0: not resumed */
    char reason[128];        /* of divergence */

    const float *weights; /* [n_weights] of the best epoch in the layout of model.h, in scratch; or
                           * NULL */
    int64_t n_weights;
    int32_t n_outputs; /* C */
    /* Regression: prediction = output x sd + mean. Classification: 0 and 1. */
    double target_mean, target_sd;
    /* Added to the prediction, for classes before softmax; n = 0: none. In scratch. */
    struct fixed_effects fixed;
};

/* Set scores and losses to NaN, the rest to 0. curve stays. */
void gcn_outcome_init(struct gcn_outcome *outcome);

#endif
