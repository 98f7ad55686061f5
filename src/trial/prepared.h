/* SPDX-License-Identifier: BSD-3-Clause */
/* What is constant over a grid, made once and shared by its trials: inputs, each as the model type
 * makes them (model_type.h), their outlines, and splits. Inputs that were made elsewhere can be
 * adopted (once per host, sched/shared.h); what was not is made here when it is first asked for.
 *
 * Not thread-safe: one thread at a time. What is returned stays valid until the same process has
 * asked for PREPARED_INPUTS other inputs or PREPARED_SPLITS other splits (the least recently used
 * one goes), so use it for one trial and ask again for the next. */
#ifndef TRIAL_PREPARED_H
#define TRIAL_PREPARED_H

#include "data/core/dataset.h"
#include "data/core/split.h"
#include "trial/model_type.h"

#define PREPARED_INPUTS 32
#define PREPARED_SPLITS 1024

/* Adopted inputs stay for good; this many leave room for those made here to come and go. */
#define PREPARED_ADOPTED (PREPARED_INPUTS - 8)

struct prepared;

/* data is borrowed and must outlive it. NULL and err when memory is short. */
struct prepared *prepared_create(const struct dataset *data, struct err *err);
void prepared_destroy(struct prepared *prepared); /* takes NULL */

/* The struct that the model type's kind of inputs makes: struct gcn_inputs, struct ridge_inputs.
 * Borrowed; NULL and err where it cannot be made. Only of a type that has inputs. */
const void *prepared_inputs(struct prepared *prepared, const struct settings *s, struct err *err);

/* Columns that the first layer takes: the features, or as many as `reduce` leaves. -1 and err where
 * they cannot be reduced so. */
int prepared_columns(int32_t *n, struct prepared *prepared, const struct settings *s,
                     struct err *err);

/* Borrowed; NULL and err where the parts cannot be made from the data. */
const struct split *prepared_split(struct prepared *prepared, const struct settings *s,
                                   int32_t replicate, int32_t fold, struct err *err);

/* Whether the inputs for these settings are here and were made here. Makes nothing, does not count
 * as asking. */
bool prepared_has_own(const struct prepared *prepared, const struct settings *s);

/* Those inputs as one block of bytes, out [prepared_packed_bytes()], 64-byte aligned. Only where
 * prepared_has_own(). */
size_t prepared_packed_bytes(const struct prepared *prepared, const struct settings *s);
void prepared_pack(void *block, const struct prepared *prepared, const struct settings *s);

/* From now on the inputs for these settings are a view of this block, which must outlive prepared;
 * what was made here for them is freed. At most PREPARED_ADOPTED times. -1 and err if it is not such
 * a block. */
int prepared_adopt(struct prepared *prepared, const struct settings *s, const void *block,
                   size_t bytes, struct err *err);

/* The work of one trial of a configuration, and where bytes is not NULL the memory that it takes
 * beside data and inputs, its model included. Inputs are outlined and not made; what would keep them
 * from being made is found. -1 and err as above. */
int prepared_cost(struct gcn_cost *work, double *bytes, struct prepared *prepared,
                  const struct settings *s, struct err *err);

/* Memory of the inputs for these settings, which prepared_cost() was asked about lately; 0 where it
 * was not. */
double prepared_inputs_bytes(const struct prepared *prepared, const struct settings *s);

/* Memory of the inputs of all that it was asked about, as many of them as are kept. */
double prepared_all_bytes(const struct prepared *prepared);

#endif
