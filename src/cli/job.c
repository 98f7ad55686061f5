#include "cli/job.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "cli/leaks.h"
#include "gcn/reducer.h"
#include "grid/idle.h"
#include "grid/requirements.h"
#include "trial/gcn_runner.h"
#include "trial/spec.h"

static void print_all(struct errlist *errors)
{
    for (size_t i = 0; i < errors->n; i++)
        fprintf(stderr, "espalier: %s\n", errors->text[i]);
    errlist_release(errors);
}

int job_parse(struct job *job, const char *path, const struct option_list *set)
{
    struct errlist errors = {0};
    int rc = sweep_load(&job->sweep, path, set->text, set->n, &errors);

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

/* More of them than this are rather amounts. */
#define MOST_NUMBERED_CLASSES 10

/* Whole numbers that nobody said to be classes; those of images are. */
static void warn_classes(const struct job *job)
{
    const struct settings *s = &job->sweep.fixed;
    const struct dataset *d = &job->data;

    if (s->v[P_TASK].i != DATA_TASK_AUTO || s->v[P_FORMAT].i == DATA_IDX ||
        d->n_classes <= MOST_NUMBERED_CLASSES)
        return;
    for (int32_t c = 0; c < d->n_classes; c++)
        if (dataset_class_name(d, c)[strspn(dataset_class_name(d, c), "+-0123456789.")])
            return;
    log_warn("%s: the %d different whole numbers of the target are taken for classes: set [data] "
             "task = regression if they are amounts, task = classification if they are classes",
             job->sweep.path, d->n_classes);
}

static void warn_data(const struct job *job)
{
    const struct data_report *r = &job->report;

    if (r->n_suspect)
        log_warn(
            "%s: column \"%s\" is %g in %d sample%s and never negative otherwise: if that stands "
            "for a missing value, set [data] missing = %g",
            job->sweep.path, r->suspect_column, r->suspect, r->n_suspect,
            r->n_suspect == 1 ? "" : "s", r->suspect);
    if (r->is_case_control && job->data.n_classes)
        log_info("%s: 1 and 2 in column 6 of the .fam are taken for controls and cases, as PLINK "
                 "does; [data] task = regression takes them for numbers",
                 job->sweep.path);
    warn_classes(job);
}

int job_load(struct job *job)
{
    double begun_s = clock_now(&clock_system);
    struct data_spec spec;
    struct err err;

    struct errlist errors = {0};
    int rc;

    spec_data(&spec, &job->sweep.fixed);
    if (data_load(&job->data, &spec, &job->report, &err))
        return cli_fail(&err, EXIT_ERROR);
    job->load_s = clock_now(&clock_system) - begun_s;
    warn_data(job);
    if (settings_resolve(&job->sweep.fixed, job->data.task, &err) || count_folds(job, &err)) {
        err_wrap(&err, "%s", job->sweep.path);
        return cli_fail(&err, EXIT_USAGE);
    }
    rc = requirements_check_data(&job->sweep, &job->data, &errors);
    print_all(&errors);
    return rc ? EXIT_USAGE : CLI_GO_ON;
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

static void tell_repeats(const struct job *job)
{
    struct buf why = {0}, strays = {0};

    plan_put_strays(&strays, &job->plan);
    if (strays.size)
        log_info("%s: %s", job->sweep.path, buf_text(&strays));
    if (job->plan.n_repeats) {
        plan_put_repeats(&why, &job->plan);
        log_info("%s: %s: %d points of the grid are the same models as others and left out",
                 job->sweep.path, buf_text(&why), job->plan.n_repeats);
    }
    buf_release(&strays);
    buf_release(&why);
}

static void warn_idle(const struct job *job)
{
    for (size_t a = 0; a < job->sweep.n_axes; a++) {
        const struct axis *axis = &job->sweep.axes[a];
        int32_t n = plan_count_idle(&job->plan, axis);

        if (n)
            log_warn("%s: %s does nothing in %d of the %d configurations: they differ from others "
                     "by chance alone",
                     job->sweep.path, param_table[axis->id].key, n, job->plan.n_configs);
    }
}

static void warn_one_row(const struct job *job)
{
    int32_t n = plan_count_one_row(&job->plan);

    if (n)
        log_warn("%s: batch_norm = yes leaves nothing of a single sample, and batch_size = 1 "
                 "without a graph gives it no other: %d of the %d configurations learn next to "
                 "nothing: take batch_size = 2 or more",
                 job->sweep.path, n, job->plan.n_configs);
}

int32_t job_replicates(const struct job *job)
{
    int32_t most = PREPARED_SPLITS / job->plan.folds;

    return job->plan.replicates < most ? job->plan.replicates : most ? most : 1;
}

/* Whether some gcn or mlp has its epoch chosen by what scores it; -1 and err. */
static int has_lucky(struct job *job, struct err *err)
{
    struct settings s;

    for (int32_t c = 0; c < job->plan.n_configs; c++) {
        const struct split *split;

        plan_settings(&job->plan, c, &s);
        if ((spec_model(&s) != MODEL_GCN && spec_model(&s) != MODEL_MLP) || s.v[P_STOP].f > 0 ||
            s.v[P_EPOCHS].i < 2)
            continue;
        split = prepared_split(job->prepared, &s, 0, 0, err);
        return split ? split->n_stop == 0 : -1;
    }
    return 0;
}

static bool has_ridge(const struct job *job)
{
    struct settings s;

    plan_settings_with(&job->plan, P_LAMBDA, &s);
    return spec_model(&s) == MODEL_RIDGE;
}

/* The luckiest of a hundred epochs is ahead of a model without any, also on noise. */
static int warn_lucky(struct job *job, struct err *err)
{
    int is_lucky = has_ridge(job) ? has_lucky(job, err) : 0;

    if (is_lucky == 1)
        log_warn("%s: the validation part chooses the epoch of gcn and mlp and scores them too, "
                 "which flatters them beside ridge: [split] stop = 0.1 makes the comparison fair",
                 job->sweep.path);
    return is_lucky < 0 ? -1 : 0;
}

/* Whether two replicates validate each fold on the same samples; -1 and err. */
static int has_repeated_parts(struct job *job, const struct settings *s, struct err *err)
{
    for (int32_t fold = 0; fold < job->plan.folds; fold++) {
        const struct split *split[2];

        for (int32_t r = 0; r < 2; r++) {
            split[r] = prepared_split(job->prepared, s, r, fold, err);
            if (!split[r])
                return -1;
        }
        if (split[0]->n_val != split[1]->n_val ||
            memcmp(split[0]->val, split[1]->val, (size_t)split[0]->n_val * sizeof *split[0]->val) !=
                0)
            return 0;
    }
    return 1;
}

/* A split file, and folds of whole groups, leave nothing to draw. */
static int tell_repeated(struct job *job, struct err *err)
{
    struct settings s;
    int is_repeated = 0;

    plan_settings(&job->plan, 0, &s);
    if (job_replicates(job) > 1)
        is_repeated = has_repeated_parts(job, &s, err);
    if (is_repeated == 1)
        log_info("%s: replicates validate on the same samples: se and the intervals of the "
                 "leaderboard know what the random numbers of training do, not what other samples "
                 "would do%s",
                 job->sweep.path,
                 has_ridge(job) ? "; those of ridge, which draws none, are one and the same" : "");
    return is_repeated < 0 ? -1 : 0;
}

/* What a setting says and these data make pointless. */
static void warn_reduction(const struct job *job)
{
    const struct dataset *data = &job->data;
    struct settings s;

    for (int32_t c = 0; c < job->plan.n_configs; c++) {
        plan_settings(&job->plan, c, &s);
        if (s.v[P_REDUCE].i == REDUCE_NONE || !reducer_keeps(data, (int32_t)s.v[P_REDUCE].i))
            continue;
        log_warn("%s: reduce = exact leaves the features as they are: %d features are no more than "
                 "%d samples",
                 job->sweep.path, data->n_features, data->n_samples);
        return;
    }
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

/* Of one sample there is no correlation, of two it is 1 or -1. */
#define LEAST_CORRELATED 3

static int warn_small_folds(struct job *job, struct err *err)
{
    int32_t n_parts = job_replicates(job) * job->plan.folds, n = 0, n_stop = 0;
    struct settings s;
    enum metric metric;

    plan_settings_with(&job->plan, P_STOP, &s);
    metric = spec_objective(&s);
    if (metric != METRIC_PEARSON && metric != METRIC_SPEARMAN && metric != METRIC_R2)
        return 0;
    for (int32_t part = 0; part < n_parts; part++) {
        const struct split *split =
            prepared_split(job->prepared, &s, part / job->plan.folds, part % job->plan.folds, err);

        if (!split)
            return -1;
        n += split->n_val < LEAST_CORRELATED;
        n_stop += split->n_stop > 0 && split->n_stop < LEAST_CORRELATED;
    }
    if (n)
        log_warn("%s: %d of %d validation parts have fewer than %d samples, of which val_%s says "
                 "nothing: objective = val_rmse does, as do fewer folds or a coarser split.group",
                 job->sweep.path, n, n_parts, LEAST_CORRELATED, metric_name(metric));
    if (n_stop)
        log_warn("%s: %d of %d stop parts have fewer than %d samples, by which val_%s chooses the "
                 "epoch at random: a larger split.stop has more",
                 job->sweep.path, n_stop, n_parts, LEAST_CORRELATED, metric_name(metric));
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
        if (!is_open || spec_model(&s) == MODEL_NOOP || prepared_own_inputs(job->prepared, &s))
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
        return cli_fail(&err, EXIT_USAGE);
    job->prepared = prepared_create(&job->data, &err);
    return job->prepared ? CLI_GO_ON : cli_fail(&err, EXIT_ERROR);
}

int job_plan(struct job *job)
{
    struct err err;
    int status = job_points(job);

    if (status != CLI_GO_ON)
        return status;
    tell_repeats(job);
    warn_idle(job);
    warn_one_row(job);
    warn_reduction(job);
    if (make_costs(job, &err) || warn_small_folds(job, &err) || warn_lucky(job, &err) ||
        tell_repeated(job, &err) || leaks_warn(job, &err))
        return cli_fail(&err, EXIT_ERROR);
    return CLI_GO_ON;
}

int job_prepare(struct job *job, const char *path, const struct option_list *set)
{
    int status = job_parse(job, path, set);

    if (status == CLI_GO_ON)
        status = job_load(job);
    if (status == CLI_GO_ON)
        status = job_plan(job);
    return status;
}

void job_release(struct job *job)
{
    free(job->work);
    free(job->bytes);
    prepared_destroy(job->prepared);
    plan_release(&job->plan);
    dataset_release(&job->data);
    sweep_share_release(&job->share);
    sweep_release(&job->sweep);
    memset(job, 0, sizeof *job);
}
