/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/page/page.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/escape.h"
#include "base/words.h"
#include "report/page/html.h"
#include "report/page/json.h"
#include "report/page/page_assets.h"
#include "report/page/panel.h"
#include "report/sweep/statistics.h"

#define PANEL_ADDRESS(name) &panel_##name,
static const struct panel *const panels[] = {PANELS(PANEL_ADDRESS)};
enum { N_PANELS = sizeof panels / sizeof *panels };

/* ---- the content security policy ---- */

/* Three hexadecimal digits are two of base64. A digest of 32 bytes ends with one "=". */
static void put_source(struct buf *out, const struct page_asset *asset)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    if (!asset->n)
        return;
    buf_puts(out, " 'sha256-");
    for (int i = 0; i < 66; i += 3) {
        char three[4] = {asset->sha256[i], asset->sha256[i + 1], asset->sha256[i + 2]};
        unsigned long bits = strtoul(three, NULL, 16);

        buf_putc(out, digits[bits >> 6]);
        buf_putc(out, i < 63 ? digits[bits & 63] : '=');
    }
    buf_puts(out, "'");
}

static void put_asset(struct buf *out, const char *tag, const struct page_asset *asset)
{
    if (!asset->n)
        return;
    buf_printf(out, "<%s>", tag);
    buf_add(out, asset->bytes, asset->n);
    buf_printf(out, "</%s>\n", tag);
}

/* ---- the document ---- */

static const char *title_of(const struct page *page)
{
    return page->title && *page->title ? page->title : page->data->name;
}

static const char *heading_of(const struct panel *panel, const struct sweep_data *data)
{
    return data->task == TASK_NONE && panel->table_of_program ? panel->table_of_program
                                                              : panel->heading;
}

static bool is_absent(const struct panel *panel, const struct sweep_data *data)
{
    return panel->is_absent && panel->is_absent(data);
}

static const char *what_of(const struct panel *panel, const struct sweep_data *data)
{
    if (!data->search.is_grid && panel->what_of_points)
        return panel->what_of_points;
    return data->task == TASK_NONE && panel->what_of_program ? panel->what_of_program : panel->what;
}

static void put_header(struct buf *out, const struct page *page)
{
    const struct sweep_data *d = page->data;
    char made[CLOCK_TEXT];

    buf_puts(out, "<body><header>");
    html_element(out, "h1", "%s", title_of(page));
    buf_puts(out, "<p class=\"lead\">");
    html_printf(out, "Sweep %s: %d configuration%s", d->name, (int)d->n_configs,
                plural(d->n_configs));
    if (d->task != TASK_NONE)
        html_printf(out, " on %lld samples", (long long)d->samples);
    html_printf(out, ", %lld of %lld trials done. Written %s by espalier %s from %s.",
                (long long)d->done, (long long)d->planned, clock_utc(made, page->made),
                page->version, d->database);
    buf_puts(out, "</p>\n<nav aria-label=\"Panels\">");
    for (int p = 0; p < N_PANELS; p++)
        if (!is_absent(panels[p], d))
            buf_printf(out, "<a href=\"#panel-%s\">%s</a>\n", panels[p]->id,
                       heading_of(panels[p], d));
    buf_puts(out, "</nav></header>\n<main>\n");
}

static void put_chart(struct buf *out, const struct panel *panel, const struct page *page)
{
    const struct sweep_data *d = page->data;

    buf_puts(out, "<div class=\"controls\"></div>\n<figure><div class=\"chart\"></div>");
    if (panel->is_apart)
        html_element(out, "figcaption", "Sweep %s", d->name);
    else
        html_element(out, "figcaption", "Sweep %s, %s, %s is better", d->name, d->objective,
                     d->maximize ? "larger" : "smaller");
    buf_puts(out, "</figure>\n");
}

static void put_panel(struct buf *out, const struct panel *panel, const struct page *page)
{
    struct buf scratch = {0};
    const char *why = panel->why ? panel->why(&scratch, page) : NULL;

    buf_printf(out, "<section class=\"panel%s\" id=\"panel-%s\"><h2>%s</h2>\n", why ? " empty" : "",
               panel->id, heading_of(panel, page->data));
    if (why) {
        buf_puts(out, "<p class=\"why\">");
        escape_html(out, why);
        buf_puts(out, "</p>\n");
    } else if (panel->put) {
        panel->put(out, page);
    } else {
        buf_printf(out, "<p class=\"what\">%s</p>\n", what_of(panel, page->data));
        if (page->data->task != TASK_NONE || !panel->table_of_program)
            put_chart(out, panel, page);
        panel->table(out, page);
    }
    buf_puts(out, "</section>\n");
    out->failed |= buf_failed(&scratch);
    buf_release(&scratch);
}

