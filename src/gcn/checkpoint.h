/* SPDX-License-Identifier: BSD-3-Clause */
/* A training between two epochs, as bytes: who goes on from them computes the same bits as if there
 * had been no break. Random numbers are addressed (base/rng.h), so there is no more to it than
 * weights, what the optimiser remembers, the best epoch, and the books. */
#ifndef GCN_CHECKPOINT_H
#define GCN_CHECKPOINT_H

#include "base/buf.h"
#include "gcn/trainer.h"

struct checkpoint {
    struct trainer *trainer;
    struct gcn_outcome *outcome; /* epochs_run, best_epoch, value and curve */
    float *best;                 /* [n_weights] of the best epoch */
    double elapsed_s;            /* since training began, breaks left out */
    struct hash key;             /* of the trial */
};

size_t checkpoint_bytes(const struct checkpoint *checkpoint);

/* Appended to out; out's memory may run short (buf_failed). */
void checkpoint_write(struct buf *out, const struct checkpoint *checkpoint);

/* From these bytes into a trainer that is initialised, an outcome and weights of the same trial.
 * -1, all being as it was: they are damaged, of another trial, of another format, or from where
 * products are not the same to the bit (another BLAS, kernels for another processor, other threads,
 * another form of layer 1). */
int checkpoint_read(struct checkpoint *checkpoint, const void *bytes, size_t n);

#endif
