/* SPDX-License-Identifier: BSD-3-Clause */
/* The worker runs assigned trials and sends results, in a thread of every rank. */
#ifndef SCHED_WORKER_H
#define SCHED_WORKER_H

#include <stdint.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "sched/traffic.h"
#include "trial/result.h"

/* The worker's counters so far, including the running trial. Only the worker writes; any thread may
 * read. */
struct worker_time {
    struct {
        _Atomic int64_t calls, bytes;
        _Atomic double seconds;
    } of[TRAFFIC_TRAINING_CELLS];
};

/* Replace the counts of the training thread. */
void worker_time_read(struct traffic *traffic, struct worker_time *time);

/* A worker's connection to its scheduler. */
struct worker_channel {
    /* Copy and send a message; never blocks. */
    int (*send)(const void *self, const struct buf *message, struct err *err);
    /* Wait up to timeout_s (0: do not wait). 1: the message replaces the old contents; 0: none; -1
     * and err. */
    int (*receive)(const void *self, struct buf *message, double timeout_s, struct err *err);
    const void *self;
    struct worker_time *time; /* out, zeroed by the caller */
};

/* Run trials until STOP, then send the last results, give back the rest and leave. Fills rank,
 * host, pid, started, finished, seconds and timing[PHASE_WAITING] of each result. The scheduler
 * gets the worker's error; -1 and err only if sending fails. */
int worker_run(const struct worker_channel *channel, const struct runner *runner, int32_t rank,
               const struct clock *clock, struct err *err);

#endif
