/* SPDX-License-Identifier: BSD-3-Clause */
/* Rank 0's state for one session. */
#ifndef RUN_SWEEP_SESSION_H
#define RUN_SWEEP_SESSION_H

#include "grid/shard.h"
#include "run/job.h"
#include "run/progress_line.h"
#include "run/refit.h"
#include "run/sweep_runner.h"
#include "run/sweep_search.h"
#include "run/walltime.h"
#include "sched/master.h"
#include "store/store.h"
#include "trial/failures.h"
#include "trial/program_files.h"

struct sweep_options {
    const char *db;    /* of the shard */
    const char *merge; /* arguments of `merge` that join the shards */
    struct shard shard;
    const char *command;
    struct spawner *spawner;       /* started before MPI; borrowed, like the next */
    const struct gpu_shares *gpus; /* sweep_run_settle() */
    bool retry_failed;
    bool accepts_inputs; /* files of a program that changed do not stop the sweep */
    bool new_sweep;      /* if fixed settings differ, start again under the same name */
    int64_t max_fails;   /* limit of trial/failures.h */
    double begun_s;      /* by clock_system */
    double time_limit_s; /* from begun_s on; NaN: ask the batch system */
    double grace_s;      /* for running trials after a stop signal */
    enum progress_mode progress;
};

struct sweep_session {
    const struct world *world; /* borrowed, like the next three */
    struct job *job;
    const struct sweep_options *options;
    struct errlist *faults; /* of the run, in addition to its error */
    struct store *store;
    struct store_trials known; /* when the run began, like `before` */
    struct ledger *ledger;
    struct cost *cost;
    struct dispatch *dispatch;
    struct master *master;
    struct progress_line progress;
    struct sweep_runner runner;
    struct buf files; /* folder of the trials' files */
    struct ledger_counts before;
    struct failures failures;
    struct program_files_missing missing;
    struct walltime walltime;
    struct refit refit;
    struct sweep_search *search; /* NULL: none, or it is over */
    double begun_s;              /* by clock_system */
    int64_t n_others;            /* trials of other shards, done for the ledger */
    int32_t n_losses;            /* including ranks that came back */
    int32_t n_away;              /* lost now */
    bool prunes;                 /* keep = best */
    bool has_results;            /* since the last commit */
    bool has_saved;              /* a checkpoint of a model */
    bool has_warned;             /* about a model that is too large */
    bool has_changed;            /* the inputs of the program have, so its results are not stored */
    bool is_blocked;             /* another process has the database: a warning said so */
    bool is_full;                /* the disk of the database: the run stops */
    bool only_models;            /* were missing when the run began */
};

/* With keep = best, when nothing is left to run: schedule, once, the trials that lack a model
 * (refit.h). */
int sweep_session_refit(struct sweep_session *session, struct err *err);

/* Apply `keep` to the models of earlier runs, and commit. */
int sweep_session_settle_models(struct sweep_session *session, struct err *err);

/* Without the trials of other shards. */
struct ledger_counts sweep_session_counts(const struct sweep_session *session);

/* Let programs that left a checkpoint go first, with the time that is left of them. */
void sweep_session_resume_programs(struct sweep_session *session);

/* Count trials that a program left with a checkpoint, or, with since > 0, those of which it has
 * changed since then (Unix seconds). */
int64_t sweep_session_count_saved(const struct sweep_session *session, double since);

/* True if a pending trial has no checkpoint. */
bool sweep_session_begins_anew(const struct sweep_session *session, int64_t trial);

/* How often trials that begin anew were begun in vain, in this run and before. */
struct sweep_tries {
    int32_t least, most; /* INT32_MAX and 0: there are none */
    int64_t example;     /* trial_id of the first with the most */
};

struct sweep_tries sweep_session_tries(const struct sweep_session *session);

/* True if a run whose time is up achieved nothing, and the same command would not either. */
bool sweep_session_is_in_vain(const struct sweep_session *session);

/* Count finished trials that are to run again for their models. */
int64_t sweep_session_models_left(const struct sweep_session *session);

/* Return free pages of the database to the disk if there are many and time is left. */
void sweep_session_compact(struct sweep_session *session);

/* Called by the scheduler's thread while it is blocked, so that it does not seem dead. */
void sweep_session_keep_alive(void *session);

/* Let the store wait for other processes, and warn once. A stop signal soon ends the waiting. */
void sweep_session_be_patient(struct sweep_session *session);

/* This runner notes each trial for the next run, in case this one is killed. */
struct runner sweep_session_runner(struct sweep_session *session);

struct master_sink sweep_session_sink(struct sweep_session *session);

#endif
