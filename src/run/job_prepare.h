/* SPDX-License-Identifier: BSD-3-Clause */
/* Steps from a sweep file to a plan over its data. Each returns -1 with a line
 * in faults for each fault. Faults of the sweep file are usage errors, including those that only
 * the data reveal. */
#ifndef RUN_JOB_PREPARE_H
#define RUN_JOB_PREPARE_H

#include "base/text_list.h"
#include "data/inputs.h"
#include "run/job.h"

/* set: overrides (--set). */
int job_parse(struct job *job, const char *path, const struct text_list *set,
              struct errlist *faults);

/* In place of job_parse(): messages call the text `path`, and relative paths start at path's
 * folder. */
int job_parse_text(struct job *job, const char *path, const char *text, struct errlist *faults);

/* Print what the reader of the data noted. job_load() does. */
void job_print_notes(const struct job *job);

/* Read the data and resolve the settings that depend on them. */
int job_load(struct job *job, struct errlist *faults);

/* *out: the files of [program] inputs are others than when the data of the job were read. Only then
 * has `now` the data of today, for dataset_release(); the rest of it is borrowed. */
int job_inputs_changed(bool *out, struct job *now, struct job *job, struct err *err);

/* Also find the advice (job->advice), which the caller prints. */
int job_plan(struct job *job, struct errlist *faults);

/* In place of job_plan(): no costs, which would need the inputs of every configuration. */
int job_points(struct job *job, struct errlist *faults);

/* The costs of configurations from `first` on, which were proposed since. */
int job_price(struct job *job, int32_t first, struct err *err);

/* The role of a path among the files of a program, and its hash when they were read; NULL: it is none of
 * them. */
enum inputs_role job_input_role(const struct job *job, const char *path);
const char *job_input_hash(const struct job *job, const char *path);

/* After job_load(): parse another text for the same data. */
int job_parse_again(struct job *job, const char *path, const char *text, struct errlist *faults);

int job_prepare(struct job *job, const char *path, const struct text_list *set,
                struct errlist *faults);

#endif
