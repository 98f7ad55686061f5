/* SPDX-License-Identifier: BSD-3-Clause */
/* From a sweep file to a plan over its data, step by step, with the warnings that belong to each.
 *
 * Each step returns -1 with what is wrong in faults, a line each. A fault of the sweep file, also
 * one that only the data show, is of usage (errlist_add_usage()). */
#ifndef RUN_JOB_PREPARE_H
#define RUN_JOB_PREPARE_H

#include "base/text_list.h"
#include "run/job.h"

/* The sweep file at path with overrides (--set). */
int job_parse(struct job *job, const char *path, const struct text_list *set,
              struct errlist *faults);

/* In the place of job_parse(): the text of a sweep file that is named path in messages, and whose
 * relative paths are those of its folder. */
int job_parse_text(struct job *job, const char *path, const char *text, struct errlist *faults);

/* The data that it names, and the settings that depend on them. */
int job_load(struct job *job, struct errlist *faults);

/* The plan and the cost of each configuration. */
int job_plan(struct job *job, struct errlist *faults);

/* In the place of job_plan(), to look at graphs and their parts: the plan without costs, for which
 * the inputs of every configuration would be made. */
int job_points(struct job *job, struct errlist *faults);

/* After job_load(): another such text, which reads the same data; they are not loaded again. */
int job_parse_again(struct job *job, const char *path, const char *text, struct errlist *faults);

/* job_parse(), job_load() and job_plan(). */
int job_prepare(struct job *job, const char *path, const struct text_list *set,
                struct errlist *faults);

#endif
