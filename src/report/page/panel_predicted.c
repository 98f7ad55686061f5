/* SPDX-License-Identifier: BSD-3-Clause */
/* Panels about out-of-fold predictions and the test part: why they are empty, what their numbers
 * mean, and their tables. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/words.h"
#include "gcn/metric.h"
#include "report/page/html.h"
#include "report/page/json.h"
#include "report/page/page.h"
#include "report/page/panel.h"
#include "trial/model_type.h"

/* ---- no predictions ---- */

/* The command that adds what the database lacks. */
static void put_command(struct buf *out, const struct sweep_data *d)
{
    struct buf file = {0}, db = {0};
    bool has_options = false;

    for (int64_t i = 0; i < d->sessions.n_rows; i++)
        has_options |= !!strstr(result_table_text(&d->sessions, i, "command"), " --set");
    buf_printf(out, "'espalier run %s %s'%s", escape_shell(&file, d->file),
               escape_shell(&db, d->database),
               has_options ? ", with the --set options of the first run," : "");
    out->failed |= buf_failed(&file) || buf_failed(&db);
    buf_release(&file);
    buf_release(&db);
}

static const char *why_no_prediction(struct buf *scratch, const struct page *page)
{
    const struct sweep_data *d = page->data;
    int64_t n_left = d->planned - d->done - d->failed - d->diverged;
    const struct settings *s;

    if (d->predictions.n)
        return NULL;
    if (!d->chosen)
        return panel_why_no_score(scratch, d);
    if (d->task == TASK_NONE)
        return "A program ran the trials. It reports numbers, and no predictions of samples.";
    s = sweep_data_settings(d, d->configs[sweep_data_find(d, d->chosen)].type);
    if (s && !model_type_of(s)->trains) {
        buf_printf(scratch,
                   "The choice is of the model type %s, which trains nothing and predicts nothing.",
                   model_type_of(s)->name);
        return buf_text(scratch);
    }
    buf_printf(scratch, "The database has no out-of-fold predictions of c%lld. ",
               (long long)d->chosen);
    if (n_left > 0) {
        buf_printf(scratch,
                   "A run stores them when the sweep is finished, and %lld trial%s left to run.",
                   (long long)n_left, n_left == 1 ? " is" : "s are");
    } else if (d->n_models) {
        buf_printf(
            scratch,
            "It has %s models of this configuration, but no run has applied them: shards and runs "
            "that were stopped do not, nor did espalier before version 0.2.0. ",
            d->n_models < d->n_done ? "some" : "all");
        put_command(scratch, d);
        buf_puts(scratch, d->n_models < d->n_done
                              ? " trains the missing models and adds the predictions; other trials "
                                "are not repeated."
                              : " adds the predictions and repeats no trial.");
    } else {
        buf_puts(scratch, "Nor does it have the models that would make them: the sweep ran with "
                          "keep = none or an earlier version, or they are too large to keep. With "
                          "keep = best, ");
        put_command(scratch, d);
        buf_puts(scratch, " trains the choice again and stores both; other trials are not "
                          "repeated.");
    }
    return buf_text(scratch);
}

/* ---- what the numbers mean ---- */

static void put_origin(struct buf *out, const struct sweep_data *d)
{
    const struct sweep_predictions *p = &d->predictions;

    buf_puts(out, "<p>");
    html_printf(out, "%d predictions of c%lld", (int)p->n, (long long)p->config);
    if (d->n_done > 1)
        html_printf(out, ", by the models of %d of its %d trials, each for its own validation part",
                    (int)p->n_parts, (int)d->n_done);
    buf_puts(out, ". ");
    if (d->has_epochs && !d->has_stop)
        buf_puts(out, "The same samples chose the epoch whose weights are used, because the sweep "
                      "has no stop part; expect new samples to be predicted somewhat less well. "
                      "With stop = 0.2 in [split], other samples choose the epoch.");
    buf_puts(out, "</p>\n");
}

static void explain_correlation(struct buf *out, const struct sweep_data *d)
{
    const char *part = sweep_part_word(d);
    const struct sweep_predictions *p = &d->predictions;
    const struct sweep_score *r = sweep_find_score(p, "pearson");

    if (!r || r->folds < 2)
        return;
    html_element(out, "p",
                 "The correlation of all predictions together is %.3f. The mean of the "
                 "correlations within each %s is %.3f. The first also counts differences between "
                 "%ss: it is the larger one if the models predict which %ss have high values, and "
                 "the smaller one if some models predict too high and others too low.",
                 r->together, part, r->mean, part, part);
}

