/* SPDX-License-Identifier: BSD-3-Clause */
/* What a run says when its database cannot be written: another process holds it, or the disk has
 * failed. */
#ifndef RUN_DATABASE_FAULT_H
#define RUN_DATABASE_FAULT_H

#include "grid/shard.h"
#include "run/job.h"
#include "store/store.h"

struct database_fault {
    const char *db;               /* borrowed */
    void (*meanwhile)(void *arg); /* called again and again while the database is waited for */
    void *arg;
    bool has_warned; /* that the database is being waited for */
};

/* Let a writer wait for other processes, and say so once. A signal to stop ends the waiting soon.
 * fault is borrowed by the store. */
void database_fault_watch(struct database_fault *fault, struct store *store);

/* After a commit: says that the database is free again, if that had been said. */
void database_fault_over(struct database_fault *fault);

/* After a run that broke off, and closed its database: opens it anew and warns of what is safe in
 * it, which trials of the shard are missing and how to go on. */
void database_fault_report(const char *db, const struct job *job, const struct shard *shard);

#endif
