/* SPDX-License-Identifier: BSD-3-Clause */
/* How the search of a sweep is doing, from its decisions and from the states of its trials. */
#ifndef STORE_QUERY_SEARCH_PROGRESS_H
#define STORE_QUERY_SEARCH_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "store/query/query.h"

struct search_progress {
    bool is_there;    /* else the rest is zero */
    bool is_over;     /* no trial is left, and none waits */
    int64_t configs;  /* that may be proposed */
    int64_t proposed; /* so far, with those that were stopped */
    int64_t stopped;
    int64_t each;            /* trials of a configuration */
    int32_t stage, n_stages; /* of the allocator (search/allocator.h), from 0; the present one */
    int32_t end;             /* trials of each configuration that have run after it */
    bool has_rungs;          /* stages end at rungs: stage + 1 of n_stages */
    bool are_folds;          /* the trials of a configuration are its folds */
    int64_t released,
        ended; /* trials of the configurations that are left, in this stage and before;
                              * those that need not run until the next decision */
    int64_t finished, waiting; /* trials with a result; without one that may still have one */
    double spent;              /* what ran, in full trials */
    double epochs, all_epochs; /* trained, and of all trials to their ends; 0: unknown */
    double
        left_core_s; /* expected until the search is over, from the times of its trials; NaN: unknown */
    struct result_table stops; /* owned: QUERY_SEARCH_STOPS */
};

/* Read it. Pair with search_progress_release(), whatever the result. -1 and err. */
int search_progress_read(struct search_progress *progress, struct store *store,
                         const struct query_sweep *sweep, struct err *err);
void search_progress_release(struct search_progress *progress);

/* Append "rung 2 of 3", "fold 3 of 5" or "24 of 64 configurations". */
void search_progress_put_stage(struct buf *out, const struct search_progress *progress);

/* Append "rung 2 of 3: 40 of 45 released trials done; 9 of 18 configurations stopped", or at the end "18
 * configurations tried, 4 to the end, 7 stopped at rung 1, 7 at rung 2; 3200 of 8100 epochs". */
void search_progress_put(struct buf *out, const struct search_progress *progress);

#endif
