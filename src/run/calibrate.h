/* SPDX-License-Identifier: BSD-3-Clause */
/* Calibration of the cost model before a sweep begins. */
#ifndef RUN_CALIBRATE_H
#define RUN_CALIBRATE_H

#include "run/job.h"
#include "sched/cost.h"
#include "store/store.h"

/* Use finished trials in the database or, if there are none, train some configurations for a moment
 * each. This takes half a second, or 1 % of the sweep's expected time on `ranks` ranks; it is
 * skipped if that is too short to measure, or if the work of trials is unknown (job->work).
 * Configurations of more than most_bytes (job->bytes) are not tried. Returns the number of
 * measurements, or -1 and err. */
int64_t calibrate_cost(struct cost *cost, struct job *job, const struct store_trials *known,
                       int32_t ranks, double most_bytes, struct err *err);

#endif
