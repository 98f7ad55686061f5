/* SPDX-License-Identifier: BSD-3-Clause */
/* A sweep file with its data and plan: what `run`, `plan`, `inspect` and `init` work on. */
#ifndef RUN_JOB_H
#define RUN_JOB_H

#include "data/core/data_report.h"
#include "grid/plan.h"
#include "run/sweep_share.h"
#include "sched/ledger.h"
#include "trial/prepared.h"

/* Zero-initialise one; run/job_prepare.h fills it step by step. */
struct job {
    struct sweep sweep; /* resolved once the data are there */
    struct dataset data;
    struct data_report report;
    struct data_unmatched *unmatched; /* out, of job_load(); borrowed; NULL: not asked for */
    struct plan plan;
    struct prepared *prepared;
    bool has_list; /* the command lists the samples that warnings count: they need not say who does
                    */
    struct sweep_share share; /* where data and prepared live once other ranks have them too */
    struct gcn_cost *work;    /* [n_configs] of one trial; owned */
    double *bytes;            /* [n_configs] memory of its inputs and of one trial; owned */
    double inputs_bytes;      /* of all inputs, which the ranks of a host share */
    double trial_bytes;       /* of the largest trial beside them */
    double load_s;            /* seconds that reading the data took */
    bool knows_amounts;       /* of job_has_amounts() */
    bool has_amounts;
};

/* Release takes a job at any stage; job_release_plan() leaves the data. */
void job_release(struct job *job);
void job_release_plan(struct job *job);

/* So many replicates, from the first on, have their parts looked at by those who warn: all, unless
 * that were more splits than are kept. */
int32_t job_replicates(const struct job *job);

/* Whether the features are amounts (scale_has_amounts()): the data are scanned at the first call
 * alone. -1 and err when memory is short. */
int job_has_amounts(bool *out, struct job *job, struct err *err);

/* Make the inputs of the configurations that have trials to run, as many as can be handed to other
 * ranks. ledger: of the plan. -1 and err as prepared_inputs(). */
int job_make_inputs(struct job *job, const struct ledger *ledger, struct err *err);

#endif
