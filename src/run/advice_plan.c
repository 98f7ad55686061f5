/* SPDX-License-Identifier: BSD-3-Clause */
/* Facts of the data and of the plan. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "gcn/scale.h"
#include "run/advice.h"
#include "run/leaks.h"
#include "trial/model_type.h"
#include "trial/spec.h"

/* ---- the data ---- */

/* A part has all members of such a class or none. */
static int advise_classes(struct job *job, struct err *err)
{
    const struct dataset *d = &job->data;
    int32_t *n_members = calloc((size_t)d->n_classes + 1, sizeof *n_members);
    struct buf names = {0};
    bool are_numbers = true;
    int32_t n = 0;

    if (!n_members)
        return err_nomem(err, "classes", (size_t)d->n_classes * sizeof *n_members);
    for (int32_t c = 0; c < d->n_classes; c++)
        are_numbers &= !dataset_class_name(d, c)[strspn(dataset_class_name(d, c), "+-0123456789.")];
    if (!job->sweep.line[P_TASK] && are_numbers)
        advise(&job->advice, RULE_CLASSES, d->n_classes, "%d", d->n_classes);
    for (int32_t i = 0; d->n_classes && i < d->n_samples; i++)
        if (d->label[i] >= 0)
            n_members[d->label[i]]++;
    for (int32_t c = 0; c < d->n_classes; c++)
        if (n_members[c] == 1 && n++ < DATA_EXAMPLES)
            buf_printf(&names, "%s'%.60s'", n > 1 ? ", " : "", dataset_class_name(d, c));
    advise(&job->advice, RULE_SINGLES, n, "%d class%s (%s%s) %s", n, n == 1 ? "" : "es",
           buf_text(&names), n > DATA_EXAMPLES ? " ..." : "", n == 1 ? "has" : "have");
    free(n_members);
    buf_release(&names);
    return 0;
}

static const char *feature_text(char out[64], const struct dataset *d, int32_t feature)
{
    const char *name = dataset_feature_name(d, feature);

    if (*name)
        snprintf(out, 64, "'%.60s'", name);
    else
        snprintf(out, 64, "%d", feature);
    return out;
}

/* Only of amounts: the spread of 0 and 1 shows how rare a label is. */
static int advise_spread(struct job *job, struct err *err)
{
    const struct dataset *d = &job->data;
    bool has_amounts = d->is_sparse;
    struct scale_spread spread;
    char widest[64], narrowest[64];

    if (job->fixed.v[P_SCALE].i != param_choice(P_SCALE, "none"))
        return 0;
    if (!has_amounts && job_has_amounts(&has_amounts, job, err))
        return -1;
    if (!has_amounts)
        return 0;
    if (scale_measure_spread(&spread, d, err))
        return -1;
    if (spread.narrowest >= 0)
        advise(&job->advice, RULE_SPREAD, spread.most / spread.least,
               "%.3g for feature %s, %.3g for feature %s" AND "%s", spread.most,
               feature_text(widest, d, spread.widest), spread.least,
               feature_text(narrowest, d, spread.narrowest),
               d->is_sparse ? "row, or divide the large values" : "standardize");
    return 0;
}

/* ---- configurations ---- */

static void advise_axes(struct job *job)
{
    const struct plan *plan = &job->plan;
    struct buf unmet = {0};

    plan_put_unmet(&unmet, plan);
    advise(&job->advice, RULE_UNMET, (double)unmet.size, "%s", buf_text(&unmet));
    buf_release(&unmet);
    for (size_t a = 0; job->data.task != TASK_NONE && a < job->sweep.n_axes; a++) {
        int32_t n = plan_count_idle(plan, a);

        advise(&job->advice, RULE_IDLE, n, "%s" AND "%d" AND "%d", job->sweep.axes[a].row->key, n,
               plan->n_configs);
    }
}

/* Over all configurations. */
struct kinds {
    int32_t n_baseline, n_features; /* with the fixed effects alone, and with features */
    int32_t n_steady, n_lucky;      /* without epochs; whose epoch is chosen by what scores them */
};

