/* SPDX-License-Identifier: BSD-3-Clause */
/* run: one session of `espalier run`, on every rank.
 *
 * job and job_prepare turn a sweep file into a plan (with advice, leaks). A session
 * runs its trials and stores results (sweep_run, sweep_session, with sweep_share, calibrate,
 * walltime, progress, refit). sweep_summary prints the outcome. May include launch, store, sched
 * and the layers below, but not cli, report or predict.
 *
 * This file: a sweep over the ranks of a launch. Rank 0 leads, the others follow. */
#ifndef RUN_SWEEP_RUN_H
#define RUN_SWEEP_RUN_H

#include "base/exit_status.h"
#include "run/sweep_session.h"

enum sweep_others {
    SWEEP_OTHERS_WAIT,   /* the caller must call sweep_run_dismiss() */
    SWEEP_OTHERS_UNSURE, /* failed halfway: the caller must abort the launch */
    SWEEP_OTHERS_TOLD
};

struct sweep_end {
    enum sweep_others others;
    enum exit_status status; /* also if the run failed: RESUMABLE on a full disk */
    bool has_rest;           /* call sweep_summary_broken() to list the saved results */
    bool has_changed;        /* the inputs of the program have, so the same command is refused */
};

/* Rank 0, before sweep_run_lead(): agree with the others on the GPUs of each rank's trials. gpus
 * out: of this rank; none if the sweep asks for none. -1 and err: a host has too few. */
int sweep_run_settle(struct gpu_shares *gpus, const struct world *world, const struct sweep *sweep,
                     struct err *err);

/* True if a run does not run a trial of this state again. */
bool sweep_run_is_finished(enum trial_state state, bool retry_failed);

/* True if a run would start this trial, by what the database has. known: of store_find(), with the
 * trials of the shard marked as ours. */
bool sweep_run_would_start(const struct job *job, const struct store_trials *known, int64_t trial,
                           bool retry_failed);

/* -1 and err: a trial needs more ranks than the launch has. The database may not exist yet. If it has
 * all results, any number of ranks is enough. */
int sweep_run_check_ranks(const struct job *job, int32_t n_ranks,
                          const struct sweep_options *options, struct err *err);

/* Rank 0: run every trial of the shard that the database lacks. Fills out also on -1. */
int sweep_run_lead(struct sweep_end *out, const struct world *world, struct job *job,
                   const struct sweep_options *options, struct errlist *faults);

/* Other ranks: work until the sweep ends. On -1 the caller must abort the launch. */
int sweep_run_follow(const struct world *world, struct spawner *spawner, struct err *err);

/* Rank 0, in place of sweep_run_lead(): send the other ranks home. */
int sweep_run_dismiss(const struct world *world, struct err *err);

#endif
