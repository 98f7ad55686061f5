/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the results of the scheduler go, and when they are made durable. */
#ifndef SCHED_MASTER_SINK_H
#define SCHED_MASTER_SINK_H

#include "base/buf.h"
#include "base/clock.h"
#include "base/process.h"
#include "sched/dispatch.h"
#include "sched/rank_states.h"
#include "trial/result.h"

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

/* The rest is for master.c. */

/* What was handed to the sink and is not committed yet. Zeroed but for the first members. */
struct master_delivery {
    struct master_sink sink;
    struct dispatch *dispatch; /* borrowed, like the clock */
    const struct clock *clock;
    int32_t commit_results;  /* commit after so many */
    size_t checkpoint_bytes; /* are taken in a minute, and no more */

    int32_t n_uncommitted;
    double uncommitted_s; /* when the first of them came */
    double kept_s;        /* since when checkpoints of so many bytes were taken: */
    size_t kept_bytes;
    int64_t n_finished; /* results */
    bool is_closed;     /* after a fault: nothing is handed on, and nothing committed */
};

/* Whether anything is to be made durable; *since_s: since when something waits for it. */
bool master_sink_is_waiting(const struct master_delivery *d, const struct rank_states *ranks,
                            double *since_s);

/* Name the trials under way that the sink has not heard of, and commit, where anything waits. */
int master_sink_commit(struct master_delivery *d, struct rank_states *ranks, struct err *err);

/* Hand a result on, and commit where there are enough of them. */
int master_sink_result(struct master_delivery *d, struct rank_states *ranks,
                       const struct trial_result *result, struct err *err);

/* Hand on a checkpoint of a rank's trial, which has its place in the queue by what is left of it.
 * Nothing where that trial has a result meanwhile, or is run by another, or the minute has had its
 * bytes. */
int master_sink_checkpoint(struct master_delivery *d, int32_t rank,
                           const struct trial_checkpoint *checkpoint, struct err *err);

/* Hand on a loss, and the failure of trials[n] that took a rank down for the last time. started:
 * Unix seconds, of the one that ran. */
int master_sink_loss(struct master_delivery *d, struct rank_states *ranks,
                     const struct master_loss *loss, const int64_t *trials, int32_t n,
                     double started, struct err *err);

/* Nothing more is handed on. */
void master_sink_close(struct master_delivery *d);

#endif