static int count_kinds(struct kinds *kinds, struct job *job, struct err *err)
{
    struct settings s;

    *kinds = (struct kinds){0};
    for (int32_t c = 0; c < job->plan.n_configs; c++) {
        const struct model_type *type;
        const struct split *split;

        plan_settings(&job->plan, c, &s);
        type = model_type_of(&s);
        if (!type->trains)
            continue;
        split = prepared_split(job->prepared, &s, 0, 0, err);
        if (!split)
            return -1;
        kinds->n_baseline += type->is_baseline;
        kinds->n_features += !type->is_baseline;
        kinds->n_steady += !type->has_epochs;
        kinds->n_lucky += type->has_epochs && !split->n_stop && s.v[P_EPOCHS].i > 1;
    }
    return 0;
}

static int advise_configs(struct job *job, bool *has_steady, struct err *err)
{
    const char *baseline = "";
    struct kinds kinds;

    if (count_kinds(&kinds, job, err))
        return -1;
    *has_steady = kinds.n_steady > 0;
    for (int64_t i = 0; model_type(i); i++)
        baseline = model_type(i)->is_baseline ? model_type(i)->name : baseline;
    if (job->data.n_fixed && !kinds.n_baseline)
        advise(&job->advice, RULE_NO_BASELINE, kinds.n_features, "%s", baseline);
    /* The luckiest of a hundred epochs beats a model without epochs even on noise. */
    if (kinds.n_steady)
        advise(&job->advice, RULE_MIXED_TYPES, kinds.n_lucky, "%s", "");
    return 0;
}

/* ---- the parts ---- */

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

/* With fewer folds, each model would train on half of the samples. */
#define LEAST_FOLDS 3
/* The largest sensible share of a stop or test part. */
#define MOST_SHARE 0.3

/* Smallest parts of a kind, over replicates and folds. */
struct sizes {
    int32_t n;
    double least, least_small; /* of all; of those that could be larger. INFINITY: none */
};

/* most: samples that such a part can have. Without a remedy there is no advice. */
static void see_part(struct sizes *sizes, int32_t n_samples, double most)
{
    if (!n_samples)
        return;
    sizes->n++;
    sizes->least = fmin(sizes->least, n_samples);
    if (most >= ADVICE_FEW)
        sizes->least_small = fmin(sizes->least_small, n_samples);
}

/* correlation: the objective, if it is one. */
static void advise_part(struct job *job, const struct sizes *sizes, const char *name,
                        const char *correlation, const char *consequence, const char *remedy)
{
    size_t n = job->advice.n;
    char which[48];

    snprintf(which, sizeof which, sizes->n == 1 ? "the %s part has" : "the smallest %s part has",
             name);
    if (correlation)
        advise(&job->advice, RULE_TINY_PART, sizes->least,
               "%s" AND "%.0f sample%s" AND "%s" AND "%s", which, sizes->least,
               plural((int64_t)sizes->least), correlation, remedy);
    if (job->advice.n == n)
        advise(&job->advice, RULE_SMALL_PART, sizes->least_small,
               "%s" AND "%.0f sample%s" AND "%s" AND "%s", which, sizes->least_small,
               plural((int64_t)sizes->least_small), consequence, remedy);
}

static void advise_sizes(struct job *job, const struct settings *s,
                         const struct sizes part[PART_COUNT])
{
    enum metric metric = spec_objective(s);
    bool is_correlation =
        metric == METRIC_PEARSON || metric == METRIC_SPEARMAN || metric == METRIC_R2;
    struct buf name = {0};
    const char *correlation;

    param_format(&name, P_OBJECTIVE, s->v[P_OBJECTIVE]);
    correlation = is_correlation ? buf_text(&name) : NULL;
    advise_part(job, &part[PART_VAL], "validation", correlation, "the score depends",
                job->plan.folds > 1 ? "fewer folds or a coarser [split] group"
                                    : "a larger [split] val");
    advise_part(job, &part[PART_STOP], "stop", correlation, "the choice of the epoch depends",
                "a larger [split] stop");
    advise_part(job, &part[PART_TEST], "test", NULL, "the test scores depend",
                "a larger [split] test");
    buf_release(&name);
}

