/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes the decisions of a stored search again, from the stored scores. */
#ifndef PREDICT_SEARCH_REPLAY_H
#define PREDICT_SEARCH_REPLAY_H

#include "grid/settings.h"
#include "store/query/query.h"

struct search_replay {
    int64_t n, n_different; /* decisions to keep or to stop a configuration */
    struct err first;       /* the first that differs, in words */
};

/* settings: of any configuration of the sweep. Proposals of a model are not made again. */
int search_replay(struct search_replay *out, struct store *store, const struct query_sweep *sweep,
                  const struct settings *settings, struct err *err);

#endif
