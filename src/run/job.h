/* SPDX-License-Identifier: BSD-3-Clause */
/* A sweep file with its data and plan. `run`, `plan`, `inspect` and `init` work on it. */
#ifndef RUN_JOB_H
#define RUN_JOB_H

#include "data/core/data_report.h"
#include "grid/plan.h"
#include "run/sweep_share.h"
#include "sched/ledger.h"
#include "trial/prepared.h"

/* Zero-initialise a job; run/job_prepare.h fills it step by step. */
struct job {
    struct sweep sweep; /* resolved once the data are read */
    struct dataset data;
    struct data_report report;
    struct data_unmatched *unmatched; /* filled by job_load(); borrowed; NULL: not wanted */
    struct plan plan;
    struct prepared *prepared;
    bool has_list; /* the command lists the samples, so warnings give only their number */
    struct sweep_share share; /* owner of data and prepared once other ranks have them too */
    struct gcn_cost *work;    /* [n_configs] work of one trial; owned */
    double *bytes;            /* [n_configs] memory of the inputs and one trial; owned */
    double inputs_bytes;      /* memory of all inputs, which the ranks of a host share */
    double trial_bytes;       /* memory of the largest trial in addition */
    double load_s;            /* seconds taken to read the data */
    bool knows_amounts;       /* has_amounts is set (job_has_amounts()) */
    bool has_amounts;
};

/* Both accept a job at any stage. job_release_plan() keeps the data. */
void job_release(struct job *job);
void job_release_plan(struct job *job);

/* The number of replicates whose parts the warnings examine: all, unless they need more splits than
 * are kept in memory. */
int32_t job_replicates(const struct job *job);

/* True in *out if the features are amounts (scale_has_amounts()). Only the first call scans the
 * data. -1 and err: no memory. */
int job_has_amounts(bool *out, struct job *job, struct err *err);

/* Make the inputs of configurations that have trials to run, as many as other ranks can receive.
 * ledger: for the job's plan. -1 and err like prepared_inputs(). */
int job_make_inputs(struct job *job, const struct ledger *ledger, struct err *err);

#endif
