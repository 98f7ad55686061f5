/* SPDX-License-Identifier: BSD-3-Clause */
/* run: one session of `espalier run`, on every rank.
 *
 * A job goes from sweep file to plan (job, job_prepare, with job_warnings, leaks and advice), a
 * session runs its trials and stores the results (sweep_run, sweep_session, with sweep_share,
 * calibrate, walltime, progress, refit), and sweep_summary prints what came out. What is wrong goes
 * up to cli as an error. May include launch, store, sched and what is below; neither cli nor
 * report nor predict.
 *
 * This file: a sweep over the ranks of a launch, of which rank 0 leads and the others follow. */
#ifndef RUN_SWEEP_RUN_H
#define RUN_SWEEP_RUN_H

#include "base/exit_status.h"
#include "run/sweep_session.h"

/* What rank 0 has told the others. */
enum sweep_others {
    SWEEP_OTHERS_WAIT,   /* nothing: the caller must send them home with sweep_run_dismiss() */
    SWEEP_OTHERS_UNSURE, /* not all, and then it failed: the caller must abort the launch */
    SWEEP_OTHERS_TOLD
};

struct sweep_end {
    enum sweep_others others;
    enum exit_status status; /* of a run that did not fail */
    bool has_rest; /* it broke off: database_fault_report() finds what is safe in the database */
};

/* Rank 0: run every trial of the shard that the database does not have yet, and print how it ended.
 * out is filled in any case. -1 and faults. */
int sweep_run_lead(struct sweep_end *out, const struct world *world, struct job *job,
                   const struct sweep_options *options, struct errlist *faults);

/* The other ranks: wait for the plan and the data, then work until told to leave. -1 and err: the
 * caller must abort the launch. */
int sweep_run_follow(const struct world *world, struct err *err);

/* Rank 0, instead of sweep_run_lead(): the others leave at once. */
int sweep_run_dismiss(const struct world *world, struct err *err);

#endif
