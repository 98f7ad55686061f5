/* SPDX-License-Identifier: BSD-3-Clause */
/* A sweep file with its data and plan. */
#ifndef RUN_JOB_H
#define RUN_JOB_H

#include "data/core/data_report.h"
#include "grid/plan.h"
#include "run/sweep_share.h"
#include "sched/cost.h"
#include "sched/ledger.h"
#include "trial/prepared.h"

/* Samples that equal others (run/leaks.h). */
struct job_duplicates {
    bool is_known; /* false: samples of this format are not compared */
    int32_t n_sets, n_samples;
    int32_t n_straddling; /* sets on both sides of a split */
};

/* Zero-initialise a job; run/job_prepare.h fills it step by step. */
struct job {
    struct sweep sweep;
    struct settings fixed; /* those of the sweep, resolved once the data are read */
    struct dataset data;
    struct data_report report;
    struct data_unmatched *unmatched; /* out of job_load(); borrowed; NULL: not wanted */
    struct plan plan;
    struct prepared *prepared;
    struct sweep_share share; /* owner of data and prepared once other ranks have them */
    struct gcn_cost *work;    /* [n_configs] of one trial; NULL: unknown until trials finish */
    struct gcn_cost
        *rank_work;       /* [n_configs] the part of it of the busiest of its ranks; or NULL */
    double *bytes;        /* [n_configs] of the inputs and one trial; NULL like work */
    double stop_s;        /* that a running trial may need to stop; 0: it stops at once */
    double program_bytes; /* of this process without data, inputs and trial */
    double inputs_bytes;  /* of all inputs, which the ranks of a host share */
    double trial_bytes;   /* of the largest trial in addition */
    double prepare_bytes; /* peak of this process while it read the data and made the plan */
    double store_bytes;   /* of rank 0 in addition, at most: models that await a commit */
    double load_s;
    struct hash inputs_state; /* when the data were read; all zero without [program] */
    struct hash files_digest; /* of a program's files; data.digest is that of the sweep's begin */
    struct errlist written;   /* paths of files that the command names and trials changed */
    struct errlist
        accepted; /* path, "digest -> digest" for each change that --accept-inputs allowed */
    struct job_duplicates duplicates;
    struct errlist advice; /* about the data and the plan (run/advice.h) */
    bool knows_amounts;    /* has_amounts is set */
    bool has_amounts;
};

/* Both accept a job at any stage. job_release_plan() keeps the data. */
void job_release(struct job *job);
void job_release_plan(struct job *job);

/* The number of replicates that warnings examine: all, unless they need more splits than are kept
 * in memory. */
int32_t job_replicates(const struct job *job);

/* *out: the features are amounts (scale_has_amounts()). Only the first call scans the data. */
int job_has_amounts(bool *out, struct job *job, struct err *err);

/* Expected bytes of a run by n ranks on one host. NaN: unknown, like the bytes of a trial. */
struct job_memory {
    double program; /* of each rank, besides data, inputs and trial */
    double rank;    /* one rank while it trains */
    double host;    /* all of them; data and inputs count once */
    double prepare; /* rank 0 until trials begin, at its peak */
    double peak;    /* rank 0, without store_bytes */
};

struct job_memory job_memory(const struct job *job, int32_t n_ranks);

/* The part of a training's seconds on one rank that it takes on its number of ranks, apart from the
 * sums between them. */
double job_rank_share(const struct settings *settings);

/* The ranks of a trial of each configuration: out [n_configs] for the caller to free; NULL if every
 * trial has one. */
int job_widths(int32_t **out, const struct job *job, struct err *err);

/* Make the inputs of configurations that have trials to run, as many as other ranks can receive. */
int job_make_inputs(struct job *job, const struct ledger *ledger, struct err *err);

#endif
