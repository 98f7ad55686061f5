/* SPDX-License-Identifier: BSD-3-Clause */
/* `plan` and `run --dry-run`: every trial and its cost, before anything is spent. */
#ifndef CLI_PLAN_LIST_H
#define CLI_PLAN_LIST_H

#include "grid/shard.h"
#include "run/job.h"

/* Prints the trials on stdout ("table", "csv" or "json") and the totals on stderr; db is read for
 * measured rates and finished trials if it exists. A table of more than 20 trials has the first and
 * the last ten, unless is_whole. Returns the exit status. */
int plan_list(struct job *job, const char *db, const struct shard *shard, const char *format,
              bool is_whole);

#endif
