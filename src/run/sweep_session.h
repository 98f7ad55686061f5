/* SPDX-License-Identifier: BSD-3-Clause */
/* One session of a sweep, as rank 0 holds it: what the database knew, who runs what, and where
 * results go. */
#ifndef RUN_SWEEP_SESSION_H
#define RUN_SWEEP_SESSION_H

#include "grid/shard.h"
#include "run/database_fault.h"
#include "run/progress.h"
#include "run/refit.h"
#include "run/walltime.h"
#include "sched/master.h"
#include "store/store.h"
#include "trial/failures.h"
#include "trial/model_runner.h"

/* What `run` was asked for. */
struct sweep_options {
    const char *db;      /* of the shard */
    const char *merge;   /* arguments of the `merge` that joins the shards */
    struct shard shard;  /* whose trials are run */
    const char *command; /* the command line, for the record */
    bool retry_failed;   /* trials that failed are to be run again */
    bool new_sweep;      /* where fixed settings are others, begin anew under the same name */
    int64_t max_fails;   /* stop when so many trials have failed in this run; 0: never */
    double begun_s;      /* by clock_system: when the command began */
    double time_limit_s; /* from then on; NaN: by the batch system */
    double grace_s;      /* that trials under way are given when a signal asks to stop */
    enum progress_mode progress;
};

struct sweep_session {
    const struct world *world; /* borrowed, like the next two */
    struct job *job;
    const struct sweep_options *options;
    struct store *store;
    struct store_trials known; /* of the database, when the run began */
    struct ledger *ledger;
    struct cost *cost;
    struct dispatch *dispatch;
    struct master *master;
    struct progress progress;
    struct model_runner *runner;
    struct ledger_counts before; /* as the database had it */
    struct failures failures;    /* of this run */
    struct database_fault fault;
    struct walltime walltime;
    struct refit refit; /* what is run for its model alone */
    int64_t n_others;   /* trials of other shards: done, to the ledger */
    int32_t n_losses;   /* of ranks, those that came back too */
    bool prunes;        /* keep = best */
    bool has_results;   /* since the last commit */
    bool has_warned;    /* of a model that is too large */
    bool only_models;   /* nothing else was left when the run began */
};

/* With keep = best, of a whole sweep that has nothing left to run: what lacks a model of its best
 * configuration, or of the choice of --rule 1se, is to be run again, once. -1 and err. */
int sweep_session_refit(struct sweep_session *session, struct err *err);

/* What is kept of earlier runs becomes what `keep` says now, and is committed; it is said where
 * that drops some. -1 and err. */
int sweep_session_settle_models(struct sweep_session *session, struct err *err);

/* Without the trials of other shards. */
struct ledger_counts sweep_session_counts(const struct sweep_session *session);

/* Trials that are done, and pending or leased in the ledger for their models. */
int64_t sweep_session_models_left(const struct sweep_session *session);

/* At the end of a sweep: give the free pages of its database back to the disk, where there are
 * many and time is left. */
void sweep_session_compact(struct sweep_session *session);

/* From the scheduler's thread while it is held up: nobody takes its silence for its end. */
void sweep_session_keep_alive(void *session);

/* That of rank 0 itself: what it runs is known to the next run if it does not outlive it. */
struct runner sweep_session_runner(struct sweep_session *session);

/* Where the scheduler's results go: the database, the progress line, the log. */
struct master_sink sweep_session_sink(struct sweep_session *session);

#endif
