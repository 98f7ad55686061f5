/* SPDX-License-Identifier: BSD-3-Clause */
/* From settings to what the lower layers are told. Settings must be resolved (settings_resolve):
 * no `auto` is left. Texts stay borrowed from the sweep. */
#ifndef TRIAL_SPEC_H
#define TRIAL_SPEC_H

#include "data/core/data_spec.h"
#include "data/core/split.h"
#include "data/graph/graph.h"
#include "gcn/inputs.h"
#include "gcn/ridge.h"
#include "gcn/spec.h"
#include "grid/settings.h"

/* Takes unresolved settings: the task is known only after loading. */
void spec_data(struct data_spec *out, const struct settings *s);
void spec_graph(struct graph_spec *out, const struct settings *s);
void spec_split(struct split_spec *out, const struct settings *s, int32_t replicate, int32_t fold);
/* The network. For a model type without layers it is the one that its kept weights are run as: one
 * layer, without a graph. */
void spec_gcn(struct gcn_spec *out, const struct settings *s);
void spec_ridge(struct ridge_spec *out, const struct settings *s);
void spec_inputs(struct gcn_inputs_spec *out, const struct settings *s);

/* The metric and the direction behind the objective. */
enum metric spec_objective(const struct settings *s);
bool spec_maximize(const struct settings *s);

#endif
