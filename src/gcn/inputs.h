/* SPDX-License-Identifier: BSD-3-Clause */
/* The inputs of a training that depend only on data and graph, shared read-only by the trials of a
 * grid. */
#ifndef GCN_INPUTS_H
#define GCN_INPUTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "data/core/dataset.h"
#include "gcn/packed.h"
#include "gcn/product_order.h"
#include "tensor/coded.h"
#include "tensor/csr.h"
#include "tensor/mat.h"

struct gcn_inputs {
    const struct dataset *data;
    int32_t n_inputs; /* F, columns of layer 1; after a reduction those of L */
    int32_t fan_in;   /* original features (model.h) */
    /* (N, N) normalised adjacency. If samples are graphs, N counts the nodes of all. */
    struct csr a_hat;

    /* Scaled features X in the available forms. */
    bool has[FIRST_FORM_COUNT];
    struct mat ax;        /* (N, F) A^X */
    struct csr ax_sparse; /* (N, F) A^X */
    struct csr x_sparse;  /* (N, F) */
    struct coded coded;   /* (N, F) */

    /* X for input dropout, unless x_sparse holds it; after a reduction L (trial/kept.h). */
    struct mat x; /* (N, F), or empty */

    bool is_view; /* arrays are borrowed */
};

enum feature_scale {
    SCALE_NONE,
    SCALE_STANDARDIZE, /* each feature: mean 0, sd 1 over all samples; dense only */
    SCALE_ROW,         /* each sample: sum 1 (Kipf & Welling 2017) */
};

/* Requirements of all trials that share the inputs. */
struct gcn_inputs_spec {
    enum feature_scale scale;
    bool drops_inputs;  /* some need X */
    bool small_batches; /* some use few rows a step: A^X is cheaper */
    int32_t reduce;     /* REDUCE_NONE, REDUCE_EXACT, or leading directions (reducer.h) */
};

/* Make the inputs that gcn_outline_find() (cost.h) outlined. Ignores spec->reduce. adjacency is borrowed for
 * the call. Pair with gcn_inputs_release(). -1 and err: out of memory. */
struct gcn_outline;
int gcn_inputs_make(struct gcn_inputs *inputs, const struct gcn_outline *outline,
                    const struct csr *adjacency, const struct gcn_inputs_spec *spec,
                    struct err *err);
/* The same with l (N, rank) of reducer_make() as features, borrowed for the call. */
int gcn_inputs_init_reduced(struct gcn_inputs *inputs, const struct dataset *data,
                            const struct csr *adjacency, const struct mat *l, struct err *err);
void gcn_inputs_release(struct gcn_inputs *inputs);

/* The inputs as one position-independent block. */
extern const struct packed_type gcn_inputs_packed;

#endif
