/* Whether features are on scales that suit one learning rate. */
#ifndef GCN_SPREAD_H
#define GCN_SPREAD_H

#include <stdbool.h>

#include "data/dataset.h"

/* Standard deviations of the features as read, over all samples; constant features are left out. */
struct spread {
    int32_t widest, narrowest; /* features; -1 where all are constant; of dense features of 0 and 1
                                  only the widest can be the narrowest of all */
    double most, least;        /* their standard deviations */
};

/* -1 and err when memory is short. */
int spread_measure(struct spread *out, const struct dataset *data, struct err *err);

/* *out: whether some dense feature has a value beside 0 and 1, as attributes have and one-hot
 * labels have not. Sparse features have none here: they cannot be standardized. -1 and err when
 * memory is short. */
int spread_has_amounts(bool *out, const struct dataset *data, struct err *err);

#endif
