/* SPDX-License-Identifier: BSD-3-Clause */
/* Sharing of data and prepared inputs with all ranks, one copy on each host (sched/world.h). */
#ifndef RUN_SWEEP_SHARE_H
#define RUN_SWEEP_SHARE_H

#include "data/core/dataset.h"
#include "grid/plan.h"
#include "sched/world.h"
#include "trial/prepared.h"

struct sweep_share {
    struct shared data;
    struct shared inputs[PREPARED_ADOPTED]; /* [n] */
    int n;
};

/* Rank 0: send the data and the inputs in `prepared`. Here too they become views of the shared
 * copies, one by one, so that at most one exists twice. If a host cannot share memory, warns and
 * sends only the data. */
int sweep_share_give(struct sweep_share *share, const struct world *world, struct dataset *data,
                     struct prepared *prepared, const struct plan *plan, struct err *err);

/* Other ranks: fill data and *prepared (handed over). share must outlive both. */
int sweep_share_take(struct sweep_share *share, const struct world *world, struct dataset *data,
                     struct prepared **prepared, const struct plan *plan, struct err *err);

/* Longest time of a step of this, or of what precedes it (world_expect()). */
double sweep_share_patience(const struct sweep *sweep);

/* Call after data and prepared are released. */
void sweep_share_release(struct sweep_share *share);

#endif
