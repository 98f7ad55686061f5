/* SPDX-License-Identifier: BSD-3-Clause */
/* The data of a sweep and what derives from them, handed by rank 0 to every rank: one copy on each
 * host, whoever can (sched/shared.h). */
#ifndef RUN_SWEEP_SHARE_H
#define RUN_SWEEP_SHARE_H

#include "data/core/dataset.h"
#include "grid/plan.h"
#include "sched/shared.h"
#include "trial/prepared.h"

struct sweep_share {
    struct shared data;
    struct shared inputs[PREPARED_ADOPTED]; /* [n] */
    int n;
};

/* Rank 0: data and the inputs that prepared holds reach the others, and become views of the shared
 * copy here too, one by one, so that no more than one of them is there twice. Warns in a line where
 * a host cannot share, and then keeps to what is needed: the data. */
int sweep_share_give(struct sweep_share *share, const struct world *world, struct dataset *data,
                     struct prepared *prepared, const struct plan *plan, struct err *err);

/* The others: fills data and *prepared (handed over), both of which the share must outlive. */
int sweep_share_take(struct sweep_share *share, const struct world *world, struct dataset *data,
                     struct prepared **prepared, const struct plan *plan, struct err *err);

/* How long any step of this, and of what comes before it, may take: world_expect(). */
double sweep_share_patience(const struct sweep *sweep);

/* After data and prepared were released. Takes a zeroed one. */
void sweep_share_release(struct sweep_share *share);

#endif
