/* SPDX-License-Identifier: BSD-3-Clause */
/* One network in training: weights, optimiser, batches. gcn_train() drives it; tests drive it
 * step by step. */
#ifndef GCN_TRAINER_H
#define GCN_TRAINER_H

#include "base/clock.h"
#include "data/core/split.h"
#include "gcn/inputs.h"
#include "gcn/loss.h"
#include "gcn/optimizer.h"
#include "gcn/outcome.h"
#include "gcn/pass.h"

struct trainer {
    const struct gcn_spec *spec; /* borrowed, like the next three */
    const struct gcn_inputs *inputs;
    const struct split *split;
    const struct clock *clock;
    const int32_t *watched; /* [n_watched] the part that chooses the epoch (split_chooser) */
    int32_t n_watched;
    struct training_target target;
    struct model model;
    struct optimizer_state optimizer;
    struct pass pass;
    struct receptive_field batch; /* of the batch; full batch: built once */
    struct receptive_field watch; /* of the part that chooses the epoch; built once. Where samples
                                   * are graphs: of some of those that are scored, built for each */
    uint32_t n_steps;
    double seconds[GCN_PHASE_COUNT];

    /* Full batch without input dropout: the first layer's product after a step is what that
     * step's evaluation and the next step both start from, so it is made once for both. */
    bool is_full_batch;
    bool shares_first;
    bool z1_is_fresh;
    struct receptive_field both; /* of the training part and the watched one together */
    struct mat z1;               /* (n of both's level 1, H) */
    int32_t *batch_in_z1; /* [n of batch's level 1] rows of z1; NULL where they are its own */
    int32_t *watch_in_z1; /* [n of watch's level 1] */

    /* Where samples are graphs, which need not all be in memory at a time. */
    int32_t capacity;  /* most nodes of a batch, or of the graphs scored together */
    struct mat logits; /* (N, C) of the graphs scored */
    int32_t *place;    /* [N] */
};

/* Memory from scratch; all that is passed is borrowed until training is over. -1 and err when
 * memory is short. */
int trainer_init(struct trainer *trainer, const struct gcn_spec *spec,
                 const struct gcn_inputs *inputs, const struct split *split, struct hash key,
                 const struct clock *clock, struct arena *scratch, struct err *err);

/* Replace the weights, vector as in struct model. The optimiser's state stays. */
void trainer_set_weights(struct trainer *trainer, const float *weights);

/* Weights and books were replaced by those of an earlier moment (checkpoint.h): what had been
 * derived from the weights is made again, and counted once. */
void trainer_weights_came(struct trainer *trainer);

/* Steps from now on are of epoch 1, 2, ...: with its learning rate. */
void trainer_begin_epoch(struct trainer *trainer, int32_t epoch);

/* Gradient of the mean loss of a batch into trainer->model.gradient, and the sum of its losses.
 * With batch normalisation the running statistics take a step too.
 * nodes [n] (or graphs) of the training part in any order; NULL: all of it, where that is the
 * batch. */
double trainer_gradient(struct trainer *trainer, const int32_t *nodes, int32_t n);

/* The same, then one step of the optimiser, unless the loss is not finite. */
double trainer_step(struct trainer *trainer, const int32_t *nodes, int32_t n);

/* Logits (n, C), no dropout; a view, valid until the next call of anything here.
 * watched: row i is sample trainer->watched[i]. of: sample i of the n distinct ones has row
 * rows[i]; where they are nodes, costs the batch its field, so not within full-batch training. */
struct mat trainer_watched_logits(struct trainer *trainer);
struct mat trainer_logits_of(struct trainer *trainer, const int32_t *samples, int32_t n,
                             const int32_t **rows);

/* Floating point operations of the products done so far. */
double trainer_flops(const struct trainer *trainer);

#endif