struct named {
    const char *metric, *name;
};
static const struct named of_two[] = {
    {"sensitivity", "sensitivity"},
    {"specificity", "specificity"},
    {"precision", "precision"},
    {"balanced_accuracy", "balanced accuracy"},
    {"mcc", "Matthews correlation (MCC)"},
    {"f1", "F1"},
    {"roc_auc", "area under the ROC curve"},
    {NULL, NULL},
};
static const struct named of_more[] = {
    {"accuracy", "accuracy"},
    {"balanced_accuracy", "balanced accuracy"},
    {"macro_f1", "macro F1"},
    {"mcc", "Matthews correlation (MCC)"},
    {"roc_auc", "mean area under the ROC curves"},
    {NULL, NULL},
};

static void put_class_scores(struct buf *out, const struct sweep_predictions *p)
{
    bool is_two = p->n_classes == 2;
    const char *gap = p->n_parts > 1 ? "All predictions together: " : "All predictions: ";

    buf_puts(out, "<p>");
    if (is_two && p->is_probability)
        html_printf(out, "The class %s is predicted if its probability is above 0.5. ",
                    p->classes[1]);
    else
        html_printf(out, "The class with the largest %s is predicted. ",
                    p->is_probability ? "probability" : "score");
    if (is_two)
        html_printf(out,
                    "The positive class is %s: sensitivity is the share of its samples that are "
                    "recognized, specificity that of %s. ",
                    p->classes[1], p->classes[0]);
    for (const struct named *one = is_two ? of_two : of_more; one->metric; one++) {
        const struct sweep_score *score = sweep_find_score(p, one->metric);

        if (!score)
            continue;
        html_printf(out, "%s%s %.3f", gap, one->name, score->together);
        gap = ", ";
    }
    buf_puts(out, ".</p>\n");
}

static void explain_charts(struct buf *out, const struct sweep_data *d)
{
    const char *part = sweep_part_word(d);
    const struct sweep_predictions *p = &d->predictions;
    const struct sweep_score *area = sweep_find_score(p, "roc_auc");

    if (area && area->folds > 1)
        html_element(out, "p",
                     "The area under the ROC curve of all predictions together compares %s of "
                     "different models, since each %s has its own. It is fair only if these models "
                     "are calibrated alike. The mean area within a %s, %.3f (standard deviation "
                     "%.3f over %d %ss), does not need that.",
                     p->is_probability ? "probabilities" : "scores", part, part, area->mean,
                     area->sd, (int)area->folds, part);
    if (p->is_probability)
        html_element(out, "p",
                     "Calibration: each dot stands for the predictions in a tenth of the range of "
                     "probabilities: across their mean probability, up the share of them that "
                     "really is of the class. Larger dots are more predictions. On the dashed line "
                     "both are equal; below it, probabilities are too high.");
}

/* ---- tables of predictions ---- */

static void table_scores(struct buf *out, const struct sweep_data *d)
{
    const struct sweep_predictions *p = &d->predictions;
    const char *part = sweep_part_word(d);
    bool has_folds = p->n_parts > 1;
    struct html_table table;
    char heads[64] = "#value";

    if (has_folds)
        snprintf(heads, sizeof heads, "#all together|#mean of %ss|#sd of %ss|#%ss", part, part,
                 part);
    html_table_begin(&table, out, "Table: metrics of the out-of-fold predictions",
                     p->n_classes ? "metric|class" : "metric");
    html_table_heads(&table, heads);
    for (int32_t i = 0; i < p->n_scores; i++) {
        const struct sweep_score *score = &p->scores[i];

        html_row(&table, 0);
        html_cells(&table, "%s", score->metric);
        if (p->n_classes)
            html_cells(&table, "%s", score->class < 0 ? "" : p->classes[score->class]);
        html_cells(&table, "%g", score->together);
        if (has_folds)
            html_cells(&table, "%g%g%d", score->mean, score->sd, (int)score->folds);
    }
    html_table_end(&table);
}

/* Scores of the samples of one group; -1: all. truth, prediction: [n] scratch. */
static void put_group(struct html_table *table, const struct sweep_predictions *p, int32_t group,
                      float *truth, float *prediction, void *scratch)
{
    static const enum metric metrics[] = {METRIC_PEARSON, METRIC_R2, METRIC_RMSE};
    int32_t n = 0;

    for (int32_t i = 0; i < p->n; i++)
        if (group < 0 || p->group[i] == group) {
            truth[n] = (float)p->observed[i];
            prediction[n++] = (float)p->predicted[i];
        }
    html_row(table, 0);
    html_cells(table, "%s%d", group < 0 ? "all" : p->groups[group], (int)n);
    for (size_t m = 0; m < sizeof metrics / sizeof *metrics; m++)
        html_cells(table, "%g", metric_regression(metrics[m], truth, prediction, n, scratch));
}

