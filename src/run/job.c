/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/job.h"

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
    free(job->bytes);
    prepared_destroy(job->prepared);
    plan_release(&job->plan);
    sweep_release(&job->sweep);
    job->work = NULL;
    job->bytes = NULL;
    job->prepared = NULL;
    job->inputs_bytes = job->trial_bytes = 0;
}

void job_release(struct job *job)
{
    job_release_plan(job);
    dataset_release(&job->data);
    sweep_share_release(&job->share);
    memset(job, 0, sizeof *job);
}
