/* SPDX-License-Identifier: BSD-3-Clause */
/* The cost of a training, in work and memory, before anything large is made: from an outline of its
 * inputs, which says which forms of the features there will be, and how large. The scaled features
 * need not fit the machine that asks. */
#ifndef GCN_COST_H
#define GCN_COST_H

#include "base/err.h"
#include "data/core/split.h"
#include "gcn/inputs.h"
#include "gcn/spec.h"

/* The work of a trial, from shapes alone. */
struct gcn_cost {
    double flops; /* of the matrix products */
    double bytes; /* moved: operands and results of the products, state of the optimiser */
    double steps; /* of the optimiser */
};

struct gcn_outline {
    const struct dataset *data; /* borrowed */
    int32_t n_inputs;           /* F, as in struct gcn_inputs */
    int64_t entries_a;          /* of A^ */
    bool has[FIRST_FORM_COUNT];
    bool has_x;        /* X (N, F) for input dropout */
    int64_t entries_x; /* of the sparse forms */
    int64_t entries_ax;
    struct coded coded; /* as counted: no arrays */
};

/* What gcn_inputs_init() would make of the same, by the same decisions. Data are read in panels;
 * memory is that of a panel, and where the features are sparse once more theirs. -1 and err: memory
 * is short, or they would fill in. Nothing to release. */
int gcn_outline_find(struct gcn_outline *outline, const struct dataset *data,
                     const struct csr *adjacency, const struct gcn_inputs_spec *spec,
                     struct err *err);

/* The same of gcn_inputs_init_reduced(). */
struct gcn_outline gcn_outline_reduced(const struct dataset *data, const struct csr *adjacency,
                                       const struct mat *l);

/* Of inputs that are there, whatever they were made by. */
struct gcn_outline gcn_outline_of(const struct gcn_inputs *inputs);

/* Memory of the inputs. */
double gcn_outline_bytes(const struct gcn_outline *outline);

/* Memory that gcn_train() takes from its arena: an estimate (against peak_bytes of trials: within
 * 1.3 times where it is more than a megabyte), and the weights behind it. */
double gcn_train_bytes(const struct gcn_spec *spec, const struct gcn_outline *outline,
                       int32_t n_train);

/* Weights of a model by n_inputs columns. */
double gcn_weights(const struct gcn_spec *spec, const struct dataset *data, int32_t n_inputs);

/* How a trial's first layer starts: the cheapest of the forms that are there. */
enum first_form gcn_first_form(const struct gcn_spec *spec, const struct gcn_outline *outline,
                               int32_t n_train);

/* What gcn_train() would do if every epoch ran: an estimate that takes neighbours as drawn at
 * random and, without a stop part, all samples outside training as validation (flops measured:
 * within 1.4 times of outcome.flops). The scores of the best epoch are left out. Shared by `plan`
 * and the scheduler. */
struct gcn_cost gcn_cost(const struct gcn_spec *spec, const struct gcn_outline *outline,
                         const struct split *split);

#endif
