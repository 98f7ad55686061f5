/* What is constant over a grid, made once per process and shared by its trials: normalised
 * adjacency, scaled features, A^X, splits.
 *
 * Not thread-safe: one thread at a time. What is returned stays valid until the same process has
 * asked for PREPARED_GRAPHS other graphs or PREPARED_SPLITS other splits (the least recently used
 * one goes), so use it for one trial and ask again for the next. */
#ifndef TRIAL_PREPARED_H
#define TRIAL_PREPARED_H

#include "data/dataset.h"
#include "data/split.h"
#include "gcn/train.h"
#include "grid/settings.h"

#define PREPARED_GRAPHS 32
#define PREPARED_SPLITS 1024

struct prepared;

/* data is borrowed and must outlive it. NULL and err when memory is short. */
struct prepared *prepared_create(const struct dataset *data, struct err *err);
void prepared_destroy(struct prepared *prepared); /* takes NULL */

/* Borrowed; NULL and err where the graph or the parts cannot be made from the data. */
const struct gcn_inputs *prepared_inputs(struct prepared *prepared, const struct settings *s,
                                         struct err *err);
const struct split *prepared_split(struct prepared *prepared, const struct settings *s,
                                   int32_t replicate, int32_t fold, struct err *err);

/* The work of one trial of a configuration; -1 and err as above. */
int prepared_cost(struct gcn_cost *work, struct prepared *prepared, const struct settings *s,
                  struct err *err);

#endif