/* ---- the data for the script ---- */

static void put_sweep(struct buf *out, const struct sweep_data *d)
{
    json_printf(out,
                "'sweep':{'name':%s,'objective':%s,'metric':%s,'maximize':%i,'task':%s,"
                "'samples':%lld,'features':%lld,'classes':%lld,'replicates':%d,'folds':%d",
                d->name, d->objective, d->metric, d->maximize, task_name(d->task),
                (long long)d->samples, (long long)d->features, (long long)d->classes,
                (int)d->replicates, (int)d->folds);
    json_printf(out,
                "'trials':{'planned':%lld,'done':%lld,'failed':%lld,'diverged':%lld,"
                "'running':%lld,'pending':%lld}}",
                (long long)d->planned, (long long)d->done, (long long)d->failed,
                (long long)d->diverged, (long long)d->running, (long long)d->pending);
}

static void put_axes(struct buf *out, const struct sweep_data *d)
{
    json_printf(out, "'axes':[");
    for (int32_t a = 0; a < d->n_axes; a++) {
        const struct sweep_axis *axis = &d->axes[a];

        json_printf(out, "{'name':%s", axis->name);
        if (axis->is_numeric)
            JSON_EACH(out, "'levels':", l, axis->n, "%g", axis->number[l]);
        else
            JSON_EACH(out, "'levels':", l, axis->n, "%s", axis->label[l]);
        json_printf(out, "'numeric':%i,'log':%i,'unit':%s}", axis->is_numeric, axis->is_log,
                    axis->unit);
    }
    buf_putc(out, ']');
    JSON_EACH(out, "'axis_order':", a, d->n_varied, "%d", (int)d->axis_order[a]);
}

static void put_configs(struct buf *out, const struct sweep_data *d, int32_t n)
{
    const struct sweep_config *of = d->configs;
    size_t n_axes = (size_t)d->n_axes;

    json_printf(out, "'config':{");
    JSON_EACH(out, "'id':", c, n, "%lld", (long long)of[c].id);
    JSON_EACH(out, "'place':", c, n, "%g", isnan(of[c].mean) ? (double)NAN : of[c].place);
    JSON_EACH(out, "'n':", c, n, "%d", (int)of[c].n);
    JSON_EACH(out, "'mean':", c, n, "%g", of[c].mean);
    JSON_EACH(out, "'sd':", c, n, "%g", of[c].sd);
    JSON_EACH(out, "'se':", c, n, "%g", of[c].se);
    JSON_EACH(out, "'diff':", c, n, "%g", of[c].diff);
    JSON_EACH(out, "'low':", c, n, "%g", of[c].low);
    JSON_EACH(out, "'high':", c, n, "%g", of[c].high);
    JSON_EACH(out, "'within':", c, n, "%g", of[c].within < 0 ? (double)NAN : of[c].within);
    JSON_EACH(out, "'complete':", c, n, "%d", of[c].is_complete);
    JSON_EACH(out, "'seconds':", c, n, "%g", of[c].seconds);
    JSON_EACH(out, "'flops':", c, n, "%g", of[c].flops);
    JSON_EACH(out, "'epochs':", c, n, "%g", of[c].epochs);
    JSON_EACH(out, "'type':", c, n, "%d", (int)of[c].type);
    json_printf(out, "'level':[");
    for (size_t a = 0; a < n_axes; a++)
        JSON_EACH(out, "", c, n, "%d", (int)d->level[(size_t)c * n_axes + a]);
    buf_puts(out, "]}");
    json_printf(out, "'configs_left_out':%d", (int)(d->n_configs - n));
    JSON_EACH(out, "'types':", t, d->n_types, "%s", d->types[t]);
}

