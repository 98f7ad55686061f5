/* The worker: runs what it is assigned and sends results, in rank 0's second thread as in every
 * other rank. */
#ifndef SCHED_WORKER_H
#define SCHED_WORKER_H

#include "base/clock.h"
#include "sched/channel.h"
#include "trial/runner.h"

/* Run until the channel says stop, then hand in the last results, give back the rest and leave.
 * Fills rank, host, pid, started, finished, seconds and timing[PHASE_WAITING] of each result.
 * A fault of the worker (memory) is told to the scheduler, who ends the run with it; -1 and err
 * only when it cannot even be told. */
int worker_run(const struct channel *channel, const struct runner *runner, int32_t rank,
               const struct clock *clock, struct err *err);

#endif
