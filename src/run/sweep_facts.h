/* SPDX-License-Identifier: BSD-3-Clause */
/* Stores what a run knows of its data and parts, so that reports need no data files.
 * doc/manual/reference/database.md lists the topics. */
#ifndef RUN_SWEEP_FACTS_H
#define RUN_SWEEP_FACTS_H

#include "run/job.h"
#include "store/store.h"

/* For a registered sweep, after advice_plan(), whose advice it also prints if the sweep has not got it
 * yet. Computes only what costs little beside reading the
 * data, and writes only what changed. Part of the transaction. */
int sweep_facts_store(struct store *store, struct job *job, struct err *err);

#endif
