/* SPDX-License-Identifier: BSD-3-Clause */
/* Panels about predictions, the test part, the run and the data: why they are empty, and their
 * tables. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "gcn/metric.h"
#include "report/page/html.h"
#include "report/page/panel.h"

/* ---- predictions ---- */

const char *panel_why_no_prediction(struct buf *scratch, const struct page *page)
{
    const struct sweep_data *d = page->data;

    if (d->predictions.n)
        return NULL;
    if (!d->chosen)
        return "No trial is finished yet.";
    buf_printf(
        scratch,
        "The database has no out-of-fold predictions of c%lld. 'espalier run' stores them "
        "with the models when a sweep is finished; with keep = none it stores neither. For a "
        "sweep of an earlier version, run its sweep file again: finished trials are not "
        "repeated.",
        (long long)d->chosen);
    return buf_text(scratch);
}

/* Scores of the samples of one group; -1: all. truth, prediction: [n] scratch. */
static void put_scores(struct html_table *table, const struct sweep_predictions *p, int32_t group,
                       float *truth, float *prediction, void *scratch)
{
    static const enum metric metrics[] = {METRIC_PEARSON, METRIC_R2, METRIC_RMSE};
    int32_t n = 0;

    for (int32_t i = 0; i < p->n; i++)
        if (group < 0 || p->group[i] == group) {
            truth[n] = (float)p->observed[i];
            prediction[n++] = (float)p->predicted[i];
        }
    html_table_row(table, 0);
    html_cell_text(table, group < 0 ? "all" : p->groups[group]);
    html_cell_integer(table, n);
    for (size_t m = 0; m < sizeof metrics / sizeof *metrics; m++)
        html_cell_real(table, metric_regression(metrics[m], truth, prediction, n, scratch));
}

static void table_regression(struct buf *out, const struct sweep_predictions *p)
{
    float *truth = malloc((size_t)p->n * sizeof *truth);
    float *prediction = malloc((size_t)p->n * sizeof *prediction);
    void *scratch = malloc(metric_scratch_bytes(p->n, 0));
    struct html_table table;

    out->failed |= !truth || !prediction || !scratch;
    if (!out->failed) {
        html_table_begin(&table, out, "Table: scores of the out-of-fold predictions together");
        html_table_head(&table, "group", false);
        html_table_head(&table, "predictions", true);
        html_table_head(&table, "pearson", true);
        html_table_head(&table, "r2", true);
        html_table_head(&table, "rmse", true);
        put_scores(&table, p, -1, truth, prediction, scratch);
        for (int32_t g = 0; g < p->n_groups; g++)
            put_scores(&table, p, g, truth, prediction, scratch);
        html_table_end(&table);
    }
    free(truth);
    free(prediction);
    free(scratch);
}

static void put_confusion(struct html_table *table, const struct sweep_predictions *p,
                          const int64_t *count)
{
    int32_t k = p->n_classes;

    html_table_head(table, "observed", false);
    for (int32_t j = 0; j < k; j++)
        html_table_head(table, p->classes[j], true);
    for (int32_t i = 0; i < k; i++) {
        html_table_row(table, 0);
        html_cell_text(table, p->classes[i]);
        for (int32_t j = 0; j < k; j++)
            html_cell_integer(table, count[(size_t)i * (size_t)k + (size_t)j]);
    }
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
    html_table_begin(&table, out, "Table: confusion matrix, columns are predicted classes");
    put_confusion(&table, p, count);
    html_table_end(&table);
    free(count);
}

void panel_table_predicted(struct buf *out, const struct page *page)
{
    const struct sweep_predictions *p = &page->data->predictions;

    html_element(out, "p", "%d predictions of c%lld.", (int)p->n, (long long)p->config);
    if (page->data->is_classification)
        table_classes(out, p);
    else
        table_regression(out, p);
}

/* ---- the test part ---- */

const char *panel_why_no_test(struct buf *scratch, const struct page *page)
{
    const struct sweep_data *d = page->data;

    (void)scratch;
    if (d->n_tests)
        return NULL;
    if (d->rule < 0)
        return "Test scores are shown only for a choice by --rule best or --rule 1se: once they "
               "influence a choice, they are too good.";
    return "No test metrics: there is no test part (split.test = 0), or they are undefined on it.";
}

void panel_table_test(struct buf *out, const struct page *page)
{
    const struct sweep_data *d = page->data;
    struct html_table table;

    html_table_begin(&table, out, "Table: scores on the test part");
    html_table_head(&table, "metric", false);
    html_table_head(&table, "trials", true);
    html_table_head(&table, "mean", true);
    html_table_head(&table, "sd", true);
    for (int32_t i = 0; i < d->n_tests; i++) {
        html_table_row(&table, 0);
        html_cell_text(&table, d->tests[i].metric);
        html_cell_integer(&table, d->tests[i].n);
        html_cell_real(&table, d->tests[i].mean);
        html_cell_real(&table, d->tests[i].sd);
    }
    html_table_end(&table);
}

/* ---- the run ---- */

const char *panel_why_no_attempt(struct buf *scratch, const struct page *page)
{
    (void)scratch;
    return page->data->n_attempts ? NULL : "No trial has begun.";
}

