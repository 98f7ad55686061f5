/* SPDX-License-Identifier: BSD-3-Clause */
/* The search: what was known at what cost, what was stopped when, and how narrowly. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/words.h"
#include "report/page/html.h"
#include "report/page/json.h"
#include "report/page/page.h"
#include "report/page/panel.h"

static bool is_absent(const struct sweep_data *d)
{
    return !d->search.settings;
}

/* A step of the search: decisions first ... end - 1. */
struct search_step {
    int32_t first, end, rung, n_stopped;
    bool is_end; /* of those that are left, to which nothing was decided */
    double threshold[2],
        best_of; /* the lowest and the highest; that of the one to which others are compared, in
                                     the sense that larger is better */
    double cost_s;
};

/* False: there is none after `step`, which is zero before the first. */
static bool next_step(struct search_step *step, const struct sweep_data *d)
{
    const struct sweep_decision *o = d->search.decisions + step->end;
    const int32_t first = step->end;

    *step = (struct search_step){first, first, .threshold = {NAN, NAN}, .best_of = -INFINITY,
                                 .cost_s = NAN};
    for (; step->end < d->search.n && o->step == d->search.decisions[first].step;
         step->end++, o++) {
        step->rung = o->rung;
        step->n_stopped += o->action == SEARCH_STOP;
        step->is_end = o->action == SEARCH_ACTION_COUNT;
        step->threshold[0] = fmin(step->threshold[0], o->threshold);
        step->threshold[1] = fmax(step->threshold[1], o->threshold);
        step->best_of = fmax(step->best_of, d->maximize ? o->threshold : -o->threshold);
        step->cost_s = fmax(step->cost_s, o->cost_s);
    }
    return first < step->end;
}

void panel_put_rung(struct buf *out, const struct sweep_data *d, int32_t rung)
{
    const int64_t epochs = settings_rung_epochs(d->search.settings, rung);
    const char *each = d->folds > 1 && d->replicates <= 1 ? "folds" : "trials";

    if (!d->search.allocator->has_rungs) {
        buf_printf(out, "after %d of %d %s", (int)rung, (int)d->n_slots, each);
        return;
    }
    buf_printf(out, "at rung %d", (int)rung);
    for (int32_t a = 0; a < d->n_axes; a++)
        if (!strcmp(d->axes[a].name, param_table[P_EPOCHS].key))
            return;
    if (epochs < INT64_MAX)
        buf_printf(out, " (%lld epochs)", (long long)epochs);
}

enum { STEPS_LISTED = 6 };

void panel_put_stops(struct buf *out, const struct sweep_data *d)
{
    struct search_step step = {0};
    int32_t n = 0, i = 0, n_others = 0;

    while (next_step(&step, d))
        n += step.n_stopped > 0;
    step = (struct search_step){0};
    while (next_step(&step, d)) {
        if (!step.n_stopped)
            continue;
        if (i >= STEPS_LISTED) {
            n_others += step.n_stopped;
            continue;
        }
        buf_printf(out, "%s%d of %d%s ", words_between(i, n), (int)step.n_stopped,
                   (int)(step.end - step.first), i ? "" : " configurations were stopped");
        panel_put_rung(out, d, step.rung);
        i++;
    }
    if (n_others)
        buf_printf(out, " and %d later", (int)n_others);
}

/* ---- without a script ---- */

/* The decision by which a configuration was stopped most narrowly. se: its distance to the one to which it was
 * compared, in standard errors of the difference; NaN: no slack, so they are unknown. */
static const struct sweep_decision *find_closest(double *se, const struct sweep_data *d)
{
    const struct sweep_searched *search = &d->search;
    const struct sweep_decision *closest = NULL;
    struct search_step step = {0};
    double least = INFINITY;

    while (next_step(&step, d))
        for (int32_t i = step.first; i < step.end; i++) {
            const struct sweep_decision *o = &search->decisions[i];
            const double sign = d->maximize ? 1 : -1, gap = step.best_of - sign * o->value;
            const double room = step.best_of - sign * o->threshold;

            const double allowed =
                search->allocator->allowed(search->settings, d->n_slots, o->rung);
            const double beyond = room > 0 ? allowed * (gap / room - 1) : gap;

            if (o->action != SEARCH_STOP || !(beyond < least))
                continue;
            least = beyond;
            *se = room > 0 ? allowed + beyond : (double)NAN;
            closest = o;
        }
    return closest;
}

static void put_closest(struct buf *out, const struct sweep_data *d)
{
    const struct sweep_searched *search = &d->search;
    double se;
    const struct sweep_decision *o = find_closest(&se, d);

    if (!o)
        return;
    html_printf(out,
                "The narrowest decision was at step %d: c%lld had %s %.4g, and %.4g was needed",
                (int)o->step, (long long)o->config,
                search->allocator->has_rungs ? "a mean of" : "a difference to the best of",
                o->value, o->threshold);
    if (!isnan(se))
        html_printf(out,
                    "; it was %.2g standard errors of the paired difference behind %s, and %.2g "
                    "were allowed",
                    se, search->allocator->against,
                    search->allocator->allowed(search->settings, d->n_slots, o->rung));
    buf_puts(out, ". ");
}

