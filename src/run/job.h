/* What `run`, `plan` and `inspect` have in common: from a sweep file to a plan over data. */
#ifndef RUN_JOB_H
#define RUN_JOB_H

#include "base/exit_status.h"
#include "base/text_list.h"
#include "data/core/data_report.h"
#include "grid/plan.h"
#include "run/sweep_share.h"
#include "sched/cost.h"
#include "sched/ledger.h"
#include "store/store.h"
#include "trial/prepared.h"

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
};

/* Zero-initialise a job, call these in order; each returns CLI_GO_ON or, what is wrong having been
 * printed, an exit status. Release takes a job at any stage. */
int job_parse(struct job *job, const char *path, const struct text_list *set);

/* In the place of job_parse(): the text of a sweep file that is named path in messages, and whose
 * relative paths are those of its folder. */
int job_parse_text(struct job *job, const char *path, const char *text);
int job_load(struct job *job);
int job_plan(struct job *job);

/* In the place of job_plan(), to look at graphs and their parts: the plan without costs, for which
 * the inputs of every configuration would be made. */
int job_points(struct job *job);

/* After job_load(): another such text, which reads the same data; they are not loaded again. */
int job_parse_again(struct job *job, const char *path, const char *text);

/* All three. */
int job_prepare(struct job *job, const char *path, const struct text_list *set);
void job_release(struct job *job);

/* So many replicates, from the first on, have their parts looked at by those who warn: all, unless
 * that were more splits than are kept. */
int32_t job_replicates(const struct job *job);

/* Make the inputs of the configurations that have trials to run, as many as can be handed to other
 * ranks. ledger: of the plan. -1 and err as prepared_inputs(). */
int job_make_inputs(struct job *job, const struct ledger *ledger, struct err *err);

/* Teach a cost model of the job's configurations: by the trials that the database has finished, or
 * where there is none by training some configurations for a moment each: half a second together,
 * or a hundredth of what the sweep is expected to take on so many ranks, and not at all where that
 * is too little to tell anything. Configurations that take more than most_bytes (job->bytes) are
 * not tried. Returns how many measurements it learnt from; -1 and err when memory is short. */
int64_t job_teach(struct job *job, struct cost *cost, const struct store_trials *known,
                  int32_t ranks, double most_bytes, struct err *err);

#endif
