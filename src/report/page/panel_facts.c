/* SPDX-License-Identifier: BSD-3-Clause */
/* Panels about the run and the data: why they are empty, and their tables. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "report/page/html.h"
#include "report/page/json.h"
#include "report/page/page.h"
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

    html_table_begin(&table, out, "Table: sessions",
                     "#session|started|#seconds|outcome|#ranks|host|job|#busy %|#core hours");
    for (int64_t r = 0; r < s->n_rows; r++) {
        double begun = result_table_real(s, r, "started");
        double seconds = result_table_real(s, r, "finished") - begun;
        long long ranks = result_table_integer(s, r, "ranks");

        html_row(&table, 0);
        html_cells(&table, "%lld%s%g%s%lld%s%s%g%g",
                   (long long)result_table_integer(s, r, "session"), clock_utc(started, begun),
                   seconds, result_table_text(s, r, "outcome"), ranks,
                   result_table_text(s, r, "host"), result_table_text(s, r, "job"),
                   100 * result_table_real(s, r, "busy"), seconds * (double)ranks / 3600);
    }
    html_table_end(&table);
}

static void table_ranks(struct buf *out, const struct sweep_data *d)
{
    struct rank_sum {
        int64_t n, of[SWEEP_N_OUTCOMES];
        double busy_s;
    } *sums = calloc((size_t)d->n_ranks + 1, sizeof *sums);
    struct html_table table;

    out->failed |= !sums;
    for (int32_t i = 0; sums && i < d->n_attempts; i++) {
        const struct sweep_attempt *a = &d->attempts[i];

        sums[a->rank].n++;
        sums[a->rank].of[a->outcome]++;
        sums[a->rank].busy_s += isnan(a->end) ? 0 : fmax(a->end - a->start, 0);
    }
    html_table_begin(&table, out, "Table: ranks and what became of their attempts",
                     "#session|#rank|host|#attempts");
    for (int o = SWEEP_DIVERGED; o < SWEEP_N_OUTCOMES; o++)
        html_table_head(&table, sweep_outcome_names[o], true);
    html_table_head(&table, "busy seconds", true);
    for (int32_t r = 0; sums && r < d->n_ranks; r++) {
        const struct sweep_rank *rank = &d->ranks[r];

        html_row(&table, 0);
        html_cells(&table, "%lld%d%s%lld", (long long)rank->session, (int)rank->rank, rank->host,
                   (long long)sums[r].n);
        for (int o = SWEEP_DIVERGED; o < SWEEP_N_OUTCOMES; o++)
            html_cells(&table, "%lld", (long long)sums[r].of[o]);
        html_cells(&table, "%g", sums[r].busy_s);
    }
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
                         : "Table: trials without a score, the most frequent reasons",
                     "state|#trials|#example (trial)|reason");
    for (int64_t r = 0; r < f->n_rows && r < SWEEP_REASONS; r++) {
        html_row(&table, 0);
        html_cells(&table, "%s%lld%lld%s", result_table_text(f, r, "state"),
                   (long long)result_table_integer(f, r, "trials"),
                   (long long)result_table_integer(f, r, "example"),
                   result_table_text(f, r, "reason"));
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

/* An object for each of the first rows. columns: [n] pairs of a member and its column. */
static void json_rows(struct buf *out, const struct result_table *table, int64_t most,
                      const char *const (*columns)[2], size_t n)
{
    buf_putc(out, '[');
    for (int64_t r = 0; r < table->n_rows && r < most; r++) {
        json_printf(out, "{");
        for (size_t c = 0; c < n; c++) {
            const struct cell *cell = result_table_find(table, r, columns[c][1]);

            json_printf(out, "%s:", columns[c][0]);
            if (cell->type == CELL_INTEGER)
                json_printf(out, "%lld", (long long)cell->i);
            else if (cell->type == CELL_REAL && strcmp(columns[c][0], "busy") != 0)
                json_printf(out, "%.3f", cell->f); /* times keep milliseconds */
            else if (cell->type == CELL_REAL)
                json_printf(out, "%g", cell->f);
            else
                json_printf(out, "%s", cell->type == CELL_TEXT ? cell->s : NULL);
        }
        buf_putc(out, '}');
    }
    buf_putc(out, ']');
}

static const char *const of_sessions[][2] = {
    {"session", "session"}, {"started", "started"}, {"finished", "finished"},
    {"outcome", "outcome"}, {"ranks", "ranks"},     {"host", "host"},
    {"command", "command"}, {"version", "version"}, {"cpu", "cpu"},
    {"busy", "busy"},       {"job", "job"},
};
static const char *const of_failures[][2] = {
    {"state", "state"}, {"n", "trials"}, {"trial", "example"}, {"reason", "reason"}};

