/* SPDX-License-Identifier: BSD-3-Clause */
/* What inputs are made of beside the data, made once per process: nearest neighbours, which all
 * graphs of a metric are cut from, and reduced features, which all graphs share.
 *
 * Not thread-safe: one thread at a time. */
#ifndef TRIAL_DERIVED_H
#define TRIAL_DERIVED_H

#include "data/core/dataset.h"
#include "data/graph/graph.h"
#include "gcn/reducer.h"

#define DERIVED_REDUCED 16

struct derived {
    const struct dataset *data; /* borrowed */
    double limit_bytes;         /* that this process may use; what takes more is refused */
    struct neighbours neighbours[GRAPH_METRICS]; /* of each metric asked for */

    /* One reading of the data serves all values of `reduce`, and one decomposition all graphs. */
    bool has_reducer;
    enum feature_scale scale; /* of the reducer, and of all that is reduced */
    struct reducer reducer;
    struct {
        int32_t reduce; /* REDUCE_NONE: empty */
        struct mat l;
    } reduced[DERIVED_REDUCED];
    int next; /* place of the next, in a ring */
};

/* Nothing is made yet. */
void derived_init(struct derived *derived, const struct dataset *data);
void derived_release(struct derived *derived); /* takes a zeroed one */

/* Graphs that differ in k or weights alone are cut from the same neighbours. Pair with
 * csr_release(). -1 and err as graph_build(). */
int derived_graph(struct csr *out, struct derived *derived, const struct graph_spec *spec,
                  struct err *err);

/* L (reducer.h) for a scale and a reduction that does not keep the features. Borrowed, until
 * DERIVED_REDUCED others were asked for. NULL and err where memory would not suffice, naming what it
 * takes and what there is, or where the reduction fails. */
const struct mat *derived_features(struct derived *derived, const struct gcn_inputs_spec *spec,
                                   struct err *err);

#endif
