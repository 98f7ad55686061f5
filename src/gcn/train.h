/* SPDX-License-Identifier: BSD-3-Clause */
/* Train one graph convolutional network and score it: the whole of a trial's arithmetic.
 *
 * No I/O, no globals; the clock is passed in; nothing is allocated inside the epoch loop. The
 * outcome is a function of (spec, inputs, split, key) alone, to the bit, on one machine type. */
#ifndef GCN_TRAIN_H
#define GCN_TRAIN_H

#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/hash.h"
#include "data/core/split.h"
#include "gcn/inputs.h"
#include "gcn/outcome.h"
#include "gcn/spec.h"

struct gcn_run; /* a training under way */

struct gcn_observer {
    /* Asked after every epoch; false ends the trial with GCN_STOPPED. May call gcn_save(). */
    bool (*epoch_done)(void *arg, const struct gcn_outcome *so_far, const struct gcn_run *run);
    void *arg;
    /* What gcn_save() wrote of the same trial, to go on from there to the same outcome, bit for bit
     * but for times; borrowed. NULL, or nothing that fits (outcome->resumed_epoch tells): from the
     * beginning. Each call of epoch_done sees the whole, as if there had been no break. */
    const void *state;
    size_t state_bytes;
};

/* The training between two epochs, appended to out (checkpoint.h): three or four times the weights,
 * and the curve. */
void gcn_save(struct buf *out, const struct gcn_run *run);
size_t gcn_save_bytes(const struct gcn_run *run); /* how much that is */

/* One trial to train. All is borrowed. */
struct gcn_training {
    const struct gcn_spec *spec;
    const struct gcn_inputs *inputs;
    const struct split *split;
    struct hash key;       /* of the random numbers */
    int threads;           /* of one dense product; the rest is single-threaded */
    struct arena *scratch; /* holds everything the training needs; not reset */
    const struct clock *clock;
    const struct gcn_observer *observer; /* NULL: nobody watches */
};

/* Train and score. outcome->curve is set by the caller, all else here. epochs = 0 scores the initial
 * weights (best_epoch 0). -1 and err only when memory is short. */
int gcn_train(struct gcn_outcome *outcome, const struct gcn_training *training, struct err *err);

#endif
