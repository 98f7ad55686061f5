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
#include "base/fault.h"
#include "base/process.h"
#include "sched/channel.h"
#include "sched/dispatch.h"
#include "sched/message.h"
#include "sched/seat.h"
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

/* A trial under way. */
struct master_trial {
    int64_t trial;
    int32_t rank;
    const struct process *process; /* of the rank */
    double started;                /* Unix seconds */
};

struct master_loss {
    int32_t rank;
    const struct process *process;
    bool is_dead;          /* false: silent */
    const int64_t *trials; /* [n_trials] against which a crash is held: what it ran, or may have */
    int32_t n_trials;
    int64_t running; /* the one it said it ran; -1: none, or a short one */
    char why[160];
};

/* Where results go. Called in the scheduler's thread only. -1 and err ends the run as an error
 * (workers are told to stop first). */
struct master_sink {
    int (*result)(void *arg, const struct trial_result *result, struct err *err);
    /* Before a commit, of each trial under way that was not named yet; short ones never are. */
    int (*running)(void *arg, const struct master_trial *trial, struct err *err);
    /* A rank was lost, with what it held. */
    int (*lost)(void *arg, const struct master_loss *loss, struct err *err);
    /* How far a trial under way has come: to be kept until it has a result, in place of an earlier
     * one. And that, packed (trial_checkpoint_pack), of a trial that is to go on from it: nothing
     * where it cannot be read, which is no error. NULL: none are kept. */
    int (*checkpoint)(void *arg, const struct trial_checkpoint *checkpoint, struct err *err);
    void (*resume)(void *arg, int64_t trial, struct buf *out);
    void (*back)(void *arg, int32_t rank); /* a silent one has spoken again */
    /* Nothing is pending or leased: the last moment to reopen trials. NULL: nothing to do. */
    int (*finished)(void *arg, struct err *err);
    int (*commit)(void *arg, struct err *err); /* make what was handed over durable */
    void (*progress)(void *arg,
                     const struct master_progress *progress); /* about 10 times a second */
    void *arg;
};

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

/* Messages that say only that a rank is there, in the time of silence that counts as death. */
enum { MASTER_BEATS = 6 };

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
 * are in worker_serve()), and returns after all of them have left or are lost. */
int master_run(enum master_end *end, struct master *master, struct err *err);

/* From inside a callback of the sink that takes long: the other ranks hear that rank 0 is there.
 * May be called often, and before or after master_run(). */
void master_keep_alive(struct master *master);

struct worker_options {
    double silence_s; /* rank 0 unheard of for so long is gone */
    /* Rank 0 is gone, or the worker cannot go on: must not return, since a trial still runs in
     * another thread. */
    void (*cut_off)(const struct err *err) __attribute__((noreturn));
};

/* Ranks 1 .. n - 1: run what the master sends until it says bye. -1 and err only where nothing has
 * begun. */
int worker_serve(const struct world *world, const struct runner *runner,
                 const struct worker_options *options, const struct clock *clock, struct err *err);

#endif