static void json_run(struct buf *out, const struct sweep_data *d)
{
    const struct sweep_attempt *a = d->attempts;
    int32_t n = d->n_attempts;
    int64_t n_hidden = 0;

    json_printf(out, "'run':{'sessions':");
    json_rows(out, &d->sessions, INT64_MAX, of_sessions, sizeof of_sessions / sizeof *of_sessions);
    JSON_EACH(out, "'ranks':", i, d->n_ranks, "{'session':%lld,'rank':%d,'host':%s}",
              (long long)d->ranks[i].session, (int)d->ranks[i].rank, d->ranks[i].host);
    for (int32_t i = 0; i < n; i++)
        n_hidden += !json_has_config(d, a[i].config);
    json_printf(out, "'attempts':{");
#define ATTEMPTS(head, ...) \
    JSON_EACH_IF(out, head, i, n, !n_hidden || json_has_config(d, a[i].config), __VA_ARGS__)
    ATTEMPTS("'trial':", "%lld", (long long)a[i].trial);
    ATTEMPTS("'config':", "%lld", (long long)a[i].config);
    ATTEMPTS("'rank':", "%d", (int)a[i].rank);
    ATTEMPTS("'start':", "%.3f", a[i].start);
    ATTEMPTS("'end':", "%.3f", a[i].end);
    ATTEMPTS("'outcome':", "%d", (int)a[i].outcome);
#undef ATTEMPTS
    buf_putc(out, '}');
    json_printf(out, "'attempts_left_out':%lld", (long long)(d->n_attempts_left_out + n_hidden));
    JSON_EACH(out, "'outcomes':", o, SWEEP_N_OUTCOMES, "%s", sweep_outcome_names[o]);
    json_printf(out, "'t0':%.3f", d->t0);
    json_printf(out, "'failures':");
    json_rows(out, &d->failures, SWEEP_REASONS, of_failures,
              sizeof of_failures / sizeof *of_failures);
    buf_putc(out, '}');
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

/* Counts of a histogram, with a row for each bar. */
static bool is_bar(const struct sweep_fact *fact)
{
    return !strcmp(fact->topic, "degree") || !strcmp(fact->topic, "target_bin");
}

static void put_facts(struct buf *out, const struct sweep_data *d, bool of_bars)
{
    struct html_table table;

    html_table_begin(&table, out, of_bars ? "Table: histograms" : "Table: facts",
                     of_bars ? "about|bar|#value" : "about|fact|#value");
    for (int32_t i = 0; i < d->n_shown_facts; i++) {
        const struct sweep_fact *fact = &d->shown_facts[i];
        double number = fact->number;

        if (is_bar(fact) != of_bars)
            continue;
        html_row(&table, 0);
        html_cells(&table, "%s%s", sweep_fact_topic(fact->topic), fact->label);
        if (isnan(number) || *fact->text)
            html_cells(&table, "%s", fact->text);
        else if (number == floor(number) && fabs(number) < 1e15) /* counts keep all digits */
            html_cells(&table, "%lld", (long long)number);
        else
            html_cells(&table, "%g", number);
    }
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

/* The facts are sorted by topic. */
static void json_facts(struct buf *out, const struct sweep_data *d)
{
    json_printf(out, "'data':{'facts':[");
    for (int32_t i = 0; i < d->n_shown_facts; i++) {
        const struct sweep_fact *fact = &d->shown_facts[i];

        if (!i || strcmp(d->shown_facts[i - 1].topic, fact->topic) != 0) {
            buf_puts(out, i ? "]}" : "");
            json_printf(out, "{'topic':%s,'rows':[", fact->topic);
        }
        json_printf(out, "[%s", fact->label);
        if (!isnan(fact->number))
            json_printf(out, "%g", fact->number);
        if (*fact->text)
            json_printf(out, "%s", fact->text);
        buf_putc(out, ']');
    }
    buf_puts(out, d->n_shown_facts ? "]}]}" : "]}");
}

const struct panel panel_run = {
    .id = "run",
    .heading = "Run",
    .what = "A bar is one attempt of a trial on a rank. Gaps are idle time; marks show failed, "
            "lost and stopped attempts.",
    .why = why_no_attempt,
    .table = table_run,
    .is_apart = true,
    .json = json_run,
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
    .is_apart = true,
    .json = json_facts,
    .table_of_program = "Input files",
};
