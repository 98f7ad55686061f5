/* SPDX-License-Identifier: BSD-3-Clause */
/* Translates settings into structs of lower layers. Texts stay borrowed
 * from the sweep. */
#ifndef TRIAL_SPEC_H
#define TRIAL_SPEC_H

#include "data/core/data_spec.h"
#include "data/core/split.h"
#include "data/graph/graph.h"
#include "gcn/inputs.h"
#include "gcn/ridge.h"
#include "gcn/spec.h"
#include "grid/settings.h"

/* v: given settings, or resolved ones. The task, which resolving needs, is known only after loading. */
void spec_data(struct data_spec *out, const union value v[P_MAX]);
void spec_graph(struct graph_spec *out, const struct settings *s);
void spec_split(struct split_spec *out, const struct settings *s, int32_t replicate, int32_t fold);
/* For a model type without layers: one layer without a graph, to run its kept weights. */
void spec_gcn(struct gcn_spec *out, const struct settings *s);
void spec_ridge(struct ridge_spec *out, const struct settings *s);
void spec_inputs(struct gcn_inputs_spec *out, const struct settings *s);

enum metric spec_objective(const struct settings *s);
bool spec_maximize(const struct settings *s);

#endif
