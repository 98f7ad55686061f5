#ifndef RUN_SWEEP_SINK_H
#define RUN_SWEEP_SINK_H

#include "run/database_trouble.h"
#include "run/progress.h"
#include "run/refit.h"
#include "run/walltime.h"
#include "sched/master.h"
#include "store/store.h"
#include "trial/failures.h"
#include "trial/model_runner.h"

/* What a run of a sweep holds on rank 0; between sweep_run.c and sweep_sink.c. */

struct sweep_state {
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
    struct database_trouble trouble;
    struct walltime walltime;
    double grace_s;   /* that trials under way have when a signal asks to stop */
    int64_t n_others; /* trials of other shards: done, to the ledger */
    int32_t n_losses; /* of ranks, those that came back too */
    bool prunes;      /* keep = best */
    bool has_results; /* since the last commit */
    bool has_warned;  /* of a model that is too large */
    bool only_models; /* nothing else was left when the run began */
    const struct plan *plan;
    const struct dataset *data;
    struct refit remake; /* what is run for its model alone */
};

/* With keep = best, of a whole sweep that has nothing left to run: what lacks a model of its best
 * configuration, or of the choice of --rule 1se, is to be run again, once. -1 and err. */
int sweep_refit(struct sweep_state *state, struct err *err);

/* What is kept of earlier runs becomes what `keep` says now, and is committed; it is said where
 * that drops some. -1 and err. */
int sweep_settle_models(struct sweep_state *state, struct err *err);

/* Without the trials of other shards. */
struct ledger_counts sweep_counts(const struct sweep_state *state);

/* Trials that are done, and pending or leased in the ledger for their models. */
int64_t sweep_models_left(const struct sweep_state *state);

/* At the end of a sweep: give the free pages of its database back to the disk, where there are
 * many and time is left. */
void sweep_compact(struct sweep_state *state);

/* From the scheduler's thread while it is held up: nobody takes its silence for its end. */
void sweep_keep_alive(void *state);

/* That of rank 0 itself: what it runs is known to the next run if it does not outlive it. */
struct runner sweep_runner(struct sweep_state *state);

/* Where the scheduler's results go: the database, the progress line, the log. */
struct master_sink sweep_sink(struct sweep_state *state);

#endif
