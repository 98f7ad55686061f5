/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/job.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gcn/scale.h"
#include "trial/model_type.h"

int32_t job_replicates(const struct job *job)
{
    int32_t most = PREPARED_SPLITS / job->plan.folds;

    return job->plan.replicates < most ? job->plan.replicates : most ? most : 1;
}

int job_has_amounts(bool *out, struct job *job, struct err *err)
{
    if (!job->knows_amounts && scale_has_amounts(&job->has_amounts, &job->data, err))
        return -1;
    job->knows_amounts = true;
    *out = job->has_amounts;
    return 0;
}

/* `run` adds these to the process that made the plan: the database and a thread; MPI's buffers,
 * measured with Open MPI 4.1. */
#define RUN_BYTES 5e6
#define MPI_BYTES 8e6

/* Features are scaled in panels of 16 MB, beside the graph. Rank 0 of several then copies the data and
 * each input into shared memory. */
#define MAKING_BYTES 32e6

struct job_memory job_memory(const struct job *job, int32_t n_ranks)
{
    double mpi = n_ranks > 1 ? MPI_BYTES : 0;
    double program = job->program_bytes + RUN_BYTES + mpi;
    double shared = (double)job->data.block_bytes + job->inputs_bytes;
    double making = n_ranks > 1 ? fmax((double)job->data.block_bytes, job->inputs_bytes)
                                : fmin(job->inputs_bytes, MAKING_BYTES);
    struct job_memory memory = {
        .program = program,
        .rank = shared + program + job->trial_bytes,
        .host = shared + n_ranks * (program + job->trial_bytes),
        .prepare = fmax(job->prepare_bytes + mpi, program + shared + making),
    };

    if (!job->bytes)
        return (struct job_memory){NAN, NAN, NAN, NAN, NAN};
    memory.peak = fmax(memory.rank, memory.prepare);
    return memory;
}

/* The rank with the most workers sets the pace. Each rank computes scores and the optimiser for
 * itself. */
#define SERIAL_SHARE 0.02

double job_rank_share(const struct settings *s)
{
    int64_t workers = s->v[P_WORKERS].i, ranks = s->v[P_RANKS].i;
    int64_t most = (workers + ranks - 1) / ranks;

    return ranks == 1 ? 1 : SERIAL_SHARE + (1 - SERIAL_SHARE) * (double)most / (double)workers;
}

int job_widths(int32_t **out, const struct job *job, struct err *err)
{
    const struct plan *plan = &job->plan;
    struct settings s;

    *out = NULL;
    if (sweep_is_always(&job->sweep, P_RANKS, 1))
        return 0;
    *out = calloc((size_t)plan->n_configs, sizeof **out);
    if (!*out)
        return err_nomem(err, "ranks", (size_t)plan->n_configs * sizeof **out);
    for (int32_t c = 0; c < plan->n_configs; c++) {
        plan_settings(plan, c, &s);
        (*out)[c] = (int32_t)s.v[P_RANKS].i;
    }
    return 0;
}

int job_make_inputs(struct job *job, const struct ledger *ledger, struct err *err)
{
    int64_t each = (int64_t)job->plan.replicates * job->plan.folds;
    struct settings s;
    int n = 0;

    for (int32_t c = 0; c < job->plan.n_configs && n < PREPARED_ADOPTED; c++) {
        bool is_open = false;

        for (int64_t t = c * each; t < (c + 1) * each; t++)
            is_open |= ledger_state(ledger, t) <= TRIAL_RUNNING;
        plan_settings(&job->plan, c, &s);
        if (!is_open || !model_type_of(&s)->inputs || prepared_has_own(job->prepared, &s))
            continue;
        if (!prepared_inputs(job->prepared, &s, err))
            return -1;
        n++;
    }
    return 0;
}

void job_release_plan(struct job *job)
{
    free(job->work);
    free(job->rank_work);
    free(job->bytes);
    prepared_destroy(job->prepared);
    plan_release(&job->plan);
    sweep_release(&job->sweep);
    job->work = job->rank_work = NULL;
    job->bytes = NULL;
    job->prepared = NULL;
    job->program_bytes = job->inputs_bytes = job->trial_bytes = 0;
    job->prepare_bytes = job->store_bytes = job->stop_s = 0;
}

void job_release(struct job *job)
{
    job_release_plan(job);
    dataset_release(&job->data);
    errlist_release(&job->written);
    errlist_release(&job->accepted);
    errlist_release(&job->advice);
    sweep_share_release(&job->share);
    memset(job, 0, sizeof *job);
}
