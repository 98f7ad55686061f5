/* SPDX-License-Identifier: BSD-3-Clause */
/* What a cost model can know of a machine before a sweep begins there. */
#ifndef RUN_CALIBRATE_H
#define RUN_CALIBRATE_H

#include "run/job.h"
#include "sched/cost.h"
#include "store/store.h"

/* Calibrate a cost model of the job's configurations: by the trials that the database has finished,
 * or where there is none by training some configurations for a moment each. That takes half a
 * second together, or a hundredth of what the sweep is expected to take on so many ranks, and is
 * left out where that is too little to measure anything. Configurations that take more than
 * most_bytes (job->bytes) are not tried. Returns the number of measurements; -1 and err when memory
 * is short. */
int64_t calibrate_cost(struct cost *cost, struct job *job, const struct store_trials *known,
                       int32_t ranks, double most_bytes, struct err *err);

#endif
