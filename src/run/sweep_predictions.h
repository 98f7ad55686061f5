/* SPDX-License-Identifier: BSD-3-Clause */
/* At the end of a sweep: out-of-fold predictions of the best configuration and of the choice of
 * --rule 1se (doc/decisions/0029). */
#ifndef RUN_SWEEP_PREDICTIONS_H
#define RUN_SWEEP_PREDICTIONS_H

#include "run/sweep_session.h"

/* When nothing is left to run: drop the predictions of other configurations, and store those of
 * trials that have a model and no predictions yet, one trial in a transaction. Stops between trials
 * at a stop signal and before the walltime; the next run continues. A model that cannot be applied
 * is a warning. Does nothing with keep = none, and in a shard. -1 and err: the database cannot be
 * read or written. */
int sweep_predictions_store(struct sweep_session *session, struct err *err);

#endif
