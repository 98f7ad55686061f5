/* SPDX-License-Identifier: BSD-3-Clause */
/* The warnings that `run`, `plan` and `inspect` print about a job, each once, before anything is
 * trained. Each function has a job of the stage that it names. */
#ifndef RUN_JOB_WARNINGS_H
#define RUN_JOB_WARNINGS_H

#include "run/job.h"

/* After the data were read: what was left out of them or guessed. */
void job_warn_data(const struct job *job);

/* After the settings were resolved: features that are not scaled and whose spreads differ by a
 * factor of more than 100. -1 and err when memory is short. */
int job_warn_spread(struct job *job, struct err *err);

/* After the plan was made: points of the grid and settings that change nothing. */
void job_warn_plan(const struct job *job);

/* Warn of parts that are too few or too small to decide anything. job_plan() does it; after
 * job_points() it is for the caller. -1 and err. */
int job_warn_parts(struct job *job, struct err *err);

#endif
