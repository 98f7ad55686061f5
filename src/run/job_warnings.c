/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/job_warnings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "data/format.h"
#include "gcn/reducer.h"
#include "gcn/scale.h"
#include "grid/requirements.h"
#include "run/advice.h"
#include "trial/model_type.h"
#include "trial/spec.h"

/* ---- the data ---- */

/* more distinct numbers are probably amounts */
#define MOST_NUMBERED_CLASSES 10

static void warn_classes(const struct job *job)
{
    const struct settings *s = &job->sweep.fixed;
    const struct dataset *d = &job->data;

    if (s->v[P_TASK].i != DATA_TASK_AUTO || d->n_classes <= MOST_NUMBERED_CLASSES)
        return;
    for (int32_t c = 0; c < d->n_classes; c++)
        if (dataset_class_name(d, c)[strspn(dataset_class_name(d, c), "+-0123456789.")])
            return;
    log_warn("%s: the target has %d different whole numbers, which are used as classes: set [data] "
             "task = regression if they are amounts, task = classification if they are classes",
             job->sweep.path, d->n_classes);
}

/* Classes of which a part has all members or none. */
static void warn_single_members(const struct job *job)
{
    const struct dataset *d = &job->data;
    int32_t *n_members = d->n_classes ? calloc((size_t)d->n_classes, sizeof *n_members) : NULL;
    struct buf names = {0};
    int32_t n = 0;

    for (int32_t i = 0; n_members && i < d->n_samples; i++)
        if (d->label[i] >= 0)
            n_members[d->label[i]]++;
    for (int32_t c = 0; n_members && c < d->n_classes; c++)
        if (n_members[c] == 1 && n++ < DATA_EXAMPLES)
            buf_printf(&names, "%s'%.60s'", n > 1 ? ", " : "", dataset_class_name(d, c));
    if (n)
        log_warn("%s: %d class%s one sample each, which cannot be both in training and in a part "
                 "that scores: %s%s",
                 job->sweep.path, n, n == 1 ? " has" : "es have", buf_text(&names),
                 n > DATA_EXAMPLES ? " ..." : "");
    free(n_members);
    buf_release(&names);
}

void job_warn_data(const struct job *job)
{
    const struct data_report *r = &job->report;

    for (int32_t i = 0; i < r->n_notes; i++) {
        const struct data_note *note = &r->note[i];
        const char *path = note->is_advice ? job->sweep.path : "",
                   *gap = note->is_advice ? ": " : "";

        if (note->kind == DATA_NOTE_WARNING)
            log_warn("%s%s%s", path, gap, note->text);
        else if (note->kind == DATA_NOTE_INFO)
            log_info("%s%s%s", path, gap, note->text);
    }
    warn_classes(job);
    warn_single_members(job);
}

/* a feature whose standard deviation is this many times smaller has almost no effect */
#define MOST_SPREAD 100

static const char *feature_text(char out[64], const struct dataset *d, int32_t feature)
{
    const char *name = dataset_feature_name(d, feature);

    if (*name)
        snprintf(out, 64, "'%.60s'", name);
    else
        snprintf(out, 64, "%d", feature);
    return out;
}

int job_warn_spread(struct job *job, struct err *err)
{
    const struct dataset *d = &job->data;
    bool has_amounts = d->is_sparse;
    struct scale_spread spread;
    char widest[64], narrowest[64];

    if (job->sweep.fixed.v[P_SCALE].i != param_choice(P_SCALE, "none"))
        return 0;
    if (!has_amounts && job_has_amounts(&has_amounts, job, err))
        return -1;
    if (!has_amounts) /* the spread of 0 and 1 shows how rare a label is */
        return 0;
    if (scale_measure_spread(&spread, d, err))
        return -1;
    if (spread.narrowest >= 0 && spread.most > MOST_SPREAD * spread.least)
        log_warn("%s: scale = none, but standard deviations of features differ by a factor of more "
                 "than %d: %.3g for feature %s, %.3g for feature %s: set [data] scale = %s",
                 job->sweep.path, MOST_SPREAD, spread.most, feature_text(widest, d, spread.widest),
                 spread.least, feature_text(narrowest, d, spread.narrowest),
                 d->is_sparse ? "row, or divide the large values" : "standardize");
    return 0;
}

/* ---- the plan ---- */

void job_warn_grid(const struct job *job)
{
    struct buf emptied = {0}, unmet = {0};

    plan_put_emptied(&emptied, &job->plan);
    if (emptied.size)
        log_info("%s: where leaves no configuration with %s", job->sweep.path, buf_text(&emptied));
    plan_put_unmet(&unmet, &job->plan);
    if (unmet.size)
        log_warn("%s: axes without a value, since their conditions hold for no configuration: %s",
                 job->sweep.path, buf_text(&unmet));
    buf_release(&emptied);
    buf_release(&unmet);
}

