/* SPDX-License-Identifier: BSD-3-Clause */
/* A cache of data that are constant over a grid: inputs and outlines of model types (model_type.h),
 * and splits. Inputs made elsewhere can be adopted (sched/world.h).
 *
 * Not thread-safe. A pointer is valid until PREPARED_INPUTS other inputs or PREPARED_SPLITS other
 * splits were requested. */
#ifndef TRIAL_PREPARED_H
#define TRIAL_PREPARED_H

#include "data/core/dataset.h"
#include "data/core/split.h"
#include "trial/model_type.h"

#define PREPARED_INPUTS 32
#define PREPARED_SPLITS 1024

/* Adopted inputs are never dropped. */
#define PREPARED_ADOPTED (PREPARED_INPUTS - 8)

struct prepared;

/* data is borrowed. */
struct prepared *prepared_create(const struct dataset *data, struct err *err);
void prepared_destroy(struct prepared *prepared);

/* Inputs of a model type that has some; borrowed. NULL and err: they cannot be made. */
const void *prepared_inputs(struct prepared *prepared, const struct settings *s, struct err *err);

/* The graph that joins samples. Similar samples are searched once for all graphs. Pair with
 * csr_release(). -1 and err as graph_build(). */
int prepared_graph(struct csr *out, struct prepared *prepared, const struct graph_spec *spec,
                   struct err *err);

/* Columns of layer 1: the features, or what `reduce` leaves of them. -1 and err: not reduced. */
int prepared_columns(int32_t *n, struct prepared *prepared, const struct settings *s,
                     struct err *err);

/* Borrowed. NULL and err: the data do not allow these parts. */
const struct split *prepared_split(struct prepared *prepared, const struct settings *s,
                                   int32_t replicate, int32_t fold, struct err *err);

/* True if these inputs are present and not adopted. Does not count as a use. */
bool prepared_has_own(const struct prepared *prepared, const struct settings *s);

/* Pack these inputs into one block, out [prepared_packed_bytes()], 64-byte aligned. Only if
 * prepared_has_own(). */
size_t prepared_packed_bytes(const struct prepared *prepared, const struct settings *s);
void prepared_pack(void *block, const struct prepared *prepared, const struct settings *s);

/* Use a view of this block, which must outlive prepared, for these settings. At most
 * PREPARED_ADOPTED times. -1 and err: not such a block. */
int prepared_adopt(struct prepared *prepared, const struct settings *s, const void *block,
                   size_t bytes, struct err *err);

/* Work of one trial of a configuration. bytes (may be NULL): its memory beside data and inputs,
 * model included. Outlines inputs, makes none. -1 and err as above. */
int prepared_cost(struct gcn_cost *work, double *bytes, struct prepared *prepared,
                  const struct settings *s, struct err *err);

/* Returns 0 unless prepared_cost() was called lately. */
double prepared_inputs_bytes(const struct prepared *prepared, const struct settings *s);

/* All inputs with a cached outline. */
double prepared_all_bytes(const struct prepared *prepared);

#endif
