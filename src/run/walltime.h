/* SPDX-License-Identifier: BSD-3-Clause */
/* When a sweep must be over: --time-limit, or the walltime of the job that it runs in. */
#ifndef RUN_WALLTIME_H
#define RUN_WALLTIME_H

#include <stdbool.h>
#include <stdint.h>

#include "sched/dispatch.h"

struct walltime {
    double until_s; /* by clock_system: all trials must be over; INFINITY: no limit */
    double whole_s; /* all the time of such a run: of --time-limit, or what the job had left at
                       walltime_begin(); INFINITY where that was nothing */
    bool is_whole;  /* the next run has no more: whole_s is of --time-limit, or of a job that had
                       just begun */
};

/* limit_s: --time-limit, counted from begun_s (by clock_system), where the command began. NaN: none
 * was given; then the batch system is asked, and what it says is printed. Where the job ends before
 * limit_s is over, the job's end counts, with a warning. Some of the time is kept for the end of
 * the run (doc/decisions/0017). */
void walltime_begin(struct walltime *walltime, double limit_s, double begun_s);

/* seconds, or what is left until the limit where that is less. */
double walltime_within(const struct walltime *walltime, double seconds);

/* Before the first trial: warn of those that cannot end in time though they begin at once. */
void walltime_warn(const struct walltime *walltime, const struct dispatch *dispatch);

/* At the end, where time was up: say what is left, and what of it a run with the same limit cannot
 * do either: where it is expected to take longer than all the time there was. */
void walltime_tell(const struct walltime *walltime, const struct dispatch *dispatch);

/* Whether nothing else is left, and the next run has no more time: run again, it would do nothing.
 */
bool walltime_is_in_vain(const struct walltime *walltime, const struct dispatch *dispatch);

#endif
