/* SPDX-License-Identifier: BSD-3-Clause */
/* The scheduler: feeds the ledger with workers' messages, hands out leases and passes results on.
 *
 * It runs in the thread of rank 0 that owns MPI, and sleeps between polls. One worker is a thread
 * of the same process; the others are ranks 1 .. n - 1.
 *
 * A rank is lost when its process on the same host is gone, or when it has been silent for
 * silence_s. If it speaks again, it is taken back (doc/decisions/0015).
 *
 * A trial of several ranks is a gang. Its leader finds a port (message.h), then all members are sent
 * their parts. The leader's result counts once all members have ended; a member that fails, is lost
 * or gives up ends the gang for all. */
#ifndef SCHED_MASTER_H
#define SCHED_MASTER_H

#include <signal.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/deadline.h"
#include "base/process.h"
#include "grid/plan.h"
#include "sched/dispatch.h"
#include "sched/traffic.h"
#include "sched/world.h"
#include "trial/result.h"

struct master_options {
    double commit_s;                   /* commit within this time after a result */
    int32_t commit_results;            /* or after this many results */
    const volatile sig_atomic_t *stop; /* enum stop_request; may rise at any time */
    double grace_s;                    /* of STOP_SOON */
    double until_s;          /* by the clock: everything must have ended; INFINITY: no limit */
    size_t checkpoint_bytes; /* kept in a minute */
    double silence_s;        /* a rank silent for this long is lost */
    double begun_s;          /* by the clock: TRAFFIC_START began */
};

/* ---- the receiver of results ---- */

struct master_progress {
    struct ledger_counts counts;
    int32_t n_workers;
    int32_t n_busy;
    double elapsed_s; /* since master_run() began */
    double left_s;    /* expected, at least; counts down while trials run */
    int64_t finished; /* results of this run */
};

/* The attempt that a rank reported to run. */
struct master_trial {
    int64_t trial; /* -1: none, or a short one */
    int32_t rank;
    const struct process *process;
    double started; /* Unix seconds */
    /* All ranks of the gang that `rank` leads, borrowed; none: it is alone. */
    const struct trial_member *members; /* [n_members] */
    int32_t n_members;
};

struct master_loss {
    int32_t rank;
    const struct process *process;
    const int64_t *trials; /* [n_trials] that get a crash */
    int32_t n_trials;
    struct master_trial attempt; /* of the rank, or of the leader of its gang */
    const char *why;
    const char *reason; /* for the record of the trials: why, and who if that is not the leader */
};

/* Called in the scheduler's thread only. -1 and err end the run after the workers have stopped. */
struct master_sink {
    /* PENDING: the trial went back after its program had been started again, or had reported something.
     * 1: no other trial should begin. */
    int (*result)(void *arg, const struct trial_result *result, struct err *err);
    /* Before a commit: a running trial not named before. Short ones never are. */
    int (*running)(void *arg, const struct master_trial *trial, struct err *err);
    /* A trial that was named went back, though its leader is alive. May be NULL. */
    int (*returned)(void *arg, const struct master_trial *trial, struct err *err);
    int (*lost)(void *arg, const struct master_loss *loss, struct err *err);
    /* The members of a gang lost each other, though no loss of a rank was noticed yet: its trial went
     * back with a crash. May be NULL. */
    int (*crashed)(void *arg, const struct master_trial *trial, const char *reason,
                   struct err *err);
    /* Keep a running trial's checkpoint until its result, in place of an earlier one. resume()
     * appends it, packed, or nothing if it cannot be read. NULL: none are kept. */
    int (*checkpoint)(void *arg, const struct trial_checkpoint *checkpoint, struct err *err);
    void (*resume)(void *arg, int64_t trial, struct buf *out);
    /* Take what a running trial, which was named, has reported so far. NULL: not wanted. */
    int (*report)(void *arg, const struct trial_result *so_far, struct err *err);
    int64_t (*id)(void *arg, int64_t trial); /* number in the database; NULL: all 0 */
    void (*back)(void *arg, int32_t rank);   /* a silent rank has spoken again */
    /* A rank leaves, because it can run no more trials. May be NULL. */
    void (*unable)(void *arg, int32_t rank, const struct process *process, const char *why);
    /* Nothing is pending or leased: the last chance to reopen trials, to a rung (master_set_rung()). May be
     * NULL. */
    int (*finished)(void *arg, struct err *err);
    /* Make everything received durable. 1: no other trial should begin. */
    int (*commit)(void *arg, struct err *err);
    /* A rank's counters so far: before some commits, and after the last one. NULL: not wanted. */
    int (*traffic)(void *arg, int32_t rank, const struct process *process,
                   const struct traffic *traffic, struct err *err);
    void (*progress)(void *arg,
                     const struct master_progress *progress); /* about 10 times a second */
    void *arg;
};

/* ---- the scheduler ---- */

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

/* The rung to which trials run from now on; SETTINGS_LAST_RUNG at first. In the sink's finished(), or before
 * master_run(). */
void master_set_rung(struct master *master, int32_t rung);

/* Tell the other ranks of rows that were proposed since (plan_pack_rows()), before their trials are handed out. At
 * the same times. -1 and err: out of memory. */
int master_tell_rows(struct master *master, const struct plan *plan, int32_t first,
                     struct err *err);

/* Show other ranks that rank 0 is alive, from a callback that takes long, or before or after
 * master_run(). May be called often. */
void master_keep_alive(struct master *master);

#endif
