/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether the database's sweep of a job's name is the same sweep: only then a run goes on with it. */
#ifndef RUN_SWEEP_MATCH_H
#define RUN_SWEEP_MATCH_H

#include "run/job.h"
#include "store/store.h"

/* Before a job is registered. 0 where it goes on with the database's sweep, there is none, or
 * new_sweep makes that one NAME#1. -1 and faults: what is not the same and what to do (of usage), or
 * a fault of the database. */
int sweep_match_check(struct store *store, const char *db, const struct job *job, bool new_sweep,
                      struct errlist *faults);

/* The same question of a command that runs nothing: warns, and says in *is_same whether the trials
 * of the database are those of the job. -1 and err. */
int sweep_match_warn(bool *is_same, struct store *store, const char *db, const struct job *job,
                     struct err *err);

#endif
