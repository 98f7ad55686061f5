/* SPDX-License-Identifier: BSD-3-Clause */
/* The scheduler: feeds the ledger with what workers say, hands out leases, passes results on.
 *
 * Runs in the thread of rank 0 that owns MPI and sleeps between polls. One worker runs in a thread
 * of the same process and talks over an in-process channel; the others are ranks 1 .. n - 1.
 *
 * A rank is lost when its process is gone, which rank 0 sees within a second where it runs on the
 * same host, or when nothing was heard of it for silence_s. The others never stop for it. One that
 * was only silent and speaks again is taken back; its late results are used, or dropped where
 * another rank was faster. doc/decisions/0015 says how, and what a launcher must do for it. */
#ifndef SCHED_MASTER_H
#define SCHED_MASTER_H

#include <signal.h>

#include "base/clock.h"
#include "sched/dispatch.h"
#include "sched/master_sink.h"
#include "sched/world.h"
#include "trial/result.h"

struct master_options {
    double commit_s;                    /* commit at the latest so long after a result: 0.5 */
    int32_t commit_results;             /* or after so many */
    const volatile sig_atomic_t *stop;  /* becomes non-zero: no new trials; those under way may */
    double grace_s;                     /* finish where that is expected to take no longer */
    const volatile sig_atomic_t *hurry; /* becomes non-zero: nor do those under way */
    double until_s; /* by the clock: all must be over, no trial is begun that could not; INFINITY:
                       no limit */
    size_t checkpoint_bytes; /* of checkpoints are kept in a minute, and no more */
    double silence_s;        /* a rank unheard of for so long is lost */
};

enum master_end {
    MASTER_FINISHED, /* nothing pending or leased; all committed */
    MASTER_STOPPED,  /* by *stop; finished results are committed, the rest is pending */
    MASTER_TIME_UP   /* the same by until_s */
};

struct master;

/* What a scheduler is made of; dispatch, clock and what sink, options and runner point at are
 * borrowed until master_destroy(). dispatch has a worker for each rank of the world. */
struct master_parts {
    struct dispatch *dispatch;
    const struct world *world;
    const struct runner *runner; /* of rank 0's worker thread */
    const struct master_sink *sink;
    const struct master_options *options;
    const struct clock *clock;
};

/* Local: takes all memory and locks, so that what can fail does so before the other ranks wait to
 * be told. NULL and err. */
struct master *master_create(const struct master_parts *parts, struct err *err);
void master_destroy(struct master *master); /* takes NULL */

/* Run until all trials are finished, once. Starts the worker thread, serves the other ranks (which
 * are in relay_serve()), and returns after all of them have left or are lost. */
int master_run(enum master_end *end, struct master *master, struct err *err);

/* From inside a callback of the sink that takes long: the other ranks hear that rank 0 is there.
 * May be called often, and before or after master_run(). */
void master_keep_alive(struct master *master);

#endif
