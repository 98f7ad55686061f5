/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages of `run`: what there is to do, how it ended, how to continue. */
#ifndef RUN_SWEEP_SUMMARY_H
#define RUN_SWEEP_SUMMARY_H

#include "run/sweep_session.h"

/* Before the first trial. */
void sweep_summary_begin(const struct sweep_session *session);

/* After the last trial, `seconds` later. */
void sweep_summary_results(const struct sweep_session *session, enum master_end end,
                           double seconds);

void sweep_summary_next(const struct sweep_session *session, enum master_end end);

/* After a run broke off: open its database again and warn which results are safe, how many trials of
 * the shard are missing, and how to continue. has_changed: the input files of the program have. */
void sweep_summary_broken(const char *db, const struct job *job, const struct shard *shard,
                          bool has_changed);

#endif
