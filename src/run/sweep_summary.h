/* SPDX-License-Identifier: BSD-3-Clause */
/* What `run` prints of a session: what there is to do, how it ended, and how to go on. */
#ifndef RUN_SWEEP_SUMMARY_H
#define RUN_SWEEP_SUMMARY_H

#include "run/sweep_session.h"

/* Before the first trial. */
void sweep_summary_begin(const struct sweep_session *session);

/* After the last, `seconds` later: the counts, the best configuration, how busy the ranks were, and
 * what a statistician would say. */
void sweep_summary_results(const struct sweep_session *session, enum master_end end,
                           double seconds);

/* The command that comes next. */
void sweep_summary_next(const struct sweep_session *session, enum master_end end);

#endif
