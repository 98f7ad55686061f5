/* SPDX-License-Identifier: BSD-3-Clause */
/* How many ranks of a launch the trials to run can use at a time. */
#ifndef RUN_RANK_USE_H
#define RUN_RANK_USE_H

#include "run/job.h"

struct rank_use {
    int64_t n_trials;
    int32_t n_ranks;
    int64_t most;   /* of n_ranks, at any time */
    int64_t larger; /* fewest ranks above n_ranks that can all work; 0: there are none */
};

/* n_left: [n_configs] trials to run. A trial counts with all of its ranks or not at all. O(n_ranks
 * widths). -1 and err: memory. */
int rank_use_find(struct rank_use *use, const struct job *job, const int64_t *n_left,
                  int32_t n_ranks, struct err *err);

/* Warn if some ranks have nothing to do, and suggest a number of ranks. */
void rank_use_warn(const struct rank_use *use);

#endif
