/* What a cost model can know before a sweep begins. A probe trains the configurations that have
 * least and most of each kind of work, the one in the middle, and one of each model type, from the
 * cheapest epoch on. */
#include "run/job.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/exit_status.h"
#include "base/log.h"
#include "data/format.h"
#include "gcn/scale.h"
#include "grid/plan.h"
#include "grid/requirements.h"
#include "launch/address_space.h"
#include "launch/stop.h"
#include "run/job_warnings.h"
#include "run/leaks.h"
#include "run/sweep_share.h"
#include "sched/cost.h"
#include "sched/ledger.h"
#include "store/store.h"
#include "trial/model_runner.h"
#include "trial/prepared.h"
#include "trial/spec.h"

#define MOST_S 0.5
#define LEAST_S 0.02
#define SHARE 0.01 /* of the sweep */

enum { KINDS = 3, TYPES = 4, MOST_PROBES = 2 * KINDS + 1 + TYPES };

/* ---- from the database ---- */

static int64_t teach_known(struct job *job, struct cost *cost, const struct store_trials *known)
{
    int64_t n = 0;

    for (int64_t t = 0; t < job->plan.n_trials; t++) {
        if (known->states[t] != TRIAL_DONE)
            continue;
        cost_observe(cost, plan_trial(&job->plan, t).config, -1, known->seconds[t]);
        n++;
    }
    if (n)
        cost_refit(cost);
    return n;
}

/* ---- by a probe ---- */

/* Watches a trial; ends it when it has run long enough. */
struct probe {
    double until_s;
    double first_s, last_s; /* when the first epoch ended, and the last so far */
    int64_t epochs;
};

static bool probe_goes_on(void *arg)
{
    struct probe *probe = arg;

    probe->last_s = clock_now(&clock_system);
    if (!probe->epochs++)
        probe->first_s = probe->last_s;
    return !stop_signal && probe->last_s < probe->until_s;
}

