/* The scheduler: feeds the ledger with what workers say, hands out leases, passes results on.
 *
 * Runs in the thread of rank 0 that owns MPI and sleeps between polls. One worker runs in a thread
 * of the same process and talks over an in-process channel; the others are ranks 1 .. n - 1. */
#ifndef SCHED_MASTER_H
#define SCHED_MASTER_H

#include <signal.h>

#include "base/clock.h"
#include "sched/dispatch.h"
#include "sched/world.h"
#include "trial/runner.h"

struct master_progress {
    struct ledger_counts counts;
    int32_t n_workers;
    int32_t n_busy;   /* workers that hold a trial */
    double elapsed_s; /* since master_run() began */
    double left_s;    /* expected, at least */
    int64_t finished; /* results of this run, without those known before */
};

/* Where results go. Called in the scheduler's thread only. -1 and err ends the run as an error
 * (workers are told to stop first). */
struct master_sink {
    int (*result)(void *arg, const struct trial_result *result, struct err *err);
    int (*commit)(void *arg, struct err *err); /* make what was handed over durable */
    void (*progress)(void *arg,
                     const struct master_progress *progress); /* about 10 times a second */
    void *arg;
};

struct master_options {
    double commit_s;                   /* commit at the latest so long after a result: 0.5 */
    int32_t commit_results;            /* or after so many: 1000 */
    const volatile sig_atomic_t *stop; /* becomes non-zero: stop early */
};

enum master_end {
    MASTER_FINISHED, /* nothing pending or leased; all committed */
    MASTER_STOPPED   /* by *stop; finished results are committed, the rest is pending */
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
 * are in worker_serve()), and returns after all of them have been told to leave. */
int master_run(enum master_end *end, struct master *master, struct err *err);

/* Ranks 1 .. n - 1: run what the master sends until it says stop. */
int worker_serve(const struct world *world, const struct runner *runner, const struct clock *clock,
                 struct err *err);

#endif
