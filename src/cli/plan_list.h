/* SPDX-License-Identifier: BSD-3-Clause */
/* The answer of `plan` and `run --dry-run`: the trials of a sweep, and their cost. */
#ifndef CLI_PLAN_LIST_H
#define CLI_PLAN_LIST_H

#include <stdbool.h>

#include "cli/command/command.h"
#include "grid/shard.h"
#include "run/job.h"

struct plan_options {
    const struct common_options *common;
    const char *db;            /* of finished trials and measured times, if it exists */
    const struct shard *shard; /* only its trials are listed */
    const char *section;       /* NULL: both */
    bool is_whole;             /* people get all trials, too */
    bool has_commands;         /* the command lines of programs in place of all else */
    bool is_run;               /* a dry run: the command lines only of the trials that it starts */
    bool retry_failed;         /* failed trials are to run */
    long ranks;                /* for the total time */
};

/* The job has a plan. Returns the exit status. */
int plan_list(struct job *job, const struct plan_options *options);

#endif
