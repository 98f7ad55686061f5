/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/calibrate.h"

#include "base/clock.h"
#include "launch/stop.h"
#include "trial/model_runner.h"
#include "trial/model_type.h"

/* A probe trains some configurations for a moment, the cheapest first: those with the least and the
 * most of each kind of work, the middle one, and one of each model type. */

#define MOST_S 0.5
#define LEAST_S 0.02
#define SHARE 0.01 /* of the sweep's time */

enum { KINDS = 3, TYPES = 4, MOST_PROBES = 2 * KINDS + 1 + TYPES };

/* ---- from the database ---- */

static int64_t observe_known(struct cost *cost, const struct job *job,
                             const struct store_trials *known)
{
    int64_t each = (int64_t)job->plan.replicates * job->plan.folds, n = 0;
    struct settings s;

    for (int32_t config = 0; config < job->plan.n_configs; config++) {
        plan_settings(&job->plan, config, &s);
        for (int64_t t = config * each; t < (config + 1) * each; t++) {
            int32_t ranks = known->ranks && known->ranks[t] ? known->ranks[t] : 1;

            if (known->states[t] != TRIAL_DONE || s.v[P_RANKS].i != ranks)
                continue;
            cost_observe(cost, config, -1, known->seconds[t]);
            n++;
        }
    }
    if (n)
        cost_refit(cost);
    return n;
}

/* ---- by a probe ---- */

/* Times are by clock_thread: while another program has the core, an epoch may last a hundred times as
 * long as it computes. */
struct probe {
    double until_s;
    double give_up_s;       /* by clock_system */
    double first_s, last_s; /* end of the first and the latest epoch */
    int64_t epochs;
};

static bool probe_goes_on(void *arg)
{
    struct probe *probe = arg;

    probe->last_s = clock_now(&clock_thread);
    if (!probe->epochs++)
        probe->first_s = probe->last_s;
    return !stop_signal && probe->last_s < probe->until_s &&
           clock_now(&clock_system) < probe->give_up_s;
}

/* Seconds of a whole trial on idle cores, from its first epochs on one; 0: it could not be run. */
static double probe_config(struct job *job, const struct runner *runner, int32_t config,
                           double budget_s)
{
    int64_t trial = (int64_t)config * job->plan.replicates * job->plan.folds;
    double begun_s = clock_now(&clock_thread), seconds, epochs;
    struct probe probe = {.until_s = begun_s + budget_s,
                          .give_up_s = clock_now(&clock_system) + MOST_S};
    struct trial_watch watch = {.keep_going = probe_goes_on, .arg = &probe};
    struct settings settings;
    struct trial_result result;

    plan_settings(&job->plan, config, &settings);
    trial_result_init(&result, trial);
    runner->run(runner->self, &result, trial, &watch);
    seconds = clock_now(&clock_thread) - begun_s - result.timing[PHASE_LOAD];
    if (result.state == TRIAL_FAILED ||
        (result.state == TRIAL_PENDING && !settings_has(&settings, P_EPOCHS)))
        seconds = 0;
    epochs = (double)settings.v[P_EPOCHS].i;
    if (result.state == TRIAL_PENDING && probe.epochs > 1)
        seconds += (probe.last_s - probe.first_s) / (double)(probe.epochs - 1) *
                   (epochs - (double)probe.epochs);
    else if (result.state == TRIAL_PENDING)
        seconds *= epochs;
    trial_result_release(&result);
    return seconds * job_rank_share(&settings);
}

static double amount(const struct gcn_cost *work, int kind)
{
    return kind == 0 ? work->flops : kind == 1 ? work->bytes : work->steps;
}

static int add_config(int32_t *configs, int n, int32_t config)
{
    for (int i = 0; i < n; i++)
        if (configs[i] == config)
            return n;
    configs[n] = config;
    return n + 1;
}

static bool is_first_of_type(const struct job *job, const int32_t *configs, int n, int32_t config)
{
    struct settings s, other;

    plan_settings(&job->plan, config, &s);
    for (int i = 0; i < n; i++) {
        plan_settings(&job->plan, configs[i], &other);
        if (model_type_of(&other) == model_type_of(&s))
            return false;
    }
    return true;
}

