/* What is constant over a grid, made once and shared by its trials: normalised adjacency, scaled
 * features, A^X, products of samples for ridge, splits. Inputs that were made elsewhere can be
 * adopted (once per host, sched/shared.h); what was not is made here when it is first asked for.
 *
 * Not thread-safe: one thread at a time. What is returned stays valid until the same process has
 * asked for PREPARED_GRAPHS other graphs or PREPARED_SPLITS other splits (the least recently used
 * one goes), so use it for one trial and ask again for the next. */
#ifndef TRIAL_PREPARED_H
#define TRIAL_PREPARED_H

#include "data/core/dataset.h"
#include "data/core/split.h"
#include "gcn/cost.h"
#include "gcn/reducer.h"
#include "gcn/train.h"
#include "grid/settings.h"

/* Reduced features, made once per process: one reading of the data serves all values of `reduce`,
 * and one decomposition all graphs. */

#define REDUCED_KEPT 16

struct reduced {
    const struct dataset *data; /* borrowed */
    double limit_bytes;         /* more is refused */
    enum feature_scale scale;   /* of all that is kept */
    bool has_reducer;
    struct reducer reducer;
    struct {
        int32_t reduce; /* REDUCE_NONE: empty */
        struct mat l;
    } kept[REDUCED_KEPT];
    int next; /* place of the next, in a ring */
};

/* Nothing is made yet. */
void reduced_init(struct reduced *reduced, const struct dataset *data);
void reduced_release(struct reduced *reduced); /* takes a zeroed one */

/* L for a scale and a reduction that does not keep the features. Borrowed, until REDUCED_KEPT
 * others were asked for. NULL and err where memory would not suffice, naming what it takes and what
 * there is, or where reducer.h fails. */
const struct mat *reduced_features(struct reduced *reduced, const struct gcn_inputs_spec *spec,
                                   struct err *err);

#define PREPARED_GRAPHS 32
#define PREPARED_SPLITS 1024

/* Adopted inputs stay for good; this many leave room for those made here to come and go. */
#define PREPARED_ADOPTED (PREPARED_GRAPHS - 8)

struct prepared;

/* data is borrowed and must outlive it. NULL and err when memory is short. */
struct prepared *prepared_create(const struct dataset *data, struct err *err);
void prepared_destroy(struct prepared *prepared); /* takes NULL */

/* Borrowed; NULL and err where the graph or the parts cannot be made from the data. */
const struct gcn_inputs *prepared_inputs(struct prepared *prepared, const struct settings *s,
                                         struct err *err);
const struct split *prepared_split(struct prepared *prepared, const struct settings *s,
                                   int32_t replicate, int32_t fold, struct err *err);

/* The inputs for these settings if they are here and were made here; NULL otherwise. Makes nothing,
 * does not count as asking. */
const struct gcn_inputs *prepared_own_inputs(const struct prepared *prepared,
                                             const struct settings *s);

/* From now on the inputs for these settings are a view of this block (gcn/inputs.h), which
 * must outlive prepared; what was made here for them is freed. At most PREPARED_ADOPTED times. -1
 * and err if it is not such a block. */
int prepared_adopt(struct prepared *prepared, const struct settings *s, const void *block,
                   size_t bytes, struct err *err);

/* The work of one trial of a configuration, and where bytes is not NULL the memory that it takes
 * beside data and inputs, its model included. Inputs are outlined and not made (gcn/cost.h), but
 * for the small ones that `reduce` leaves; what would keep them from being made is found. -1 and
 * err as above. */
int prepared_cost(struct gcn_cost *work, double *bytes, struct prepared *prepared,
                  const struct settings *s, struct err *err);

/* Memory of the inputs for these settings, which prepared_cost() was asked about lately; 0 where it
 * was not. */
double prepared_inputs_bytes(const struct prepared *prepared, const struct settings *s);

/* Memory of the inputs of all that it was asked about, as many of them as are kept. */
double prepared_all_bytes(const struct prepared *prepared);

#endif
