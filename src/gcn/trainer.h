/* SPDX-License-Identifier: BSD-3-Clause */
/* One network in training, driven step by step.
 *
 * A crew of W workers takes a step together. In full batch they divide the rows of one batch
 * (division.h), so the gradient is that of one worker up to rounding. In mini-batches each worker
 * computes the gradient of its own batch, with its own receptive field and statistics of batch
 * normalisation, and divides by the weight of all samples of the step; the sum over the workers is
 * the gradient. Running statistics follow the batches of worker 0, like PyTorch's
 * DistributedDataParallel with broadcast_buffers. In evaluations, each worker scores a block of the
 * samples, of about equal weight, or its rows. */
#ifndef GCN_TRAINER_H
#define GCN_TRAINER_H

#include "base/clock.h"
#include "data/core/split.h"
#include "gcn/crew.h"
#include "gcn/deal.h"
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
    struct receptive_field batch; /* in full batch built once */
    /* The part that chooses the epoch, built once; or graphs being scored, built each time. */
    struct receptive_field watch;
    uint32_t n_steps;
    double seconds[GCN_PHASE_COUNT];

    struct crew *crew; /* borrowed, or that of `alone` */
    struct crew_alone alone;
    float *parts;  /* (W, n_weights) in mini-batches: gradients, then running statistics; or NULL */
    float *piece;  /* [n_weights] gradient of a piece of a batch; NULL: a batch is one piece */
    double *tally; /* (workers of this rank, TALLY_COUNT) */
    double *losses;  /* [workers of this rank] of a batch */
    int32_t *blocks; /* [W + 1] of the workers in the samples being scored */
    size_t *bounds;  /* [W + 1] of the workers in logits */

    /* In full batch without input dropout, an evaluation and the next step share the first
     * product. */
    bool is_full_batch;
    bool shares_first;
    bool z1_is_fresh;
    bool z1_is_counted;          /* the flops of the next z1 were counted before a break */
    struct receptive_field both; /* training and watched part */
    struct mat z1;               /* (n of level 1 of both, H) */
    /* [n of level 1 of batch, or of watch] rows of z1; NULL: row i. */
    int32_t *batch_in_z1;
    int32_t *watch_in_z1;

    struct division division; /* in full batch with W > 1 */

    int32_t capacity;            /* most nodes of a batch or of graphs scored together */
    struct pass_counted counted; /* zeroed unless training->scratch counts */

    /* For graphs, which need not all be in memory, and for several workers. */
    float *logits;         /* (N, C) of the scored samples */
    float *watched_logits; /* (n_watched, C) */
    int32_t *place;        /* [N] row of each scored sample */
};

/* Take memory from training->scratch. If that counts, nothing else is done, and of the inputs only the
 * outline, data and n_inputs are read. The members of `training` stay borrowed until training ends,
 * and the trainer must not move. -1 and err: out of memory, or trainer_check_workers(). */
struct gcn_training;
int trainer_init(struct trainer *trainer, const struct gcn_training *training, struct err *err);

/* -1 and err: a training part of n_train samples has too few for this number of workers. */
int trainer_check_workers(int32_t workers, int32_t n_train, struct err *err);

/* Pieces of a batch of graphs. The arrays of a large batch do not fit in a processor's cache, and every
 * step of a pass would read them from memory. Graphs do not depend on each other, so a batch is computed
 * piece by piece, forward and backward, and the gradients of the pieces are added up. Batch normalisation
 * needs the whole batch, and workers that divide a full batch have pieces of their own (division.h).
 *
 * Returns the most nodes that are computed together, in steps and in scoring: room for a piece, for the
 * largest graph, and for any batch that is not divided into pieces. It depends on the settings and the
 * data alone, and so do the sums.
 *   n_batch  graphs of a batch
 *   is_full  a batch has all training graphs */
int32_t trainer_capacity(const struct gcn_spec *spec, const struct dataset *data, int32_t n_batch,
                         bool is_full);

/* Replace the weights (layout of struct model), but not the optimiser's state. */
void trainer_set_weights(struct trainer *trainer, const float *weights);

/* epoch: 1, 2, ... */
void trainer_begin_epoch(struct trainer *trainer, int32_t epoch);

/* Gradient of a batch's mean loss into trainer->model.gradient, unless the loss is not finite; returns
 * the sum of losses. Updates running statistics. In mini-batches without a crew.
 *   nodes  [n] or graphs of the training part in any order; NULL: full batch */
double trainer_gradient(struct trainer *trainer, const int32_t *nodes, int32_t n);

/* trainer_gradient(), then an optimiser step unless the loss is not finite. */
double trainer_step(struct trainer *trainer, const int32_t *nodes, int32_t n);

/* The same in mini-batches with a batch for each worker, one or several. If crew->has_failed, the
 * trainer and the result are worthless. */
double trainer_crew_step(struct trainer *trainer, const struct deal *deal, int32_t step);

/* Logits (n, C) without dropout: a view, valid until the next call of a trainer function.
 *   watched  row i is sample trainer->watched[i]
 *   of       row rows[i] is sample i; samples: n distinct ones, in the same order on all ranks. For
 *            nodes, this overwrites the batch's field: do not call it within full-batch training. */
struct mat trainer_watched_logits(struct trainer *trainer);
struct mat trainer_logits_of(struct trainer *trainer, const int32_t *samples, int32_t n,
                             const int32_t **rows);

#endif
