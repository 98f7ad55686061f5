/* SPDX-License-Identifier: BSD-3-Clause */
/* The command lines of a sweep with [program], before any of them runs. */
#ifndef RUN_PROGRAM_LINES_H
#define RUN_PROGRAM_LINES_H

#include "run/job.h"
#include "trial/program_command.h"

struct program_lines {
    const struct job *job;
    struct program_command command;
    struct buf files; /* folder of the trials' files */
    struct buf text;  /* scratch */
};

/* The job has a plan and is borrowed. Pair with program_lines_close(), also after a failure. */
int program_lines_open(struct program_lines *lines, const struct job *job, const char *db,
                       struct err *err);
void program_lines_close(struct program_lines *lines);

/* Append the command of a trial of the plan with its values, as a line for a shell. id: its
 * number in the database. */
int program_lines_put(struct buf *out, struct program_lines *lines, int64_t trial, int64_t id,
                      struct err *err);

/* -1 and err: a program that the job's plan needs, or the interpreter of a script, does not exist here or
 * cannot be executed. 0 with a shell, which finds its programs itself. */
int program_lines_check(const struct job *job, const char *db, struct err *err);

#endif
