/* SPDX-License-Identifier: BSD-3-Clause */
/* The time limit of a sweep: --time-limit, or the walltime of the batch job. */
#ifndef RUN_WALLTIME_H
#define RUN_WALLTIME_H

#include <stdbool.h>
#include <stdint.h>

#include "sched/dispatch.h"

struct walltime {
    double until_s; /* by clock_system: when all trials must have ended; INFINITY: no limit */
    double whole_s; /* time of such a run: from --time-limit, or what the job had left at
                     * walltime_begin(); INFINITY if that was nothing */
    bool is_whole;  /* the next run has no more: whole_s is from --time-limit, or from a job that
                     * had just begun */
};

/* limit_s: --time-limit, counted from begun_s (by clock_system). NaN: not given; the batch system
 * is asked, and its answer printed. If the job ends earlier, warns and uses its end. Part of the
 * time is reserved for the end of the run (doc/decisions/0017). */
void walltime_begin(struct walltime *walltime, double limit_s, double begun_s);

/* Return seconds, or the time left until the limit if that is less. */
double walltime_within(const struct walltime *walltime, double seconds);

/* Before the first trial: warn of trials that cannot end in time even if they start at once. */
void walltime_warn(const struct walltime *walltime, const struct dispatch *dispatch);

/* When time is up: print how many trials are left, and how many of them a run with the same limit
 * cannot finish either, since each is expected to exceed its whole time. */
void walltime_tell(const struct walltime *walltime, const struct dispatch *dispatch);

/* True if only such trials are left and the next run has no more time: it would do nothing. */
bool walltime_is_in_vain(const struct walltime *walltime, const struct dispatch *dispatch);

#endif
