/* SPDX-License-Identifier: BSD-3-Clause */
/* Panels about the run and the data: why they are empty, and their tables. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "report/page/html.h"
#include "report/page/page_json_value.h"
#include "report/page/panel.h"

/* ---- the run ---- */

static const char *why_no_attempt(struct buf *scratch, const struct page *page)
{
    (void)scratch;
    return page->data->n_attempts ? NULL : "No trial has begun.";
}

static void table_sessions(struct buf *out, const struct result_table *s)
{
    char started[CLOCK_TEXT];
    struct html_table table;

    html_table_begin(&table, out, "Table: sessions");
    html_table_heads(&table,
                     "#session|started|#seconds|outcome|#ranks|host|job|#busy %|#core hours");
    for (int64_t r = 0; r < s->n_rows; r++) {
        double begun = result_table_real(s, r, "started");
        double seconds = result_table_real(s, r, "finished") - begun;
        int64_t ranks = result_table_integer(s, r, "ranks");

        html_table_row(&table, 0);
        html_cell_integer(&table, result_table_integer(s, r, "session"));
        html_cell_text(&table, clock_utc(started, begun));
        html_cell_real(&table, seconds);
        html_cell_text(&table, result_table_text(s, r, "outcome"));
        html_cell_integer(&table, ranks);
        html_cell_text(&table, result_table_text(s, r, "host"));
        html_cell_text(&table, result_table_text(s, r, "job"));
        html_cell_real(&table, 100 * result_table_real(s, r, "busy"));
        html_cell_real(&table, seconds * (double)ranks / 3600);
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
    html_table_heads(&table, "#session|#rank|host|#attempts");
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
    const struct result_table *f = &d->failures;
    struct html_table table;

    if (!f->n_rows)
        return;
    html_table_begin(&table, out,
                     f->n_rows < SWEEP_REASONS
                         ? "Table: trials without a score, by reason"
                         : "Table: trials without a score, the most frequent reasons");
    html_table_heads(&table, "state|#trials|#example (trial)|reason");
    for (int64_t r = 0; r < f->n_rows && r < SWEEP_REASONS; r++) {
        html_table_row(&table, 0);
        html_cell_text(&table, result_table_text(f, r, "state"));
        html_cell_integer(&table, result_table_integer(f, r, "trials"));
        html_cell_integer(&table, result_table_integer(f, r, "example"));
        html_cell_text(&table, result_table_text(f, r, "reason"));
    }
    html_table_end(&table);
}

static void table_run(struct buf *out, const struct page *page)
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
    table_sessions(out, &d->sessions);
    table_ranks(out, d);
    table_failures(out, d);
}

/* ---- the data ---- */

static const char *why_no_fact(struct buf *scratch, const struct page *page)
{
    const struct sweep_data *d = page->data;

    if (d->n_shown_facts)
        return NULL;
    buf_printf(scratch,
               "%lld samples with %lld features. The database has no more facts about the data: "
               "espalier 0.2.0 and later store them when a run begins.",
               (long long)d->samples, (long long)d->features);
    return buf_text(scratch);
}

/* Counts keep all their digits. */
static bool is_count(double number)
{
    return number == floor(number) && fabs(number) < 1e15;
}

/* Counts of a histogram, with a row for each bar. */
static bool is_bar(const struct sweep_fact *fact)
{
    return !strcmp(fact->topic, "degree") || !strcmp(fact->topic, "target_bin");
}

static void put_fact(struct html_table *table, const struct sweep_fact *fact)
{
    html_table_row(table, 0);
    html_cell_text(table, sweep_fact_topic(fact->topic));
    html_cell_text(table, fact->label);
    if (isnan(fact->number) || *fact->text)
        html_cell_text(table, fact->text);
    else if (is_count(fact->number))
        html_cell_integer(table, (int64_t)fact->number);
    else
        html_cell_real(table, fact->number);
}

static void put_facts(struct buf *out, const struct sweep_data *d, bool of_bars)
{
    struct html_table table;

    html_table_begin(&table, out, of_bars ? "Table: histograms" : "Table: facts");
    html_table_head(&table, "about", false);
    html_table_head(&table, of_bars ? "bar" : "fact", false);
    html_table_head(&table, "value", true);
    for (int32_t i = 0; i < d->n_shown_facts; i++)
        if (is_bar(&d->shown_facts[i]) == of_bars)
            put_fact(&table, &d->shown_facts[i]);
    html_table_end(&table);
}

static void table_data(struct buf *out, const struct page *page)
{
    const struct sweep_data *d = page->data;
    int32_t n = 0;

    for (int32_t i = 0; i < d->n_shown_facts; i++)
        n += is_bar(&d->shown_facts[i]);
    put_facts(out, d, false);
    if (!n)
        return;
    html_long_begin(out);
    put_facts(out, d, true);
    html_long_end(out);
}

const struct panel panel_run = {
    .id = "run",
    .heading = "Run",
    .what = "A bar is one attempt of a trial on a rank. Gaps are idle time; marks show failed, "
            "lost and stopped attempts.",
    .why = why_no_attempt,
    .table = table_run,
    .json = page_json_run,
};

const struct panel panel_data = {
    .id = "data",
    .heading = "Data and graph",
    .what = "Facts about the data and the parts of the sweep.",
    .what_of_program =
        "The program reads its own data, so espalier knows nothing of them. The table lists the "
        "files of [program] inputs, whose content is part of every key.",
    .why = why_no_fact,
    .table = table_data,
    .json = page_json_facts,
    .table_of_program = "Input files",
};