/* Seconds of the whole trial, from its first epochs; 0: it could not be run. */
static double probe_config(struct job *job, const struct runner *runner, int32_t config,
                           double budget_s)
{
    int64_t trial = (int64_t)config * job->plan.replicates * job->plan.folds;
    double begun_s = clock_now(&clock_system), seconds, epochs;
    struct probe probe = {.until_s = begun_s + budget_s};
    struct trial_watch watch = {.keep_going = probe_goes_on, .arg = &probe};
    struct settings settings;
    struct trial_result result;

    plan_settings(&job->plan, config, &settings);
    trial_result_init(&result, trial);
    runner->run(runner->self, &result, trial, &watch);
    seconds = clock_now(&clock_system) - begun_s - result.timing[PHASE_LOAD];
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
    return seconds;
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

/* Whether none of the n configurations has the model type of this one. */
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

/* Of the configurations that take no more memory than that; none where there are none. */
static int choose_configs(int32_t configs[MOST_PROBES], const struct job *job, double most_bytes)
{
    const struct gcn_cost *work = job->work;
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

/* What is tried is to be trained for as long as it may, not to be read for half of that. What
 * cannot be made fails when it is tried. */
static void make_inputs(struct job *job, const int32_t *configs, int n)
{
    struct settings s;
    struct err err;

    for (int i = 0; i < n; i++) {
        plan_settings(&job->plan, configs[i], &s);
        if (model_type_of(&s)->inputs)
            (void)prepared_inputs(job->prepared, &s, &err);
    }
}

/* The cheapest first: where an epoch takes longer than the whole budget, one is enough. */
static void sort_configs(int32_t *configs, int n, const struct cost *cost)
{
    for (int i = 1; i < n; i++)
        for (int j = i;
             j > 0 && cost_seconds(cost, configs[j]) < cost_seconds(cost, configs[j - 1]); j--) {
            int32_t swapped = configs[j];

            configs[j] = configs[j - 1];
            configs[j - 1] = swapped;
        }
}

/* Seconds that a probe may take. */
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

static int64_t teach_by_probe(struct job *job, struct cost *cost, double budget_s,
                              double most_bytes, struct err *err)
{
    int32_t configs[MOST_PROBES];
    int n = choose_configs(configs, job, most_bytes), n_tried = 0;
    struct model_runner *gcn;
    struct runner runner;
    double until_s;

    if (!n)
        return 0;
    gcn = model_runner_create(&job->plan, &job->data, job->prepared, &clock_system, err);
    if (!gcn)
        return -1;
    runner = model_runner_interface(gcn);
    sort_configs(configs, n, cost);
    make_inputs(job, configs, n);
    until_s = clock_now(&clock_system) + budget_s;
    /* The time of one type says little about the others: each is tried, also past the budget. */
    for (int i = 0; i < n; i++) {
        if (clock_now(&clock_system) >= until_s && !is_first_of_type(job, configs, i, configs[i]))
            continue;
        cost_observe(cost, configs[i], -1, probe_config(job, &runner, configs[i], budget_s / n));
        n_tried++;
    }
    cost_refit(cost);
    model_runner_destroy(gcn);
    return n_tried;
}

int64_t job_teach(struct job *job, struct cost *cost, const struct store_trials *known,
                  int32_t ranks, double most_bytes, struct err *err)
{
    int64_t n = teach_known(job, cost, known);
    double budget_s = n ? 0 : budget(job, cost, known, ranks);

    return budget_s > 0 ? teach_by_probe(job, cost, budget_s, most_bytes, err) : n;
}

static void print_all(struct errlist *errors)
{
    for (size_t i = 0; i < errors->n; i++)
        log_error("%s", errors->text[i]);
    errlist_release(errors);
}

int job_parse(struct job *job, const char *path, const struct text_list *set)
{
    struct errlist errors = {0};
    int rc = sweep_load(&job->sweep, path, set->text, set->n, &errors);

    print_all(&errors);
    return rc ? EXIT_USAGE : CLI_GO_ON;
}

int job_parse_text(struct job *job, const char *path, const char *text)
{
    struct errlist errors = {0};
    int rc = sweep_parse(&job->sweep, path, text, NULL, 0, &errors);

    print_all(&errors);
    return rc ? EXIT_USAGE : CLI_GO_ON;
}

/* `folds = groups` becomes how many that is. */
static int count_folds(struct job *job, struct err *err)
{
    union value *folds = &job->sweep.fixed.v[P_FOLDS];
    struct split_spec spec;
    int32_t n;

    if (folds->i != FOLDS_GROUPS)
        return 0;
    spec_split(&spec, &job->sweep.fixed, 0, 0);
    if (split_count_groups(&n, &job->data, &spec, err))
        return -1;
    if (n < 2 || n > param_table[P_FOLDS].max)
        return err_set(err,
                       "folds = groups: %d of split.group outside the test part: must be 2 to %g",
                       n, param_table[P_FOLDS].max);
    folds->i = n;
    return 0;
}

/* scale = auto of node attributes and features of a given graph: amounts are standardized, one-hot
 * labels and words are left as they are (doc/decisions/0037). Others are for settings_resolve(). */
static int resolve_scale(struct job *job, struct err *err)
{
    union value *v = job->sweep.fixed.v;
    bool has_amounts = false;

    if (v[P_SCALE].i != param_choice(P_SCALE, "auto") ||
        !data_format_at(v[P_FORMAT].i)->has_attributes)
        return 0;
    if (scale_has_amounts(&has_amounts, &job->data, err))
        return -1;
    if (has_amounts)
        v[P_SCALE].i = param_choice(P_SCALE, "standardize");
    return 0;
}

/* Resolve the settings that depend on the data. */
static int resolve(struct job *job)
{
    struct errlist errors = {0};
    struct err err;
    int rc;

    if (resolve_scale(job, &err) || settings_resolve(&job->sweep.fixed, job->data.task, &err) ||
        count_folds(job, &err)) {
        err_wrap(&err, "%s", job->sweep.path);
        return log_fail(&err, EXIT_USAGE);
    }
    if (job_warn_spread(job, &err))
        return log_fail(&err, EXIT_ERROR);
    rc = requirements_check_data(&job->sweep, &job->data, &errors);
    print_all(&errors);
    return rc ? EXIT_USAGE : CLI_GO_ON;
}

/* A status. A setting that only the data show to be missing is the sweep file's fault. */
static int fail_load(const struct job *job, struct err *err)
{
    struct buf place = {0};

    if (!job->report.unset)
        return log_fail(err, EXIT_ERROR);
    requirements_put_place(&place, &job->sweep, param_find("data", job->report.unset));
    err_wrap(err, "%s", buf_text(&place));
    buf_release(&place);
    return log_fail(err, EXIT_USAGE);
}

int job_load(struct job *job)
{
    double begun_s = clock_now(&clock_system);
    struct data_spec spec;
    struct err err;

    address_space_warn();
    spec_data(&spec, &job->sweep.fixed);
    spec.unmatched = job->unmatched;
    if (data_load(&job->data, &spec, &job->report, &err))
        return fail_load(job, &err);
    job->load_s = clock_now(&clock_system) - begun_s;
    job_warn_data(job);
    return resolve(job);
}

static int make_plan(struct job *job, struct err *err)
{
    struct store_predicate *where = NULL;
    struct predicate predicate = {0};
    const char *expression = job->sweep.fixed.v[P_WHERE].s;
    int rc = 0;

    if (*expression) {
        rc = store_predicate_open(&where, expression, &job->sweep, err);
        if (rc && job->sweep.line[P_WHERE] > 0)
            err_wrap(err, "%s:%d", job->sweep.path, job->sweep.line[P_WHERE]);
        predicate = (struct predicate){.keep = store_predicate_keep, .arg = where};
    }
    if (!rc)
        rc = plan_init(&job->plan, &job->sweep, &predicate, err);
    store_predicate_close(where);
    return rc;
}

int32_t job_replicates(const struct job *job)
{
    int32_t most = PREPARED_SPLITS / job->plan.folds;

    return job->plan.replicates < most ? job->plan.replicates : most ? most : 1;
}

/* The parts of every fold, so that one without samples is found before anything is spent. */
static int check_folds(struct job *job, const struct settings *s, struct err *err)
{
    for (int32_t replicate = 0; replicate < job_replicates(job); replicate++)
        for (int32_t fold = 0; fold < job->plan.folds; fold++)
            if (!prepared_split(job->prepared, s, replicate, fold, err))
                return -1;
    return 0;
}

/* Parts are to be looked at where the setting says another stop part than before, unless that was a
 * smaller one. */
static bool has_other_parts(const struct settings *s, double *least_stop)
{
    double stop = s->v[P_STOP].f;

    if (!(stop > 0 && stop < *least_stop))
        return false;
    *least_stop = stop;
    return true;
}

/* Cost of every configuration; finds values that do not suit the data before anything is spent. */
static int make_costs(struct job *job, struct err *err)
{
    struct settings settings;
    double bytes, least_stop = INFINITY;
    int rc = 0;

    job->work = calloc((size_t)job->plan.n_configs, sizeof *job->work);
    job->bytes = calloc((size_t)job->plan.n_configs, sizeof *job->bytes);
    if (!job->work || !job->bytes)
        return err_nomem(err, "costs", (size_t)job->plan.n_configs * sizeof *job->work);
    for (int32_t c = 0; !rc && c < job->plan.n_configs; c++) {
        plan_settings(&job->plan, c, &settings);
        rc = prepared_cost(&job->work[c], &bytes, job->prepared, &settings, err);
        job->trial_bytes = fmax(job->trial_bytes, bytes);
        job->bytes[c] = bytes + prepared_inputs_bytes(job->prepared, &settings);
        if (!rc && (has_other_parts(&settings, &least_stop) || c == 0))
            rc = check_folds(job, &settings, err);
    }
    job->inputs_bytes = prepared_all_bytes(job->prepared);
    if (rc)
        err_wrap(err, "%s", job->sweep.path);
    return rc;
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

int job_points(struct job *job)
{
    struct err err;

    if (make_plan(job, &err))
        return log_fail(&err, EXIT_USAGE);
    job->prepared = prepared_create(&job->data, &err);
    return job->prepared ? CLI_GO_ON : log_fail(&err, EXIT_ERROR);
}

int job_plan(struct job *job)
{
    struct err err;
    int status = job_points(job);

    if (status != CLI_GO_ON)
        return status;
    job_warn_plan(job);
    if (make_costs(job, &err) || job_warn_parts(job, &err) || leaks_warn(job, &err))
        return log_fail(&err, EXIT_ERROR);
    return CLI_GO_ON;
}

int job_prepare(struct job *job, const char *path, const struct text_list *set)
{
    int status = job_parse(job, path, set);

    if (status == CLI_GO_ON)
        status = job_load(job);
    if (status == CLI_GO_ON)
        status = job_plan(job);
    return status;
}

/* All but the data. */
static void release_plan(struct job *job)
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

int job_parse_again(struct job *job, const char *path, const char *text)
{
    int status;

    release_plan(job);
    status = job_parse_text(job, path, text);
    return status == CLI_GO_ON ? resolve(job) : status;
}

void job_release(struct job *job)
{
    release_plan(job);
    dataset_release(&job->data);
    sweep_share_release(&job->share);
    memset(job, 0, sizeof *job);
}
