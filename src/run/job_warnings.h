/* SPDX-License-Identifier: BSD-3-Clause */
/* Warnings about a job. `run`, `plan` and `inspect` print each of them once, before any training.
 * Each function needs a job of the stage that its comment names. */
#ifndef RUN_JOB_WARNINGS_H
#define RUN_JOB_WARNINGS_H

#include "run/job.h"

/* After the data were read: samples and columns that were dropped, and guesses that were made. */
void job_warn_data(const struct job *job);

/* After the settings were resolved: unscaled features whose standard deviations differ by a factor
 * of more than 100. Returns -1 and err when memory is short. */
int job_warn_spread(struct job *job, struct err *err);

/* After the plan was made: points of the grid and settings without effect. */
void job_warn_plan(const struct job *job);

/* Warn of parts that are too few or too small to decide anything. job_plan() calls this; after
 * job_points() the caller must. Returns -1 and err. */
int job_warn_parts(struct job *job, struct err *err);

#endif
