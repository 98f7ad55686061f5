/* SPDX-License-Identifier: BSD-3-Clause */
/* Trains and scores one graph convolutional network: all arithmetic of a trial.
 *
 * No I/O, no globals; the epoch loop allocates nothing. On one machine type, the outcome's bits
 * depend only on (spec, inputs, split, key). */
#ifndef GCN_TRAIN_H
#define GCN_TRAIN_H

#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/hash.h"
#include "data/core/split.h"
#include "gcn/cost.h"
#include "gcn/crew.h"
#include "gcn/inputs.h"
#include "gcn/outcome.h"
#include "gcn/spec.h"

struct gcn_run;

struct gcn_observer {
    /* Called after every epoch; false ends the trial with GCN_STOPPED. May call gcn_save(). */
    bool (*epoch_done)(void *arg, const struct gcn_outcome *so_far, const struct gcn_run *run);
    /* Called before GCN_STOPPED, if all ranks of the crew are there, with the state after the same
     * epoch on all. May call gcn_save(). NULL: nothing to do. */
    void (*stopping)(void *arg, const struct gcn_outcome *so_far, const struct gcn_run *run);
    /* True, on all ranks of the crew or none: GCN_STOPPED has the scores of the best epoch so far. NULL: never. */
    bool (*wants_scores)(void *arg);
    void *arg;
    /* From gcn_save() of the same trial, borrowed. The outcome, except times, has the same bits as
     * without a break. NULL or unsuitable (damaged, of another trial, number of workers or format, or
     * from a machine whose products have other bits: BLAS, kernels, threads, form of layer 1): training
     * starts anew. */
    const void *state;
    size_t state_bytes;
};

/* Append the state between two epochs: three or four times the weights, and the curve. May leave
 * buf_failed(out). */
void gcn_save(struct buf *out, const struct gcn_run *run);
size_t gcn_save_bytes(const struct gcn_run *run);

/* All members are borrowed. */
struct gcn_training {
    const struct gcn_spec *spec;
    const struct gcn_inputs *inputs;
    const struct gcn_outline *outline; /* of the inputs, if scratch counts */
    const struct split *split;
    struct hash key;       /* of the random numbers */
    int threads;           /* of a dense product */
    struct arena *scratch; /* not reset */
    const struct clock *clock;
    const struct gcn_observer *observer; /* may be NULL */
    struct crew *crew;                   /* of spec->workers; NULL: this rank runs all of them */
};

/* Bytes that gcn_train() takes from its scratch memory in a rank of a gang of n_ranks, by running
 * the code that takes them. Rows of a receptive field are those expected with random neighbours. */
double gcn_train_bytes(const struct gcn_spec *spec, const struct gcn_outline *outline,
                       const struct split *split, int32_t n_ranks);

/* The caller sets outcome->curve. epochs = 0 scores the initial weights. All ranks of a crew get the
 * same outcome; if the crew fails, or if the observer of any rank ends the trial, GCN_STOPPED. -1
 * and err: out of memory, or trainer_check_workers(). */
int gcn_train(struct gcn_outcome *outcome, const struct gcn_training *training, struct err *err);

#endif
