/* SPDX-License-Identifier: BSD-3-Clause */
/* Calibration of the cost model for a machine before a sweep begins. */
#ifndef RUN_CALIBRATE_H
#define RUN_CALIBRATE_H

#include "run/job.h"
#include "sched/cost.h"
#include "store/store.h"

/* Calibrate the cost model by finished trials in the database or, if there are none, by training
 * some configurations for a moment each. This takes half a second of processor time, or 1 % of
 * the time that the sweep is expected to take on `ranks` ranks; it is skipped if that is too short
 * to measure anything. The costs are those on idle cores. Configurations of more than most_bytes (job->bytes) are not tried. Returns the number
 * of measurements; -1 and err: no memory. */
int64_t calibrate_cost(struct cost *cost, struct job *job, const struct store_trials *known,
                       int32_t ranks, double most_bytes, struct err *err);

#endif
