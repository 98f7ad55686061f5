/* SPDX-License-Identifier: BSD-3-Clause */
/* The runner that trains: plan + data -> results. */
#ifndef TRIAL_MODEL_RUNNER_H
#define TRIAL_MODEL_RUNNER_H

#include "base/clock.h"
#include "grid/plan.h"
#include "trial/prepared.h"
#include "trial/result.h"

struct model_runner;

/* plan (of resolved settings) and prepared are borrowed. One thread at a time, the same one that
 * uses prepared meanwhile. NULL and err when memory is short. */
struct model_runner *model_runner_create(const struct plan *plan, const struct dataset *data,
                                         struct prepared *prepared, const struct clock *clock,
                                         struct err *err);
void model_runner_destroy(struct model_runner *self); /* takes NULL */

/* The interface the scheduler sees. */
struct runner model_runner_interface(struct model_runner *self);

#endif