static void table_groups(struct buf *out, const struct sweep_predictions *p)
{
    float *truth = malloc((size_t)p->n * sizeof *truth);
    float *prediction = malloc((size_t)p->n * sizeof *prediction);
    void *scratch = malloc(metric_scratch_bytes(p->n, 0));
    struct html_table table;

    out->failed |= !truth || !prediction || !scratch;
    if (!out->failed) {
        html_table_begin(&table, out, "Table: metrics of groups, all predictions together",
                         "group|#predictions|#pearson|#r2|#rmse");
        put_group(&table, p, -1, truth, prediction, scratch);
        for (int32_t g = 0; g < p->n_groups; g++)
            put_group(&table, p, g, truth, prediction, scratch);
        html_table_end(&table);
    }
    free(truth);
    free(prediction);
    free(scratch);
}

static void table_classes(struct buf *out, const struct sweep_predictions *p)
{
    size_t k = (size_t)p->n_classes;
    int64_t *count = calloc(k * k + 1, sizeof *count);
    struct html_table table;

    if (!count) {
        out->failed = true;
        return;
    }
    for (int32_t i = 0; i < p->n; i++)
        if (!isnan(p->observed[i]) && !isnan(p->predicted[i]))
            count[(size_t)p->observed[i] * k + (size_t)p->predicted[i]]++;
    html_table_begin(&table, out, "Table: confusion matrix, columns are predicted classes",
                     "observed");
    for (size_t j = 0; j < k; j++)
        html_table_head(&table, p->classes[j], true);
    for (size_t i = 0; i < k; i++) {
        html_row(&table, 0);
        html_cells(&table, "%s", p->classes[i]);
        for (size_t j = 0; j < k; j++)
            html_cells(&table, "%lld", (long long)count[i * k + j]);
    }
    html_table_end(&table);
    free(count);
}

static void table_predicted(struct buf *out, const struct page *page)
{
    const struct sweep_data *d = page->data;
    const struct sweep_predictions *p = &d->predictions;

    put_origin(out, d);
    if (p->n_classes) {
        put_class_scores(out, p);
        explain_charts(out, d);
    } else {
        explain_correlation(out, d);
    }
    table_scores(out, d);
    if (p->n_classes)
        table_classes(out, p);
    else if (p->n_groups)
        table_groups(out, p);
}

static void json_predictions(struct buf *out, const struct sweep_data *d)
{
    const struct sweep_predictions *p = &d->predictions;
    int32_t n = p->n < PAGE_PREDICTIONS ? p->n : PAGE_PREDICTIONS;

    json_printf(out, "'predictions':");
    if (!p->config) {
        buf_puts(out, "null");
        return;
    }
    json_printf(out, "{'config':%lld,'rule':%s", (long long)p->config,
                d->rule == QUERY_RULE_1SE ? "1se" : "best");
    JSON_EACH(out, "'classes':", i, p->n_classes, "%s", p->classes[i]);
    JSON_EACH(out, "'group':", i, p->n_groups, "%s", p->groups[i]);
    /* The script gets predictions at equal distances, so that all trials take part. */
#define AT(row) ((size_t)((int64_t)(row)*p->n / n))
    JSON_EACH(out, "'id':", i, n, "%s", p->id[AT(i)]);
    JSON_EACH(out, "'g':", i, n, "%d", (int)p->group[AT(i)]);
    JSON_EACH(out, "'fold':", i, n, "%d", (int)p->fold[AT(i)]);
    JSON_EACH(out, "'replicate':", i, n, "%d", (int)p->replicate[AT(i)]);
    JSON_EACH(out, "'observed':", i, n, "%g", p->observed[AT(i)]);
    JSON_EACH(out, "'predicted':", i, n, "%g", p->predicted[AT(i)]);
    json_printf(out, "'p':");
    buf_puts(out, p->score ? "[" : "null");
    for (int32_t i = 0; p->score && i < n; i++)
        JSON_EACH(out, "", k, p->n_classes, "%g",
                  p->score[AT(i) * (size_t)p->n_classes + (size_t)k]);
#undef AT
    buf_puts(out, p->score ? "]" : "");
    json_printf(out, "'probabilities':%i,'parts':%d,'part':%s,'same_samples':%i", p->is_probability,
                (int)p->n_parts, sweep_part_word(d), p->is_one_part);
    json_printf(out, "'scores':[");
    for (const struct sweep_score *one = p->scores; one < p->scores + p->n_scores; one++) {
        json_printf(out, "{'metric':%s,'class':", one->metric);
        if (one->class < 0)
            buf_puts(out, "null");
        else
            json_printf(out, "%s", p->classes[one->class]);
        json_printf(out, "'together':%g,'mean':%g,'sd':%g,'folds':%d}", one->together, one->mean,
                    one->sd, (int)one->folds);
    }
    buf_putc(out, ']');
    json_printf(out, "'left_out':%d}", (int)(p->n - n));
}

