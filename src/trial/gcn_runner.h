/* The runner that trains: plan + data -> results. */
#ifndef TRIAL_GCN_RUNNER_H
#define TRIAL_GCN_RUNNER_H

#include "base/clock.h"
#include "grid/plan.h"
#include "trial/prepared.h"
#include "trial/runner.h"

struct gcn_runner;

/* plan (of resolved settings) and prepared are borrowed. One thread at a time, the same one that
 * uses prepared meanwhile. NULL and err when memory is short. */
struct gcn_runner *gcn_runner_create(const struct plan *plan, const struct dataset *data,
                                     struct prepared *prepared, const struct clock *clock,
                                     struct err *err);
void gcn_runner_destroy(struct gcn_runner *self); /* takes NULL */

/* The interface the scheduler sees. */
struct runner gcn_runner_interface(struct gcn_runner *self);

#endif
