/* SPDX-License-Identifier: BSD-3-Clause */
/* The worker: runs what it is assigned and sends results, in rank 0's second thread as in every
 * other rank. */
#ifndef SCHED_WORKER_H
#define SCHED_WORKER_H

#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "trial/result.h"

/* What a worker sees of its scheduler: one end of a wire, whatever the wire is made of. */
struct worker_channel {
    /* Never blocks; the message is copied and stays the caller's. -1 and err. */
    int (*send)(const void *self, const struct buf *message, struct err *err);
    /* Waits up to timeout_s (0: not at all): 1 and the message (its old contents dropped), 0 none
     * came, -1 and err. */
    int (*receive)(const void *self, struct buf *message, double timeout_s, struct err *err);
    const void *self;
};

/* Run until the channel says stop, then hand in the last results, give back the rest and leave.
 * Fills rank, host, pid, started, finished, seconds and timing[PHASE_WAITING] of each result.
 * A fault of the worker (memory) is told to the scheduler, who ends the run with it; -1 and err
 * only when it cannot even be told. */
int worker_run(const struct worker_channel *channel, const struct runner *runner, int32_t rank,
               const struct clock *clock, struct err *err);

#endif
