/* SPDX-License-Identifier: BSD-3-Clause */
/* The search of a session: holds the trials that wait for a decision, and makes the next one when all that run
 * have ended. A resumed session makes all decisions again, from stored scores. */
#ifndef RUN_SWEEP_SEARCH_H
#define RUN_SWEEP_SEARCH_H

#include <stdbool.h>

#include "base/err.h"

struct sweep_session;
struct sweep_search;
struct trial_result;

/* Register the configurations that are proposed so far. */
int sweep_search_register(struct sweep_session *session, struct err *err);

/* After the plan was registered and the ledger made, before its trials are counted: hold what may not run yet,
 * and release the first step that is left to run. Without a search, trials that an earlier one held or stopped
 * are pending again. -1 and err: also if this kind of search cannot be cut into shards. */
int sweep_search_begin(struct sweep_session *session, struct err *err);
void sweep_search_end(struct sweep_session *session);

/* Once dispatch and master are there. */
void sweep_search_start(struct sweep_session *session);

/* Note a result; without a search nothing. */
void sweep_search_note(struct sweep_session *session, const struct trial_result *result);

/* Nothing is pending or leased: decide, and release the next step; nothing at the end of the search. */
int sweep_search_next(struct sweep_session *session, struct err *err);

#endif