static int advise_parts(struct job *job, struct err *err)
{
    const double none = (double)INFINITY;
    struct sizes part[PART_COUNT];
    bool is_given = job->data.part, has_folds = job->plan.folds > 1;
    struct settings s;

    for (int p = 0; p < PART_COUNT; p++)
        part[p] = (struct sizes){0, none, none};
    plan_settings_with(&job->plan, P_STOP, &s); /* ridge has no such part */
    for (int32_t i = 0; i < job_replicates(job) * job->plan.folds; i++) {
        const struct split *split =
            prepared_split(job->prepared, &s, i / job->plan.folds, i % job->plan.folds, err);
        int32_t n_training;

        if (!split)
            return -1;
        n_training = split->n_train + split->n_stop;
        see_part(&part[PART_VAL], split->n_val,
                 is_given && !has_folds ? 0 : (n_training + split->n_val) / LEAST_FOLDS);
        see_part(&part[PART_STOP], split->n_stop,
                 s.v[P_STOP].f > 0 ? floor(MOST_SHARE * n_training) : 0);
        see_part(&part[PART_TEST], i % job->plan.folds ? 0 : split->n_test,
                 is_given ? 0 : floor(MOST_SHARE * (n_training + split->n_val + split->n_test)));
    }
    advise_sizes(job, &s, part);
    return 0;
}

/* Gangs of one width leave the rest of the ranks; others may fill them all. */
int advice_ranks(struct errlist *out, const struct job *job, const int64_t *n_left, int32_t n_ranks,
                 struct err *err)
{
    int64_t n_trials = 0, all = 0, most;
    int32_t *widths, width = 0;
    char larger[32] = "";

    if (job_widths(&widths, job, err))
        return -1;
    for (int32_t c = 0; c < job->plan.n_configs; c++) {
        int32_t w = widths ? widths[c] : 1;

        n_trials += n_left[c];
        all += n_left[c] * w;
        if (n_left[c])
            width = !width || width == w ? w : 1;
    }
    free(widths);
    most = width > n_ranks ? n_ranks : n_ranks - n_ranks % (width ? width : 1);
    most = all < most ? all : most;
    if (most < n_ranks && all >= most + width && width > 1)
        snprintf(larger, sizeof larger, ", or -n %lld", (long long)(most + width));
    if (n_trials)
        advise(out, RULE_IDLE_RANKS, (double)(n_ranks - most),
               "%lld trial%s" AND "%lld" AND "%d" AND "%lld rank%s" AND "%lld" AND "%s",
               (long long)n_trials, plural(n_trials), (long long)most, n_ranks,
               (long long)(n_ranks - most), plural(n_ranks - most), (long long)most, larger);
    return 0;
}

int advice_plan(struct job *job, struct err *err)
{
    struct settings s;
    int is_repeated = 0;
    bool has_steady;

    errlist_release(&job->advice);
    advise_axes(job);
    if (job->data.task == TASK_NONE)
        return advice_program(job, err);
    if (advise_classes(job, err) || advise_spread(job, err) ||
        advise_configs(job, &has_steady, err) || advise_parts(job, err))
        return -1;
    /* Folds of whole groups leave nothing to chance. Who gave the parts knows that they are the
     * same. */
    plan_settings(&job->plan, 0, &s);
    if (job_replicates(job) > 1 && !job->data.part)
        is_repeated = has_repeated_parts(job, &s, err);
    advise(&job->advice, RULE_REPEATED, is_repeated, "%s",
           has_steady ? " (ridge draws no random numbers, so its replicates are equal)" : "");
    return is_repeated < 0 ? -1 : leaks_advise(job, err);
}