/* ---- the test part ---- */

/* The number of test samples; -1: unknown, or not the same in all trials. A part without samples has
 * no facts. */
static int64_t test_samples(const struct sweep_data *d)
{
    double least = panel_fact(d, "part", "test_min"), most = panel_fact(d, "part", "test_max");

    if (isnan(most))
        return panel_fact(d, "part", "train_max") > 0 ? 0 : -1;
    return least == most && most >= 0 ? (int64_t)most : -1;
}

static const char *why_no_test(struct buf *scratch, const struct page *page)
{
    const struct sweep_data *d = page->data;
    int64_t n = test_samples(d);

    if (d->n_tests)
        return NULL;
    if (d->task == TASK_NONE && d->rule >= 0)
        return "The program reported no test scores, which are numbers named test_NAME.";
    if (!n && d->task != TASK_NONE)
        return "The sweep has no test part: it was run with test = 0 in [split]. All samples "
               "took part in the choice, so none of them can show how good the choice is. To have "
               "a test part, give the sweep another name, set test = 0.2 in [split], and run it: "
               "all trials are trained anew.";
    if (d->rule < 0)
        return "Test scores are shown only for a choice by --rule best or --rule 1se: once they "
               "influence a choice, they are too good.";
    if (n < 0)
        return "No test metrics: there is no test part (split.test = 0), or they are undefined on "
               "it.";
    buf_printf(scratch,
               "No metric is defined on the test part, which has %lld sample%s: too few, or all "
               "alike.",
               (long long)n, plural(n));
    return buf_text(scratch);
}

/* n: samples of the test part; -1: unknown. */
static void explain_deviations(struct buf *out, const struct sweep_data *d, int64_t n)
{
    if (d->predictions.n_parts > 1 && d->predictions.is_one_part) {
        buf_puts(out, "<p>The standard deviations (sd) are over models that all predict the same "
                      "samples. They do not say how much the score would differ on other "
                      "samples.</p>\n");
        return;
    }
    buf_puts(out, "<p>The two standard deviations (sd) measure different things. Validation: each "
                  "trial has its own model and its own samples. Test: each trial has its own "
                  "model, but all predict the same ");
    if (n > 0)
        buf_printf(out, "%lld ", (long long)n);
    buf_puts(out, "samples; so this one is often smaller, and does not say how much the score "
                  "would differ on other samples.</p>\n");
}

static void table_test(struct buf *out, const struct page *page)
{
    const struct sweep_data *d = page->data;
    const struct sweep_config *chosen = &d->configs[sweep_data_find(d, d->chosen)];
    bool is_known = d->task != TASK_NONE;
    struct html_table table;

    if (chosen->n > 1 && is_known)
        explain_deviations(out, d, test_samples(d));
    html_table_begin(&table, out,
                     is_known ? "Table: scores on the validation parts and the test part"
                              : "Table: the objective, and test scores",
                     "part|metric|#trials|#mean|#sd");
    html_row(&table, 0);
    html_cells(&table, "%s%s%d%g%g", is_known ? "validation" : "objective",
               is_known ? d->metric : d->objective, (int)chosen->n, chosen->mean, chosen->sd);
    for (int32_t i = 0; i < d->n_tests; i++) {
        html_row(&table, 0);
        html_cells(&table, "%s%s%d%g%g", "test", d->tests[i].metric, (int)d->tests[i].n,
                   d->tests[i].mean, d->tests[i].sd);
    }
    html_table_end(&table);
}

static void json_tests(struct buf *out, const struct sweep_data *d)
{
    if (d->n_tests)
        JSON_EACH(out, "'test':", i, d->n_tests, "{'metric':%s,'n':%d,'mean':%g,'sd':%g}",
                  d->tests[i].metric, (int)d->tests[i].n, d->tests[i].mean, d->tests[i].sd);
    else
        json_printf(out, "'test':null");
}

const struct panel panel_predicted = {
    .id = "predicted",
    .heading = "Predicted against observed",
    .what = "Out-of-fold predictions of the chosen configuration: each sample was predicted by a "
            "model that was not trained on it, once in each replicate.",
    .why = why_no_prediction,
    .table = table_predicted,
    .json = json_predictions,
};

const struct panel panel_test = {
    .id = "test",
    .heading = "Test part",
    .what = "Scores of the chosen configuration on samples that neither trained a model nor "
            "influenced the choice.",
    .what_of_program = "Numbers test_NAME that the program reported for the chosen configuration.",
    .why = why_no_test,
    .table = table_test,
    .is_apart = true,
    .json = json_tests,
};
