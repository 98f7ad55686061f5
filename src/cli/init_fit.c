#include "cli/init_fit.h"

#include <stdlib.h>

#include "sched/cost.h"

/* As `plan`: what takes more is not tried. */
#define MOST_TRIED_BYTES 1e9

/* Seconds of a trial of each configuration, owned; NULL and err. */
static double *seconds_of_configs(struct job *job, struct err *err)
{
    int32_t n = job->plan.n_configs;
    double *seconds = calloc((size_t)n, sizeof *seconds);
    struct cost *cost = cost_create(job->work, n, 0, err);
    struct store_trials known = {0};
    int64_t n_tried = -1;

    if (!seconds)
        err_nomem(err, "costs", (size_t)n * sizeof *seconds);
    else if (cost && store_trials_init(&known, job->plan.n_trials, err) == 0)
        n_tried = job_teach(job, cost, &known, 1, MOST_TRIED_BYTES, err);
    for (int32_t c = 0; n_tried >= 0 && c < n; c++)
        seconds[c] = cost_seconds(cost, c);
    store_trials_release(&known);
    cost_destroy(cost);
    if (n_tried >= 0)
        return seconds;
    free(seconds);
    return NULL;
}

/* Whether the proposal still has a configuration. What its type of model lacks does not count. */
static bool is_kept(const struct proposal *p, const struct job *job, const struct settings *s)
{
    bool is_kept = true;

    for (size_t a = 0; a < job->sweep.n_axes && is_kept; a++) {
        enum param_id id = job->sweep.axes[a].id;
        struct buf value = {0};

        param_format(&value, id, s->v[id]);
        is_kept = !settings_has(s, id) || proposal_has_value(p, id, buf_text(&value));
        buf_release(&value);
    }
    return is_kept;
}

static double sum_seconds(const struct proposal *p, const struct job *job, const double *seconds)
{
    double epochs = atof(proposal_find(p, P_EPOCHS)->value[0]), sum = 0;
    struct settings s;

    for (int32_t c = 0; c < job->plan.n_configs; c++) {
        plan_settings(&job->plan, c, &s);
        if (is_kept(p, job, &s))
            sum += seconds[c] * (settings_has(&s, P_EPOCHS) ? epochs / (double)s.v[P_EPOCHS].i : 1);
    }
    return sum * (double)proposal_repeats(p);
}

int init_fit(struct proposal *p, double *seconds, struct job *job, double budget_s, struct err *err)
{
    double *of_config = seconds_of_configs(job, err);

    if (!of_config)
        return -1;
    do
        *seconds = sum_seconds(p, job, of_config);
    while (*seconds > budget_s && proposal_shrink(p));
    free(of_config);
    return 0;
}
