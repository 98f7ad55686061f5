/* SPDX-License-Identifier: BSD-3-Clause */
/* The runner that trains models. */
#ifndef TRIAL_MODEL_RUNNER_H
#define TRIAL_MODEL_RUNNER_H

#include "base/clock.h"
#include "grid/plan.h"
#include "trial/prepared.h"
#include "trial/result.h"

struct model_runner;

/* plan, data and prepared are borrowed. Not thread-safe. */
struct model_runner *model_runner_create(const struct plan *plan, const struct dataset *data,
                                         struct prepared *prepared, const struct clock *clock,
                                         struct err *err);
void model_runner_destroy(struct model_runner *self);

struct runner model_runner_interface(struct model_runner *self);

#endif
