/* SPDX-License-Identifier: BSD-3-Clause */
/* The inputs of a training: what derives from the data and the graph alone. */
#ifndef GCN_INPUTS_H
#define GCN_INPUTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "data/core/dataset.h"
#include "gcn/product_order.h"
#include "tensor/coded.h"
#include "tensor/csr.h"
#include "tensor/mat.h"

/* What is constant over a grid, made once per process and shared, read-only, by its trials. */
struct gcn_inputs {
    const struct dataset *data;
    int32_t n_inputs; /* F: columns that layer 1 multiplies; those of L after a reduction */
    int32_t fan_in;   /* features behind them: what initial weights are scaled by (model.h) */
    struct csr a_hat; /* (N, N) normalised adjacency; where samples are graphs, read M for N here
                       * and in what follows: nodes of all graphs */

    /* Scaled features X (N, F), in the forms that are there: has[enum first_form]. */
    bool has[FIRST_FORM_COUNT];
    struct mat ax;        /* (N, F) A^X */
    struct csr ax_sparse; /* (N, F) A^X */
    struct csr x_sparse;  /* (N, F) */
    struct coded coded;   /* (N, F) */

    /* For input dropout X itself: x_sparse where that is there, otherwise this. After a reduction
     * L, without which weights by its columns mean nothing to others (trial/kept.h). */
    struct mat x; /* (N, F); empty where no trial drops inputs, and nothing is reduced */

    bool is_view; /* the arrays are somebody else's (gcn_inputs_view()): never freed here */
};

enum feature_scale {
    SCALE_NONE,
    SCALE_STANDARDIZE, /* each feature to mean 0, sd 1 over all samples; dense only */
    SCALE_ROW,         /* each sample's features divided by their sum (Kipf & Welling 2017) */
};

/* What inputs are made for, beside data and graph. */
struct gcn_inputs_spec {
    enum feature_scale scale;
    bool drops_inputs;  /* also for trials with input dropout, which need X itself */
    bool small_batches; /* also for trials whose steps need few rows, for which A^X is cheaper */
    int32_t reduce;     /* REDUCE_NONE, REDUCE_EXACT, or leading directions to keep (reducer.h) */
};

/* adjacency is borrowed for the call; spec->reduce is not looked at. Pair with
 * gcn_inputs_release(). */
int gcn_inputs_init(struct gcn_inputs *inputs, const struct dataset *data,
                    const struct csr *adjacency, const struct gcn_inputs_spec *spec,
                    struct err *err);
/* The same from an outline (cost.h) that was found before, for the same arguments. */
struct gcn_outline;
int gcn_inputs_make(struct gcn_inputs *inputs, const struct gcn_outline *outline,
                    const struct csr *adjacency, const struct gcn_inputs_spec *spec,
                    struct err *err);
/* The same with reduced features l (N, rank) from reducer_make(), borrowed for the call: A^L takes
 * the place of A^X. */
int gcn_inputs_init_reduced(struct gcn_inputs *inputs, const struct dataset *data,
                            const struct csr *adjacency, const struct mat *l, struct err *err);
void gcn_inputs_release(struct gcn_inputs *inputs);

/* struct gcn_inputs as one position-independent block of bytes (gcn/packed.h). An array added to it
 * needs a line in walk() of inputs.c. */

size_t gcn_inputs_packed_bytes(const struct gcn_inputs *inputs);

/* block out [gcn_inputs_packed_bytes()], 64-byte aligned. */
void gcn_inputs_pack(void *block, const struct gcn_inputs *inputs);

/* View a block: the digest is verified, nothing is copied. block and data are borrowed and must
 * outlive the view; gcn_inputs_release() then frees nothing. -1 and err if it is not a block of
 * this program, or damaged. Local, thread-safe. */
int gcn_inputs_view(struct gcn_inputs *inputs, const struct dataset *data, const void *block,
                    size_t bytes, struct err *err);

#endif
