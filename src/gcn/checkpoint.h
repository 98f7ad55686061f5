/* SPDX-License-Identifier: BSD-3-Clause */
/* The state of a training between two epochs, as bytes. Continuing from it computes the same bits
 * as training without a break. Random numbers are addressed (base/rng.h), so the state is weights,
 * optimiser state, best epoch, counters and curve. */
#ifndef GCN_CHECKPOINT_H
#define GCN_CHECKPOINT_H

#include "base/buf.h"
#include "gcn/trainer.h"

struct checkpoint {
    struct trainer *trainer;
    struct gcn_outcome *outcome; /* its epochs_run, best_epoch, value and curve */
    float *best;                 /* [n_weights] weights of the best epoch */
    double elapsed_s;            /* training time without breaks */
    struct hash key;             /* key of the trial */
};

size_t checkpoint_bytes(const struct checkpoint *checkpoint);

/* Append a checkpoint to out; may leave buf_failed(out). */
void checkpoint_write(struct buf *out, const struct checkpoint *checkpoint);

/* Restore a checkpoint into an initialised trainer and an outcome of the same trial. -1, with
 * nothing changed: damaged, of another trial or format, or made where products have other bits
 * (BLAS, processor kernels, threads or form of layer 1). */
int checkpoint_read(struct checkpoint *checkpoint, const void *bytes, size_t n);

#endif
