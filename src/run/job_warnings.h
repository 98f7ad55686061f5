/* SPDX-License-Identifier: BSD-3-Clause */
/* Warnings before any training, each at its stage of a job. */
#ifndef RUN_JOB_WARNINGS_H
#define RUN_JOB_WARNINGS_H

#include "run/job.h"

/* After the data were read: what was dropped or guessed. */
void job_warn_data(const struct job *job);

/* After settings were resolved: unscaled features of very different spread. */
int job_warn_spread(struct job *job, struct err *err);

/* After the plan was made, also of programs: values that where or a condition leaves to no configuration. */
void job_warn_grid(const struct job *job);

/* After the plan was made: points of the grid and settings without effect. */
void job_warn_plan(const struct job *job);

/* After the splits were checked: settings that act through several workers, where there is one, or
 * where these divide a full batch. */
int job_warn_workers(const struct job *job, struct err *err);

/* After the plan was made: parts too few or too small to decide anything. job_plan() calls this;
 * after job_points() the caller must. */
int job_warn_parts(struct job *job, struct err *err);

#endif