static void table_sessions(struct buf *out, const struct sweep_data *d)
{
    char started[CLOCK_TEXT];
    struct html_table table;

    html_table_begin(&table, out, "Table: sessions");
    html_table_head(&table, "session", true);
    html_table_head(&table, "started", false);
    html_table_head(&table, "seconds", true);
    html_table_head(&table, "outcome", false);
    html_table_head(&table, "ranks", true);
    html_table_head(&table, "host", false);
    html_table_head(&table, "job", false);
    html_table_head(&table, "busy %", true);
    html_table_head(&table, "core hours", true);
    for (int32_t i = 0; i < d->n_sessions; i++) {
        const struct sweep_past_session *s = &d->sessions[i];
        double seconds = s->finished - s->started;

        html_table_row(&table, 0);
        html_cell_integer(&table, s->session);
        html_cell_text(&table, clock_utc(started, s->started));
        html_cell_real(&table, seconds);
        html_cell_text(&table, s->outcome);
        html_cell_integer(&table, s->ranks);
        html_cell_text(&table, s->host);
        html_cell_text(&table, s->job);
        html_cell_real(&table, 100 * s->busy);
        html_cell_real(&table, seconds * s->ranks / 3600);
    }
    html_table_end(&table);
}

struct rank_sum {
    int64_t n[SWEEP_N_OUTCOMES];
    double busy_s;
};

static void put_rank(struct html_table *table, const struct sweep_rank *rank,
                     const struct rank_sum *sum)
{
    int64_t n = 0;

    for (int o = 0; o < SWEEP_N_OUTCOMES; o++)
        n += sum->n[o];
    html_table_row(table, 0);
    html_cell_integer(table, rank->session);
    html_cell_integer(table, rank->rank);
    html_cell_text(table, rank->host);
    html_cell_integer(table, n);
    for (int o = SWEEP_DIVERGED; o < SWEEP_N_OUTCOMES; o++)
        html_cell_integer(table, sum->n[o]);
    html_cell_real(table, sum->busy_s);
}

static void table_ranks(struct buf *out, const struct sweep_data *d)
{
    struct rank_sum *sums = calloc((size_t)d->n_ranks + 1, sizeof *sums);
    struct html_table table;

    out->failed |= !sums;
    for (int32_t i = 0; sums && i < d->n_attempts; i++) {
        const struct sweep_attempt *a = &d->attempts[i];

        sums[a->rank].n[a->outcome]++;
        sums[a->rank].busy_s += isnan(a->end) ? 0 : fmax(a->end - a->start, 0);
    }
    html_table_begin(&table, out, "Table: ranks and what became of their attempts");
    html_table_head(&table, "session", true);
    html_table_head(&table, "rank", true);
    html_table_head(&table, "host", false);
    html_table_head(&table, "attempts", true);
    for (int o = SWEEP_DIVERGED; o < SWEEP_N_OUTCOMES; o++)
        html_table_head(&table, sweep_outcome_names[o], true);
    html_table_head(&table, "busy seconds", true);
    for (int32_t r = 0; sums && r < d->n_ranks; r++)
        put_rank(&table, &d->ranks[r], &sums[r]);
    html_table_end(&table);
    free(sums);
}

static void table_failures(struct buf *out, const struct sweep_data *d)
{
    struct html_table table;

    if (!d->n_failures)
        return;
    html_table_begin(&table, out, "Table: trials without a score, by reason");
    html_table_head(&table, "state", false);
    html_table_head(&table, "trials", true);
    html_table_head(&table, "example (trial)", true);
    html_table_head(&table, "reason", false);
    for (int32_t i = 0; i < d->n_failures; i++) {
        html_table_row(&table, 0);
        html_cell_text(&table, d->failures[i].state);
        html_cell_integer(&table, d->failures[i].n);
        html_cell_integer(&table, d->failures[i].trial);
        html_cell_text(&table, d->failures[i].reason);
    }
    html_table_end(&table);
}

void panel_table_run(struct buf *out, const struct page *page)
{
    const struct sweep_data *d = page->data;

    if (d->n_attempts_left_out)
        html_element(out, "p",
                     "%lld of the shortest attempts that ended as done are left out here; the "
                     "sessions count all.",
                     (long long)d->n_attempts_left_out);
    html_element(out, "p",
                 "Busy: how much of the time from the first start of a trial to the last end the "
                 "ranks spent in trials, as in 'espalier status'. A session that was stopped "
                 "or lost a rank has no such share.");
    table_sessions(out, d);
    table_ranks(out, d);
    table_failures(out, d);
}

/* ---- the data ---- */

const char *panel_why_no_fact(struct buf *scratch, const struct page *page)
{
    const struct sweep_data *d = page->data;

    if (d->n_facts)
        return NULL;
    buf_printf(scratch,
               "%lld samples with %lld features. The database has no more facts about the data: "
               "espalier 0.2.0 and later store them when a run begins.",
               (long long)d->samples, (long long)d->features);
    return buf_text(scratch);
}

void panel_table_data(struct buf *out, const struct page *page)
{
    const struct sweep_data *d = page->data;
    struct html_table table;

    html_table_begin(&table, out, "Table: facts");
    html_table_head(&table, "about", false);
    html_table_head(&table, "fact", false);
    html_table_head(&table, "value", true);
    for (int32_t i = 0; i < d->n_facts; i++) {
        html_table_row(&table, 0);
        html_cell_text(&table, sweep_fact_topic(d->facts[i].topic));
        html_cell_text(&table, d->facts[i].label);
        if (isnan(d->facts[i].number) || *d->facts[i].text)
            html_cell_text(&table, d->facts[i].text);
        else
            html_cell_real(&table, d->facts[i].number);
    }
    html_table_end(&table);
}
