/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages of a run whose database cannot be written. */
#ifndef RUN_DATABASE_FAULT_H
#define RUN_DATABASE_FAULT_H

#include "grid/shard.h"
#include "run/job.h"
#include "store/store.h"

struct database_fault {
    const char *db;               /* borrowed */
    void (*meanwhile)(void *arg); /* called repeatedly while the run waits */
    void *arg;
    bool has_warned;
};

/* Let the store, which borrows fault, wait for other processes, and warn once. A stop signal soon
 * ends the waiting. */
void database_fault_watch(struct database_fault *fault, struct store *store);

/* After a commit: end the waiting, with a message if there was a warning. */
void database_fault_over(struct database_fault *fault);

/* After a run broke off: open its database again and warn which results are safe, which trials of
 * the shard are missing, and how to continue. has_changed: the input files of the program have. */
void database_fault_report(const char *db, const struct job *job, const struct shard *shard,
                           bool has_changed);

#endif
