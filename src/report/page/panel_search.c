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

static const char *why_no_point(struct buf *scratch, const struct page *page)
{
    (void)scratch;
    return page->data->search.n_points ? NULL : "No step of the search is over yet.";
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

/* Longer lists are given by their ends. */
enum { STEPS_LISTED = 6 };

void panel_put_stops(struct buf *out, const struct sweep_data *d)
{
    const struct sweep_searched *search = &d->search;
    int32_t n = 0, i = 0;

    for (int32_t s = 0; s < search->n_steps; s++)
        n += search->steps[s].n_stopped > 0;
    if (n > STEPS_LISTED)
        buf_printf(out, "%d of %d configurations were stopped", (int)search->n_stopped, (int)d->n_configs);
    for (int32_t s = 0; s < search->n_steps; s++) {
        const struct sweep_step *step = &search->steps[s];

        if (!step->n_stopped)
            continue;
        if (n > STEPS_LISTED && i && i < n - 1) {
            i++;
            continue;
        }
        if (n > STEPS_LISTED)
            buf_puts(out, i ? " to " : ", ");
        else
            buf_printf(out, "%s%d of %d%s", words_between(i, n), (int)step->n_stopped, (int)step->n_in,
                       i             ? ""
                       : step->n_in > 1 ? " configurations were stopped"
                                        : " configuration was stopped");
        i++;
        buf_putc(out, ' ');
        panel_put_rung(out, d, step->rung);
    }
}

/* ---- without a script ---- */

static void put_closest(struct buf *out, const struct sweep_data *d)
{
    const struct sweep_searched *search = &d->search;
    const struct sweep_decision *o = &search->closest;
    struct buf rung = {0};

    if (!o->config)
        return;
    panel_put_rung(&rung, d, o->rung);
    html_printf(out, "The narrowest decision was at step %d, %s: c%lld had %s %.4g, and %.4g was needed", (int)o->step,
                buf_text(&rung), (long long)o->config,
                search->allocator->has_rungs ? "a mean of" : "a difference to the best of", o->value, o->threshold);
    if (!isnan(search->closest_se)) {
        const double q = search->allocator->allowed(search->settings, d->n_slots, o->rung);

        html_printf(out, "; it was %.2g standard errors of the paired difference behind %s, and %.2g were allowed",
                    search->closest_se + q, search->allocator->against, q);
    }
    buf_puts(out, ". ");
    out->failed |= buf_failed(&rung);
    buf_release(&rung);
}

static const char *range_text(char out[64], const double range[2])
{
    if (isnan(range[0]))
        return "";
    if (range[0] == range[1])
        snprintf(out, 64, "%.4g", range[0]);
    else
        snprintf(out, 64, "%.4g to %.4g", range[0], range[1]);
    return out;
}

static void table_steps(struct buf *out, const struct sweep_data *d)
{
    struct html_table table;
    struct buf rung = {0};
    char threshold[64], number[16];

    html_table_begin(&table, out, "Table: steps of the search",
                     "step|what|#configurations|#kept|#stopped|threshold|#core-seconds until then|#best score then");
    for (int32_t s = 0; s < d->search.n_steps; s++) {
        const struct sweep_step *step = &d->search.steps[s];

        buf_clear(&rung);
        if (step->rung)
            panel_put_rung(&rung, d, step->rung);
        else
            buf_puts(&rung, step->number ? "propose" : "run to the end");
        snprintf(number, sizeof number, "%d", (int)step->number);
        html_row(&table, 0);
        html_cells(&table, "%s%s%d%d%d%s%g%g", step->number ? number : "end", buf_text(&rung), (int)step->n_in,
                   (int)step->n_kept, (int)step->n_stopped, range_text(threshold, step->threshold), step->cost_s,
                   step->best);
    }
    html_table_end(&table);
    out->failed |= buf_failed(&rung);
    buf_release(&rung);
}

static void table_stopped(struct buf *out, const struct sweep_data *d)
{
    struct html_table table;
    struct buf rung = {0};

    html_table_begin(&table, out, "Table: configurations that were stopped", "config|#step|stopped");
    html_table_heads(&table, d->search.allocator->has_rungs ? "#mean score|#needed"
                                                            : "#difference to the best|#needed");
    for (int32_t i = 0; i < d->n_decisions; i++) {
        const struct sweep_decision *o = &d->decisions[i];

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
        html_element(out, "p", "%s.%s", buf_text(&stops),
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
    const struct sweep_searched *search = &d->search;
    const struct sweep_point *p = search->points;
    const struct sweep_step *s = search->steps;
    struct buf rung = {0};

    if (!search->settings) {
        json_printf(out, "'search':%g", (double)NAN);
        return;
    }
    json_printf(out, "'search':{'grid':%i,'stopped':%d,'rungs':[%s", search->is_grid, (int)search->n_stopped, "run to the end");
    for (int32_t r = 1; r < search->n_rungs; r++) {
        buf_clear(&rung);
        panel_put_rung(&rung, d, r);
        json_printf(out, "%s", buf_text(&rung));
    }
    buf_putc(out, ']');
    JSON_EACH(out, "'steps':", i, search->n_steps,
              "{'number':%d,'rung':%d,'in':%d,'kept':%d,'stopped':%d,'cost':%g,'best':%g}", (int)s[i].number,
              (int)s[i].rung, (int)s[i].n_in, (int)s[i].n_kept, (int)s[i].n_stopped, s[i].cost_s, s[i].best);
    json_printf(out, "'points':{");
#define POINTS(head, ...) \
    JSON_EACH_IF(out, head, i, search->n_points, p[i].config < PAGE_CONFIGS, __VA_ARGS__)
    POINTS("'config':", "%d", (int)p[i].config);
    POINTS("'step':", "%d", (int)p[i].step);
    POINTS("'rung':", "%d", (int)p[i].rung);
    POINTS("'score':", "%g", p[i].score);
    POINTS("'cost':", "%g", p[i].cost_s);
    POINTS("'best':", "%g", p[i].best);
#undef POINTS
    buf_puts(out, "}}");
    out->failed |= buf_failed(&rung);
    buf_release(&rung);
}

const struct panel panel_search = {
    .id = "search",
    .heading = "Search",
    .what = "Each dot is a configuration when it came to a rung, or to the end: its score then, against what the "
            "whole sweep had cost until then. The line is the best of the latest scores of configurations that were "
            "not stopped. Vertical lines are the ends of steps.",
    .is_absent = is_absent,
    .why = why_no_point,
    .table = table_search,
    .json = json_search,
};
