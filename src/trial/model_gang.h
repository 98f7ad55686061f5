/* SPDX-License-Identifier: BSD-3-Clause */
/* The ranks that train one model together. */
#ifndef TRIAL_MODEL_GANG_H
#define TRIAL_MODEL_GANG_H

#include "gang/gang.h"
#include "trial/result.h"

/* Meet the other members of watch->gang, as ranks of n_workers workers. Collective. -1 and failure:
 * *gang is NULL. */
int model_gang_open(struct gang_member **gang, const struct trial_watch *watch, int32_t n_workers,
                    struct gang_failure *failure);

/* Make r the result of a member whose gang failed: PENDING with the reason if the trial may run
 * again, and without one if this rank was told to leave; else FAILED. */
void model_gang_fail(struct trial_result *r, const struct gang_failure *failure);

/* Warn, once for each host, of a member there that makes the others wait for a quarter of the time
 * or longer. slow: the hosts that were named. */
void model_gang_warn(struct errlist *slow, const struct gang_member *gang);

#endif
