/* SPDX-License-Identifier: BSD-3-Clause */
/* The outcome of a training: scores, losses, the curve, and what predicts. */
#ifndef GCN_OUTCOME_H
#define GCN_OUTCOME_H

#include <stdint.h>

#include "data/core/dataset.h"
#include "gcn/metric.h"

enum gcn_phase { GCN_FORWARD, GCN_BACKWARD, GCN_OPTIMIZER, GCN_EVALUATION, GCN_PHASE_COUNT };

enum gcn_status {
    GCN_DONE,
    GCN_DIVERGED, /* a loss was not finite; scores are those of the best epoch before, if any */
    GCN_STOPPED,  /* the observer said so; nothing in the outcome counts */
};

/* val_ is the part that chooses the epoch: stop, where the split has one. */
struct gcn_epoch {
    double train_loss; /* mean over the epoch's training samples, as trained (with dropout, and
                        * class weights: val_loss too) */
    double val_loss;
    double val_value; /* the objective */
    double seconds;   /* since training began, breaks left out */
};

struct gcn_outcome {
    enum gcn_status status;
    int32_t epochs_run;
    int32_t best_epoch; /* by choose_epoch on the part that chooses it; from 1; 0: none finished */
    double value;       /* objective of val at the best epoch; NaN where none finished. While it
                         * trains: of the part that chooses the epoch */
    double metrics[PART_COUNT]
                  [METRIC_COUNT]; /* [enum part][metric] at the best epoch; NaN where undefined */
    double losses[PART_COUNT];    /* [enum part] likewise */
    double seconds[GCN_PHASE_COUNT];
    double flops;            /* of the matrix products done, counted from shapes */
    struct gcn_epoch *curve; /* [epochs] caller-allocated; the first epochs_run are filled */
    int32_t resumed_epoch;   /* went on from the state after this epoch; 0: from the beginning */
    char reason[128];        /* of divergence: "train loss is inf in epoch 3" */

    /* What predicts: of the best epoch, or the initial ones where epochs = 0. */
    const float *weights; /* [n_weights] as model.h lays them out; in scratch; NULL where none */
    int64_t n_weights;
    int32_t n_outputs;             /* C */
    double target_mean, target_sd; /* regression: prediction = output x sd + mean; else 0 and 1 */
};

/* Done, without a score: every score and loss is NaN, every number 0. The curve stays. */
void gcn_outcome_init(struct gcn_outcome *outcome);

#endif