static void report_repeats(const struct job *job)
{
    struct buf why = {0}, strays = {0};

    plan_put_strays(&strays, &job->plan);
    if (strays.size)
        log_info("%s: %s", job->sweep.path, buf_text(&strays));
    if (job->plan.rows.n_repeats) {
        plan_put_repeats(&why, &job->plan);
        log_info("%s: %s: dropped %d point%s of the grid that repeat%s the model of another point",
                 job->sweep.path, buf_text(&why), job->plan.rows.n_repeats,
                 job->plan.rows.n_repeats == 1 ? "" : "s",
                 job->plan.rows.n_repeats == 1 ? "s" : "");
    }
    buf_release(&strays);
    buf_release(&why);
}

static void warn_idle(const struct job *job)
{
    for (size_t a = 0; a < job->sweep.n_axes; a++) {
        const struct axis *axis = &job->sweep.axes[a];
        int32_t n = plan_count_idle(&job->plan, a);

        if (n)
            log_warn("%s: %s has no effect in %d of the %d configurations: they differ from others "
                     "only by chance",
                     job->sweep.path, axis->row->key, n, job->plan.n_configs);
    }
}

static void warn_one_row(const struct job *job)
{
    int32_t n = plan_count_one_row(&job->plan);

    if (n)
        log_warn("%s: batch_norm = yes turns a single sample into zeros, and batch_size = 1 "
                 "without a graph trains on single samples: %d of the %d configurations learn "
                 "almost nothing: set batch_size = 2 or more",
                 job->sweep.path, n, job->plan.n_configs);
}

static void warn_warmup(const struct job *job)
{
    struct buf place = {0};
    struct settings s;
    int32_t n = 0;

    if (sweep_is_always(&job->sweep, P_WARMUP_EPOCHS, 0))
        return;
    for (int32_t c = 0; c < job->plan.n_configs; c++) {
        plan_settings(&job->plan, c, &s);
        n += settings_has(&s, P_WARMUP_EPOCHS) && s.v[P_EPOCHS].i > 0 &&
             s.v[P_WARMUP_EPOCHS].i >= s.v[P_EPOCHS].i;
    }
    sweep_put_place(&place, &job->sweep, P_WARMUP_EPOCHS);
    if (n)
        log_warn("%s: warmup_epochs is not below epochs in %d of the %d configurations: they never "
                 "train at the full learning rate",
                 buf_text(&place), n, job->plan.n_configs);
    buf_release(&place);
}

static void warn_reduction(const struct job *job)
{
    const struct dataset *data = &job->data;
    struct settings s;

    for (int32_t c = 0; c < job->plan.n_configs; c++) {
        plan_settings(&job->plan, c, &s);
        if (s.v[P_REDUCE].i == REDUCE_NONE || !reducer_keeps(data, (int32_t)s.v[P_REDUCE].i))
            continue;
        log_warn("%s: reduce = exact has no effect: there are %d features and %d samples, and only "
                 "more features than samples can be reduced",
                 job->sweep.path, data->n_features, data->n_samples);
        return;
    }
}

void job_warn_plan(const struct job *job)
{
    report_repeats(job);
    warn_idle(job);
    warn_one_row(job);
    warn_warmup(job);
    warn_reduction(job);
}

static void warn_one_worker(const struct job *job, enum param_id id)
{
    union value value;
    int32_t n = plan_count_one_worker(&job->plan, id, &value);
    struct buf place = {0}, text = {0};

    if (!n)
        return;
    sweep_put_place(&place, &job->sweep, id);
    param_format(&text, id, value);
    log_warn("%s: %s = %s has no effect in %d of the %d configurations: they have workers = 1: set "
             "[train] workers = 2 or more, or remove %s",
             buf_text(&place), param_table[id].key, buf_text(&text), n, job->plan.n_configs,
             param_table[id].key);
    buf_release(&text);
    buf_release(&place);
}

/* 1 if the settings raise the rate of steps in full batch, else 0; -1 and err. */
static int scales_full_batch(const struct job *job, const struct settings *s, struct err *err)
{
    const struct split *split;

    if (!settings_has(s, P_LR_SCALING) || s->v[P_WORKERS].i == 1 ||
        s->v[P_LR_SCALING].i == param_choice(P_LR_SCALING, "none"))
        return 0;
    if (!s->v[P_BATCH_SIZE].i)
        return 1;
    split = prepared_split(job->prepared, s, 0, 0, err);
    return split ? s->v[P_BATCH_SIZE].i >= split->n_train : -1;
}

static int warn_full_batch(const struct job *job, struct err *err)
{
    struct buf place = {0};
    struct settings s;
    int32_t n = 0;
    int scales = 0;

    if (sweep_is_always(&job->sweep, P_WORKERS, 1) ||
        sweep_is_always(&job->sweep, P_LR_SCALING, param_choice(P_LR_SCALING, "none")))
        return 0;
    for (int32_t c = 0; c < job->plan.n_configs && scales >= 0; c++) {
        plan_settings(&job->plan, c, &s);
        scales = scales_full_batch(job, &s, err);
        n += scales == 1;
    }
    sweep_put_place(&place, &job->sweep, P_LR_SCALING);
    if (n && scales >= 0)
        log_warn("%s: lr_scaling raises the learning rate in full batch in %d of the %d "
                 "configurations, although workers do not make these steps larger: set lr_scaling "
                 "= none, or a smaller batch_size",
                 buf_text(&place), n, job->plan.n_configs);
    buf_release(&place);
    return scales < 0 ? -1 : 0;
}