static void put_statistics(struct buf *out, const struct sweep_data *d)
{
    const struct sweep_effects *effects = &d->effects;

    json_printf(out, "'effects':{'complete':%i,'why':%s,'total':%g,'terms':[", effects->is_complete,
                effects->why, effects->total);
    for (int32_t e = 0; e < effects->n; e++) {
        const struct sweep_effect *effect = &effects->of[e];

        json_printf(out, "{'axes':[%d", (int)effect->axis);
        if (effect->with >= 0)
            json_printf(out, "%d", (int)effect->with);
        buf_putc(out, ']');
        json_printf(out, "'share':%g,'df':%d}", effect->share, (int)effect->df);
    }
    buf_putc(out, ']');
    json_printf(out, "'residual':%g}", effects->residual);
    json_printf(out, "'marginal':[");
    for (int32_t a = 0; a < d->n_axes; a++) {
        const struct sweep_marginal *m = d->marginal[a];

        JSON_EACH(out, "", l, d->axes[a].n, "{'n':%d,'mean':%g,'low':%g,'high':%g,'best':%g}",
                  (int)m[l].n, m[l].mean, m[l].low, m[l].high, m[l].best);
    }
    buf_putc(out, ']');
    json_printf(out, "'pareto':{");
    JSON_EACH_IF(out, "'seconds':", i, d->n_pareto_seconds, d->pareto_seconds[i] < PAGE_CONFIGS,
                 "%lld", (long long)d->configs[d->pareto_seconds[i]].id);
    JSON_EACH_IF(out, "'flops':", i, d->n_pareto_flops, d->pareto_flops[i] < PAGE_CONFIGS, "%lld",
                 (long long)d->configs[d->pareto_flops[i]].id);
    buf_putc(out, '}');
}

static void put_data(struct buf *out, const struct page *page)
{
    const struct sweep_data *d = page->data;
    int32_t n = d->n_configs < PAGE_CONFIGS ? d->n_configs : PAGE_CONFIGS;
    char made[CLOCK_TEXT], program[64];
    const char *const rule = d->rule == QUERY_RULE_1SE ? "1se" : "best";
    /* NaN: the script does not get it */
    double best = json_has_config(d, d->best) ? (double)d->best : NAN;
    double one_se = json_has_config(d, d->one_se) ? (double)d->one_se : NAN;
    double chosen = json_has_config(d, d->chosen) ? (double)d->chosen : NAN;

    snprintf(program, sizeof program, "espalier %s", page->version);
    buf_puts(out, "<script type=\"application/json\" id=\"espalier-data\">");
    buf_putc(out, '{');
    json_printf(out, "'format':1,'program':%s,'made':%s,'database':%s", program,
                clock_utc(made, page->made), d->database);
    put_sweep(out, d);
    json_printf(out, "'choice':{'best':%g,'1se':%g,'rule':%s,'chosen':%g}", best, one_se,
                d->rule < 0 ? NULL : rule, chosen);
    put_axes(out, d);
    put_configs(out, d, n);
    JSON_EACH(out, "'slots':", s, d->n_slots, "{'replicate':%d,'fold':%d,'group':%s}",
              (int)d->slots[s].replicate, (int)d->slots[s].fold, d->slots[s].group);
    json_printf(out, "'value':[");
    for (size_t s = 0; s < (size_t)d->n_slots; s++)
        JSON_EACH(out, "", c, n, "%g", d->value[s * (size_t)d->n_configs + (size_t)c]);
    buf_putc(out, ']');
    /* For n paired differences of a pair of configurations, n = 0, 1, ...: the factor of their
     * standard deviation in half the interval of their mean. */
    JSON_EACH(out, "'interval':", k, d->n_slots + 1, "%g", resampled_factor(k, d->share));
    put_statistics(out, d);
    for (int p = 0; p < N_PANELS; p++)
        if (panels[p]->json)
            panels[p]->json(out, d);
    JSON_EACH(out, "'warnings':", i, (int32_t)page->warnings->n, "%s", page->warnings->text[i]);
    buf_puts(out, "}</script>\n");
}

void page_put(struct buf *out, const struct page *page)
{
    buf_puts(out, "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n");
    buf_puts(out, "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                  "script-src");
    put_source(out, &page_d3);
    put_source(out, &page_js);
    buf_puts(out, "; style-src");
    put_source(out, &page_css);
    buf_puts(out, "; img-src data: blob:; base-uri 'none'; form-action 'none'\">\n"
                  "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                  "<meta name=\"referrer\" content=\"no-referrer\">\n<title>");
    html_printf(out, "%s - espalier", title_of(page));
    buf_puts(out, "</title>\n");
    put_asset(out, "style", &page_css);
    buf_puts(out, "</head>\n");
    put_header(out, page);
    for (int p = 0; p < N_PANELS; p++)
        if (!is_absent(panels[p], page->data))
            put_panel(out, panels[p], page);
    buf_puts(out, "</main>\n<footer><p>");
    html_printf(out, "espalier %s", page->version);
    buf_puts(out, "</p></footer>\n");
    put_data(out, page);
    if (page_d3.n) {
        buf_puts(out, "<!--\n");
        buf_add(out, page_d3_licence.bytes, page_d3_licence.n);
        buf_puts(out, "-->\n");
    }
    put_asset(out, "script", &page_d3);
    put_asset(out, "script", &page_js);
    buf_puts(out, "</body></html>\n");
}
