/* SPDX-License-Identifier: BSD-3-Clause */
/* The answer of `plan` and of `run --dry-run`: the trials of a sweep, and their cost. */
#ifndef CLI_PLAN_LIST_H
#define CLI_PLAN_LIST_H

#include <stdbool.h>

#include "cli/command/command.h"
#include "grid/shard.h"
#include "run/job.h"

struct plan_options {
    const struct common_options *common;
    const char *db; /* finished trials and measured times are read from it, if it exists */
    const struct shard *shard; /* only its trials are listed */
    const char *section;       /* "trials", "cost"; NULL: both */
    bool is_whole;             /* people too get all trials */
    long ranks;                /* that the total time is for */
};

/* Print the plan of a job that has one. Returns the exit status. */
int plan_list(struct job *job, const struct plan_options *options);

#endif