int job_warn_workers(const struct job *job, struct err *err)
{
    int32_t n;

    sweep_values(&job->sweep, P_LR_SCALING, &n);
    if (n == 1) /* else warn_idle() has done it */
        warn_one_worker(job, P_LR_SCALING);
    return warn_full_batch(job, err);
}

/* ---- the parts ---- */

/* 1 if a model's epoch is chosen by the samples that score it, else 0; -1 and err. */
static int has_lucky(struct job *job, struct err *err)
{
    struct settings s;

    for (int32_t c = 0; c < job->plan.n_configs; c++) {
        const struct split *split;

        plan_settings(&job->plan, c, &s);
        if (!model_type_of(&s)->has_epochs || s.v[P_STOP].f > 0 || s.v[P_EPOCHS].i < 2)
            continue;
        split = prepared_split(job->prepared, &s, 0, 0, err);
        return split ? split->n_stop == 0 : -1;
    }
    return 0;
}

static bool has_steady(const struct job *job)
{
    struct settings s;

    for (int32_t c = 0; c < job->plan.n_configs; c++) {
        plan_settings(&job->plan, c, &s);
        if (model_type_of(&s)->trains && !model_type_of(&s)->has_epochs)
            return true;
    }
    return false;
}

/* Only the baseline shows what features add to fixed effects. */
static void warn_no_baseline(const struct job *job)
{
    const struct model_type *baseline = NULL;
    struct errlist advice = {0};
    struct settings s;

    for (int64_t i = 0; model_type(i); i++)
        if (model_type(i)->is_baseline)
            baseline = model_type(i);
    for (int32_t c = 0; c < job->plan.n_configs; c++) {
        plan_settings(&job->plan, c, &s);
        if (!model_type_of(&s)->trains || model_type_of(&s)->is_baseline)
            return;
    }
    advice_no_baseline(&advice, baseline->name);
    advice_print(&advice, job->sweep.path);
}

/* The luckiest of a hundred epochs beats a model without epochs even on noise. */
static int warn_mixed_types(struct job *job, struct err *err)
{
    int is_lucky = has_steady(job) ? has_lucky(job, err) : 0;
    struct errlist advice = {0};

    if (is_lucky == 1)
        advice_mixed_types(&advice);
    advice_print(&advice, job->sweep.path);
    return is_lucky < 0 ? -1 : 0;
}

/* 1 if two replicates validate each fold on the same samples, else 0; -1 and err. */
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

/* Folds of whole groups leave nothing to chance. Who gave the parts knows that they are the same. */
static int warn_repeated(struct job *job, struct err *err)
{
    struct errlist advice = {0};
    struct settings s;
    int is_repeated = 0;

    plan_settings(&job->plan, 0, &s);
    if (job_replicates(job) > 1 && !job->data.part)
        is_repeated = has_repeated_parts(job, &s, err);
    if (is_repeated == 1)
        advice_repeated(&advice, has_steady(job));
    advice_print(&advice, job->sweep.path);
    return is_repeated < 0 ? -1 : 0;
}

/* is_given: the user divided the samples, and no setting makes a part larger. */
static void count_parts(struct advice_parts *val, struct advice_parts *stop,
                        const struct split *split, bool is_given, bool draws_stop)
{
    int32_t n_training = split->n_train + split->n_stop;

    advice_count_part(val, split->n_val, is_given ? 0 : advice_most_val(n_training + split->n_val));
    advice_count_part(stop, split->n_stop, draws_stop ? advice_most_stop(n_training) : 0);
}

static int warn_small_parts(struct job *job, struct err *err)
{
    int32_t n_parts = job_replicates(job) * job->plan.folds;
    struct advice_parts val = {0}, stop = {0};
    struct errlist advice = {0};
    struct advice_objective objective = {.has_folds = job->plan.folds > 1};
    struct buf name = {0};
    struct settings s;
    enum metric metric;

    plan_settings_with(&job->plan, P_STOP, &s);
    metric = spec_objective(&s);
    for (int32_t part = 0; part < n_parts; part++) {
        const struct split *split =
            prepared_split(job->prepared, &s, part / job->plan.folds, part % job->plan.folds, err);

        if (!split)
            return -1;
        count_parts(&val, &stop, split, job->data.part && job->plan.folds == 1, s.v[P_STOP].f > 0);
    }
    param_format(&name, P_OBJECTIVE, s.v[P_OBJECTIVE]);
    objective.name = buf_text(&name);
    objective.is_correlation =
        metric == METRIC_PEARSON || metric == METRIC_SPEARMAN || metric == METRIC_R2;
    advice_small_parts(&advice, &val, &stop, &objective);
    buf_release(&name);
    advice_print(&advice, job->sweep.path);
    return 0;
}

int job_warn_parts(struct job *job, struct err *err)
{
    if (job->data.n_fixed)
        warn_no_baseline(job);
    return warn_small_parts(job, err) || warn_mixed_types(job, err) || warn_repeated(job, err) ? -1
                                                                                               : 0;
}
