/* SPDX-License-Identifier: BSD-3-Clause */
/* The time limit of a sweep: --time-limit, or the walltime of the batch job. */
#ifndef RUN_WALLTIME_H
#define RUN_WALLTIME_H

#include <stdbool.h>
#include <stdint.h>

#include "sched/dispatch.h"

struct walltime {
    double until_s; /* by clock_system, when running trials are asked to stop; INFINITY: no limit */
    double stop_s;  /* they may need to stop */
    double whole_s; /* time for trials in such a run; INFINITY: no limit */
    bool is_whole;  /* the next run has no more: a limit, or a job that had just begun */
};

/* limit_s: --time-limit, counted from begun_s (by clock_system). NaN: the batch system is asked,
 * and its answer printed. An earlier end of the job applies, with a warning. Part of the time is
 * reserved for the end of the run (doc/decisions/0017), and stop_s for running trials that were
 * asked to stop, or a quarter of the time if that is less. */
void walltime_begin(struct walltime *walltime, double limit_s, double begun_s, double stop_s);

/* The smaller of seconds and the time left. */
double walltime_within(const struct walltime *walltime, double seconds);

/* Before the first trial: tell the dispatcher how long such a run lasts, and print which trials need
 * several. */
void walltime_start(struct walltime *walltime, struct dispatch *dispatch);

/* When time is up: print how many trials are left, how many of them have a checkpoint, and, if
 * is_in_vain, that such a run achieves nothing. */
void walltime_tell(const struct walltime *walltime, const struct dispatch *dispatch,
                   int64_t n_checkpoints, bool is_in_vain);

#endif
