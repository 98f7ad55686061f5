/* SPDX-License-Identifier: BSD-3-Clause */
/* Optimisers and learning-rate schedules. */
#ifndef GCN_OPTIMIZER_H
#define GCN_OPTIMIZER_H

#include "gcn/model.h"
#include "gcn/spec.h"

/* Learning rate of epoch e = 1, 2, ..., with E = epochs and r = learning_rate:
 *     constant  r
 *     cosine    r (1 + cos(pi (e - 1) / E)) / 2  CosineAnnealingLR, Loshchilov & Hutter 2017,
 *                                                arXiv:1608.03983, eq. 5, no restart
 * It depends on the epoch alone, so a resumed training needs no state for it. */
double optimizer_rate(const struct gcn_spec *spec, int32_t epoch);

enum { OPTIMIZER_VECTORS = 2 }; /* most vectors of a state */

struct optimizer_state {
    const struct gcn_spec *spec; /* borrowed */
    int n_vectors;
    float *vector[OPTIMIZER_VECTORS]; /* [n_weights] each, at first zero; the rest NULL */
    int64_t n_steps;
    double rate; /* in this epoch */
};

/* Take memory from scratch. */
int optimizer_init(struct optimizer_state *optimizer, const struct gcn_spec *spec,
                   const struct model *model, struct arena *scratch, struct err *err);

/* One step along model->gradient, like torch.optim. Weight decay applies to weights only: L2 on the
 * gradient in adam and sgd, decoupled in adamw. */
void optimizer_step(struct optimizer_state *optimizer, struct model *model);

#endif