/* 0: none has at most most_bytes. */
static int choose_configs(int32_t configs[MOST_PROBES], const struct job *job, double most_bytes)
{
    const struct gcn_cost *work = job->rank_work;
    int32_t middle = job->plan.n_configs / 2;
    int n = job->bytes[middle] > most_bytes ? 0 : add_config(configs, 0, middle);

    for (int kind = 0; kind < KINDS; kind++) {
        int32_t least = -1, most = -1;

        for (int32_t c = 0; c < job->plan.n_configs; c++) {
            if (job->bytes[c] > most_bytes)
                continue;
            if (least < 0 || amount(&work[c], kind) < amount(&work[least], kind))
                least = c;
            if (most < 0 || amount(&work[c], kind) > amount(&work[most], kind))
                most = c;
        }
        if (least < 0)
            return 0;
        n = add_config(configs, n, least);
        n = add_config(configs, n, most);
    }
    for (int32_t c = 0; c < job->plan.n_configs && n < MOST_PROBES; c++)
        if (job->bytes[c] <= most_bytes && is_first_of_type(job, configs, n, c))
            configs[n++] = c;
    return n;
}

static double budget(const struct job *job, const struct cost *cost,
                     const struct store_trials *known, int32_t ranks)
{
    double sum_s = 0;

    for (int64_t t = 0; t < job->plan.n_trials; t++)
        if (known->ours[t] &&
            (known->states[t] == TRIAL_PENDING || known->states[t] == TRIAL_RUNNING))
            sum_s += cost_seconds(cost, plan_trial(&job->plan, t).config);
    sum_s *= SHARE / ranks;
    return sum_s < LEAST_S ? 0 : sum_s < MOST_S ? sum_s : MOST_S;
}

static int64_t observe_probes(struct cost *cost, struct job *job, double budget_s,
                              double most_bytes, struct err *err)
{
    int32_t configs[MOST_PROBES];
    int n = choose_configs(configs, job, most_bytes), n_tried = 0;
    struct model_runner *trainer;
    struct runner runner;
    struct settings s;
    double until_s;

    if (!n)
        return 0;
    trainer = model_runner_create(&job->plan, &job->data, job->prepared, &clock_thread, err);
    if (!trainer)
        return -1;
    runner = model_runner_interface(trainer);
    /* If an epoch exceeds the whole budget, the cheapest probe is enough. */
    for (int i = 1; i < n; i++)
        for (int j = i;
             j > 0 && cost_seconds(cost, configs[j]) < cost_seconds(cost, configs[j - 1]); j--) {
            int32_t swapped = configs[j];

            configs[j] = configs[j - 1];
            configs[j - 1] = swapped;
        }
    /* So that the probe's time is spent on training; inputs that cannot be made fail again there. */
    for (int i = 0; i < n; i++) {
        plan_settings(&job->plan, configs[i], &s);
        if (model_type_of(&s)->inputs)
            (void)prepared_inputs(job->prepared, &s, err);
    }
    until_s = clock_now(&clock_thread) + budget_s;
    /* One type's time says little about the others, so each is probed, even beyond the budget. */
    for (int i = 0; i < n; i++) {
        if (clock_now(&clock_thread) >= until_s && !is_first_of_type(job, configs, i, configs[i]))
            continue;
        cost_observe(cost, configs[i], -1, probe_config(job, &runner, configs[i], budget_s / n));
        n_tried++;
    }
    cost_refit(cost);
    model_runner_destroy(trainer);
    return n_tried;
}

int64_t calibrate_cost(struct cost *cost, struct job *job, const struct store_trials *known,
                       int32_t ranks, double most_bytes, struct err *err)
{
    int64_t n = observe_known(cost, job, known);
    double budget_s = n || !job->work ? 0 : budget(job, cost, known, ranks);

    return budget_s > 0 ? observe_probes(cost, job, budget_s, most_bytes, err) : n;
}
