/* SPDX-License-Identifier: BSD-3-Clause */
/* The state of a training between two epochs, as bytes: continuing from it computes the same bits
 * as training without a break. */
#ifndef GCN_CHECKPOINT_H
#define GCN_CHECKPOINT_H

#include "base/buf.h"
#include "gcn/trainer.h"

struct checkpoint {
    struct trainer *trainer;
    struct gcn_outcome *outcome; /* epochs_run, best_epoch, value, curve */
    float *best;                 /* [n_weights] of the best epoch */
    double elapsed_s;            /* training time */
    struct hash key;             /* of the random numbers */
};

size_t checkpoint_bytes(const struct checkpoint *checkpoint);

/* Append to out; may leave buf_failed(out). */
void checkpoint_write(struct buf *out, const struct checkpoint *checkpoint);

/* Restore into an initialised trainer and an outcome of the same trial. -1, with nothing changed:
 * damaged, of another trial, number of workers or format, or from a machine whose products have
 * other bits (BLAS, kernels, threads, form of layer 1). */
int checkpoint_read(struct checkpoint *checkpoint, const void *bytes, size_t n);

/* Equal for ranks that compute the same bits from here on. */
struct hash checkpoint_state_hash(const struct checkpoint *checkpoint);

#endif
