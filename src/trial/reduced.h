/* Reduced features, made once per process: one reading of the data serves all values of `reduce`,
 * and one decomposition all graphs. */
#ifndef TRIAL_REDUCED_H
#define TRIAL_REDUCED_H

#include "gcn/reducer.h"

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

#endif
