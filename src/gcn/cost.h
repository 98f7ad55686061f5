/* SPDX-License-Identifier: BSD-3-Clause */
/* Work and memory of a training, from an outline of its inputs, before anything large is made. */
#ifndef GCN_COST_H
#define GCN_COST_H

#include "base/err.h"
#include "data/core/split.h"
#include "gcn/inputs.h"
#include "gcn/spec.h"

struct gcn_cost {
    double flops; /* of matrix products */
    double bytes; /* of products and optimiser state */
    double steps; /* of the optimiser */
};

struct gcn_outline {
    const struct dataset *data; /* borrowed */
    int32_t n_inputs;           /* F */
    int64_t entries_a;          /* of A^ */
    bool has[FIRST_FORM_COUNT];
    bool has_x;        /* X for input dropout */
    int64_t entries_x; /* of the sparse forms */
    int64_t entries_ax;
    struct coded coded; /* no arrays */
};

/* Outline the result of gcn_inputs_make(). Reads the data in panels; sparse features take their
 * size once more. Nothing to release. -1 and err: out of memory, or scaling would make sparse
 * features dense. */
int gcn_outline_find(struct gcn_outline *outline, const struct dataset *data,
                     const struct csr *adjacency, const struct gcn_inputs_spec *spec,
                     struct err *err);

struct gcn_outline gcn_outline_reduced(const struct dataset *data, const struct csr *adjacency,
                                       const struct mat *l);

struct gcn_outline gcn_outline_of(const struct gcn_inputs *inputs);

double gcn_outline_bytes(const struct gcn_outline *outline);

double gcn_weights(const struct gcn_spec *spec, const struct dataset *data, int32_t n_inputs);

/* The cheapest available form. */
enum first_form gcn_first_form(const struct gcn_spec *spec, const struct gcn_outline *outline,
                               int32_t n_train);

/* Estimated work of gcn_train() if every epoch runs, without scoring the best epoch: within 1.4
 * times the measured outcome.flops. Neighbours count as random; without a stop part, all samples
 * outside training count as validation. */
struct gcn_cost gcn_cost(const struct gcn_spec *spec, const struct gcn_outline *outline,
                         const struct split *split);

#endif
