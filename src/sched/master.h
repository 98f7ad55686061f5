/* SPDX-License-Identifier: BSD-3-Clause */
/* The scheduler: feeds the ledger with workers' messages, hands out leases and passes results on.
 *
 * It runs in the thread of rank 0 that owns MPI, and sleeps between polls. One worker is a thread
 * of the same process; the others are ranks 1 .. n - 1.
 *
 * A rank is lost when its process on the same host is gone, or when it has been silent for
 * silence_s. If it speaks again, it is taken back (doc/decisions/0015). */
#ifndef SCHED_MASTER_H
#define SCHED_MASTER_H

#include <signal.h>

#include "base/clock.h"
#include "sched/dispatch.h"
#include "sched/master_sink.h"
#include "sched/world.h"
#include "trial/result.h"

struct master_options {
    double commit_s;                    /* commit within this time after a result */
    int32_t commit_results;             /* or after this many results */
    const volatile sig_atomic_t *stop;  /* becomes non-zero: begin no trial; running ones */
    double grace_s;                     /* may finish if they are expected to take no longer */
    const volatile sig_atomic_t *hurry; /* becomes non-zero: stop running trials, too */
    const volatile sig_atomic_t *kill;  /* becomes non-zero: they may not save their state */
    double until_s;          /* by the clock: everything must have ended; INFINITY: no limit */
    size_t checkpoint_bytes; /* kept in a minute */
    double silence_s;        /* a rank silent for this long is lost */
    double begun_s;          /* by the clock: TRAFFIC_START began */
};

enum master_end {
    MASTER_FINISHED,
    MASTER_STOPPED, /* by *stop or the sink; finished results are committed, the rest is pending */
    MASTER_TIME_UP, /* likewise, by until_s */
    MASTER_TOO_FEW, /* likewise, since all pending trials need more ranks than are left:
                     * dispatch_lacks() */
    MASTER_UNABLE   /* likewise, since no rank is left that can run trials */
};

struct master;

/* dispatch, clock and everything that sink, options and runner point at are borrowed until
 * master_destroy(). dispatch has a worker for each rank. */
struct master_parts {
    struct dispatch *dispatch;
    const struct world *world;
    const struct runner *runner; /* for rank 0's worker thread */
    const struct master_sink *sink;
    const struct master_options *options;
    const struct clock *clock;
};

/* Take all memory and locks, so that failures come before the other ranks wait. Local. */
struct master *master_create(const struct master_parts *parts, struct err *err);
void master_destroy(struct master *master);

/* Run until all trials are finished, and all ranks have left or are lost; call once. Starts the
 * worker thread and serves the other ranks (in relay_serve()). */
int master_run(enum master_end *end, struct master *master, struct err *err);

/* Show other ranks that rank 0 is alive, from a callback that takes long, or before or after
 * master_run(). May be called often. */
void master_keep_alive(struct master *master);

#endif
