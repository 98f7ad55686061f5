/* SPDX-License-Identifier: BSD-3-Clause */
/* The answer of `plan` and `run --dry-run`: the trials of a sweep, and their cost. */
#ifndef CLI_CMD_PLAN_H
#define CLI_CMD_PLAN_H

#include <stdbool.h>

#include "cli/command/command.h"
#include "grid/shard.h"
#include "run/job.h"

struct plan_options {
    struct common_options common;
    const char *shard; /* of `plan`, as typed */
    bool is_whole;     /* people get all trials, too */
    bool has_commands; /* the command lines of programs in place of all else */
    long ranks;        /* for the total time */
    /* The members below are no options. */
    bool is_run;       /* a dry run: the command lines only of the trials that it starts */
    bool retry_failed; /* failed trials are to run */
};

/* List the trials of the shard. The job has a plan. db: of finished trials and measured times,
 * if it exists. Returns the exit status. */
int plan_list(struct job *job, const char *db, const struct shard *shard,
              const struct plan_options *options);

#endif