static void put_what(struct buf *out, const struct sweep_data *d, const struct search_step *step)
{
    buf_clear(out);
    if (step->rung)
        panel_put_rung(out, d, step->rung);
    else
        buf_puts(out, step->is_end ? "run to the end" : "propose");
}

static void table_steps(struct buf *out, const struct sweep_data *d)
{
    struct search_step step = {0};
    struct html_table table;
    struct buf what = {0};

    html_table_begin(
        &table, out, "Table: steps of the search",
        "#step|what|#configurations|#kept|#stopped|#threshold from|#to|#core-seconds until then");
    while (next_step(&step, d)) {
        const int32_t n = step.end - step.first;

        put_what(&what, d, &step);
        html_row(&table, 0);
        html_cells(&table, "%d%s%d%d%d%g%g%g", (int)d->search.decisions[step.first].step,
                   buf_text(&what), (int)n, (int)(n - step.n_stopped), (int)step.n_stopped,
                   step.threshold[0], step.threshold[1], step.cost_s);
    }
    html_table_end(&table);
    out->failed |= buf_failed(&what);
    buf_release(&what);
}

static void table_stopped(struct buf *out, const struct sweep_data *d)
{
    struct html_table table;
    struct buf rung = {0};

    html_table_begin(&table, out, "Table: configurations that were stopped",
                     "config|#step|stopped");
    html_table_heads(&table, d->search.allocator->has_rungs ? "#mean score|#needed"
                                                            : "#difference to the best|#needed");
    for (int32_t i = 0; i < d->search.n; i++) {
        const struct sweep_decision *o = &d->search.decisions[i];

        if (o->action != SEARCH_STOP)
            continue;
        buf_clear(&rung);
        panel_put_rung(&rung, d, o->rung);
        html_row(&table, o->config);
        html_cells(&table, "%d%s%g%g", (int)o->step, buf_text(&rung), o->value, o->threshold);
    }
    html_table_end(&table);
    out->failed |= buf_failed(&rung);
    buf_release(&rung);
}

static void table_search(struct buf *out, const struct page *page)
{
    const struct sweep_data *d = page->data;

    if (d->search.n_stopped) {
        struct buf stops = {0};

        panel_put_stops(&stops, d);
        html_element(
            out, "p", "%s.%s", buf_text(&stops),
            d->search.allocator->has_rungs
                ? ""
                : " Scores after part of the trials are adjusted for how hard these are, by the "
                  "configurations that ran all.");
        buf_puts(out, "<p>");
        put_closest(out, d);
        html_printf(out, "%s", d->search.allocator->doubt);
        buf_puts(out, "</p>\n");
        out->failed |= buf_failed(&stops);
        buf_release(&stops);
    }
    table_steps(out, d);
    if (d->search.n_stopped)
        table_stopped(out, d);
}

/* ---- for the script ---- */

static void json_search(struct buf *out, const struct sweep_data *d)
{
    const struct sweep_decision *o = d->search.decisions;
    const int32_t n = d->search.n;
    struct search_step step = {0};
    struct buf what = {0};

    json_printf(out, "'grid':%i", d->search.is_grid);
    if (is_absent(d)) {
        json_printf(out, "'search':%g", (double)NAN);
        return;
    }
    json_printf(out, "'search':{'by_rung':%i,'steps':[", d->search.allocator->has_rungs);
    while (next_step(&step, d)) {
        put_what(&what, d, &step);
        json_printf(out, "{'number':%d,'end':%i,'rung':%d,'what':%s,'n':%d,'stopped':%d,'cost':%g}",
                    (int)o[step.first].step, step.is_end, (int)step.rung, buf_text(&what),
                    (int)(step.end - step.first), (int)step.n_stopped, step.cost_s);
    }
    buf_putc(out, ']');
#define DECISIONS(head, ...)      \
    JSON_EACH_IF(out, head, i, n, \
                 o[i].action != SEARCH_PROPOSE && json_has_config(d, o[i].config), __VA_ARGS__)
    DECISIONS("'config':", "%lld", (long long)o[i].config);
    DECISIONS("'step':", "%d", (int)o[i].step);
    DECISIONS("'value':", "%g", o[i].value);
    DECISIONS("'cost':", "%g", o[i].cost_s);
#undef DECISIONS
    buf_putc(out, '}');
    out->failed |= buf_failed(&what);
    buf_release(&what);
}

const struct panel panel_search = {
    .id = "search",
    .heading = "Search",
    .what = "Each dot is a configuration when it came to a rung, or to the end: its score then, "
            "against what the "
            "whole sweep had cost until then. The line is the best of the latest scores of "
            "configurations that were "
            "not stopped. Vertical lines are the ends of steps.",
    .is_absent = is_absent,
    .table = table_search,
    .json = json_search,
};
