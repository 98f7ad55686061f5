/* SPDX-License-Identifier: BSD-3-Clause */
/* Comparison of a job with the database's sweep of the same name. A run continues only the same
 * sweep. */
#ifndef RUN_SWEEP_MATCH_H
#define RUN_SWEEP_MATCH_H

#include "run/job.h"
#include "store/store.h"

/* Call before a job is registered. Returns 0 if the job continues the database's sweep, if there is
 * none, or if new_sweep renames that sweep to NAME#1. Returns -1 and faults with the differences
 * and what to do (a usage error), or with a fault of the database. */
int sweep_match_check(struct store *store, const char *db, const struct job *job, bool new_sweep,
                      struct errlist *faults);

/* Like sweep_match_check(), but for commands that run nothing: warns of differences. *is_same: the
 * database's trials are the job's trials. Returns -1 and err. */
int sweep_match_warn(bool *is_same, struct store *store, const char *db, const struct job *job,
                     struct err *err);

#endif
