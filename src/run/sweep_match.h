/* SPDX-License-Identifier: BSD-3-Clause */
/* A run continues the database's sweep of the job's name only if it is the same sweep. */
#ifndef RUN_SWEEP_MATCH_H
#define RUN_SWEEP_MATCH_H

#include "run/job.h"
#include "store/store.h"

/* Before a job is registered. 0 if the job continues the stored sweep, if there is none, or if
 * new_sweep renames it to NAME#1. Files of a program may have changed with accepts_inputs: job->data.digest
 * becomes that of the stored sweep, which is part of all keys. -1 and faults: the differences and what to do (a usage error), or
 * a fault of the database. */
int sweep_match_check(struct store *store, const char *db, struct job *job, bool new_sweep,
                      bool accepts_inputs, struct errlist *faults);

/* While a job runs whose files have changed: add to faults what sweep_match_check() would. Always -1.
 */
int sweep_match_refuse(struct store *store, const char *db, struct job *job,
                       struct errlist *faults);

/* Warn of differences. *is_same: there are none. */
int sweep_match_warn(bool *is_same, struct store *store, const char *db, struct job *job,
                     struct err *err);

#endif
