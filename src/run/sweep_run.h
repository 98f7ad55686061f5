/* A sweep over the ranks of a launch: rank 0 leads, the others follow. */
#ifndef RUN_SWEEP_RUN_H
#define RUN_SWEEP_RUN_H

#include "grid/shard.h"
#include "run/job.h"
#include "run/progress.h"
#include "sched/world.h"

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

/* Rank 0: run every trial of the shard that the database does not have yet. Prints what is
 * wrong and how it ended; returns the exit status. *told becomes true once the other ranks know
 * what to do; until then the caller must send them home with sweep_dismiss(). */
int sweep_lead(const struct world *world, struct job *job, const struct sweep_options *options,
               bool *told);

/* The other ranks: wait for the plan and the data, then work until told to leave. */
int sweep_follow(const struct world *world);

/* Rank 0, instead of sweep_lead(): the others leave at once. */
void sweep_dismiss(const struct world *world);

#endif
