/* SPDX-License-Identifier: BSD-3-Clause */
/* The receiver of the scheduler's results, and when they are made durable. */
#ifndef SCHED_MASTER_SINK_H
#define SCHED_MASTER_SINK_H

#include "base/buf.h"
#include "base/clock.h"
#include "base/process.h"
#include "sched/dispatch.h"
#include "sched/rank_states.h"
#include "sched/traffic.h"
#include "sched/worker.h"
#include "trial/result.h"

struct master_progress {
    struct ledger_counts counts;
    int32_t n_workers;
    int32_t n_busy;
    double elapsed_s; /* since master_run() began */
    double left_s;    /* expected, at least; counts down while trials run */
    int64_t finished; /* results of this run */
};

struct master_trial {
    int64_t trial;
    int32_t rank;
    const struct process *process;
    double started; /* Unix seconds */
    /* All ranks of a gang that `rank` leads, borrowed; none: it is alone. */
    const struct trial_member *members; /* [n_members] */
    int32_t n_members;
};

struct master_loss {
    int32_t rank;
    const struct process *process;
    bool is_dead;
    const int64_t *trials; /* [n_trials] that get a crash */
    int32_t n_trials;
    int64_t running; /* trial it reported; -1: none, or a short one */
    /* The rank that the open attempt of `running` belongs to: itself, or the leader of its gang. */
    int32_t leader;
    const struct process *leader_process;
    const struct trial_member *members; /* [n_members] of the gang, borrowed */
    int32_t n_members;
    char why[160];
    char reason[320]; /* for the record of the trials: why, and who if that is not the leader */
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
    /* Nothing is pending or leased: the last chance to reopen trials. May be NULL. */
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

/* For master.c: */

/* Data handed to the sink but not committed. Zeroed except for the first members. */
struct master_delivery {
    struct master_sink sink;
    struct dispatch *dispatch; /* borrowed, like the clock */
    const struct clock *clock;
    int32_t commit_results;     /* commit after this many */
    size_t checkpoint_bytes;    /* taken in a minute */
    struct traffic_meter meter; /* of the scheduler's thread */
    struct worker_time worker;  /* of rank 0's worker thread */
    double begun_s;             /* when the scheduler began */

    int32_t n_uncommitted;
    double uncommitted_s; /* when the first of them came */
    double kept_s;        /* start of the current minute, and bytes taken in it */
    size_t kept_bytes;
    int64_t n_finished; /* results, none PENDING */
    double traffic_s;   /* when counters were last handed on */
    bool is_enough;     /* the sink wants no other trial to begin */
    bool is_closed;     /* after a fault: nothing more is handed on or committed */
};

/* True if anything waits to be made durable, since *since_s. */
bool master_sink_is_waiting(const struct master_delivery *d, const struct rank_states *ranks,
                            double *since_s);

/* Also names running trials that the sink does not know. */
int master_sink_commit(struct master_delivery *d, struct rank_states *ranks, struct err *err);

/* Hand on all counters that changed. */
int master_sink_traffic(struct master_delivery *d, struct rank_states *ranks, struct err *err);

/* Commit, too, if enough results wait. */
int master_sink_result(struct master_delivery *d, struct rank_states *ranks,
                       const struct trial_result *result, struct err *err);

/* Report how far the run is at this time of the clock. */
void master_sink_progress(struct master_delivery *d, const struct rank_states *ranks, double now_s);

void master_sink_unable(struct master_delivery *d, const struct rank_states *ranks, int32_t rank,
                        const char *why);

/* Hand on a checkpoint, unless the trial has a result, another rank runs it, or the minute's bytes
 * are used up. */
int master_sink_checkpoint(struct master_delivery *d, int32_t rank,
                           const struct trial_checkpoint *checkpoint, struct err *err);

/* Hand on what a running trial reported, unless the rank runs another one or it was not named yet. */
int master_sink_report(struct master_delivery *d, const struct rank_state *rank,
                       const struct trial_result *so_far, struct err *err);

/* Fail a trial that may not crash again. reason: of the last crash; not in r. */
void master_sink_put_last_crash(struct trial_result *r, bool had_gang, const char *reason);

/* Hand on a loss, and the failure of trials[n] that reached the crash limit. started: Unix seconds,
 * of the running one. */
int master_sink_loss(struct master_delivery *d, struct rank_states *ranks,
                     const struct master_loss *loss, const int64_t *trials, int32_t n,
                     double started, struct err *err);

/* The rank runs the trial no longer: report it if it was named. */
int master_sink_return(struct master_delivery *d, struct rank_states *ranks, int32_t rank,
                       int64_t trial, struct err *err);

/* The rank that leads the trial's gang runs the trial no longer: report a crash. */
int master_sink_crash(struct master_delivery *d, struct rank_states *ranks,
                      const struct master_trial *trial, const char *reason, struct err *err);

void master_sink_close(struct master_delivery *d);

#endif
