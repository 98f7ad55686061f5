/* SPDX-License-Identifier: BSD-3-Clause */
/* Data derived once a process: nearest neighbours, from which all graphs of a metric are cut, and
 * reduced features. Not thread-safe. */
#ifndef TRIAL_DERIVED_H
#define TRIAL_DERIVED_H

#include "data/core/dataset.h"
#include "data/graph/graph.h"
#include "gcn/reducer.h"

#define DERIVED_REDUCED 16

struct derived {
    const struct dataset *data; /* borrowed */
    double limit_bytes;         /* larger reductions are refused */
    struct neighbours neighbours[GRAPH_METRICS];

    /* One reading of the data serves all values of `reduce`. */
    bool has_reducer;
    enum feature_scale scale; /* of reducer and reduced[] */
    struct reducer reducer;
    struct {
        int32_t reduce; /* REDUCE_NONE: empty */
        struct mat l;
    } reduced[DERIVED_REDUCED];
    int next; /* next slot of the ring */
};

void derived_init(struct derived *derived, const struct dataset *data);
void derived_release(struct derived *derived);

/* -1 and err as graph_build(). */
int derived_graph(struct csr *out, struct derived *derived, const struct graph_spec *spec,
                  struct err *err);

/* L (reducer.h) of a scale and a reduction. Borrowed until DERIVED_REDUCED others were requested.
 * NULL and err: too little memory, or the reduction failed. */
const struct mat *derived_features(struct derived *derived, const struct gcn_inputs_spec *spec,
                                   struct err *err);

#endif
