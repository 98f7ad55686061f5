/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/page/page.h"

#include <stdint.h>
#include <string.h>

#include "base/clock.h"
#include "base/escape.h"
#include "base/words.h"
#include "report/page/html.h"
#include "report/page/page_assets.h"
#include "report/page/page_json.h"
#include "report/page/panel.h"

static void put_verdict(struct buf *out, const struct page *page)
{
    panel_put_verdict(out, page);
    if (page->data->n_scored)
        panel_put_methods(out, page);
}

const struct panel panel_verdict = {
    .id = "verdict",
    .heading = "Verdict",
    .put = put_verdict,
};

#define PANEL_ADDRESS(name) &panel_##name,
static const struct panel *const panels[] = {PANELS(PANEL_ADDRESS)};
enum { N_PANELS = sizeof panels / sizeof *panels };

/* ---- the content security policy ---- */

static int digit_of(char c)
{
    return c <= '9' ? c - '0' : c - 'a' + 10;
}

/* Six hexadecimal digits are four of base64. A digest of 32 bytes ends with one "=". */
static void put_base64(struct buf *out, const char *hex)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t n = strlen(hex);

    for (size_t i = 0; i < n; i += 6) {
        uint32_t three = 0;

        for (size_t k = i; k < i + 6; k++)
            three = three << 4 | (uint32_t)(k < n ? digit_of(hex[k]) : 0);
        for (int k = 0; k < 4; k++)
            buf_putc(out, k == 3 && i + 6 > n ? '=' : digits[three >> (18 - 6 * k) & 63]);
    }
}

static void put_source(struct buf *out, const struct page_asset *asset)
{
    if (!asset->n)
        return;
    buf_puts(out, " 'sha256-");
    put_base64(out, asset->sha256);
    buf_puts(out, "'");
}

static void put_policy(struct buf *out)
{
    buf_puts(out, "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                  "script-src");
    put_source(out, &page_d3);
    put_source(out, &page_js);
    buf_puts(out, "; style-src");
    put_source(out, &page_css);
    buf_puts(out, "; img-src data: blob:; base-uri 'none'; form-action 'none'\">\n");
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

static void put_head(struct buf *out, const struct page *page)
{
    buf_puts(out, "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n");
    put_policy(out);
    buf_puts(out, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                  "<meta name=\"referrer\" content=\"no-referrer\">\n<title>");
    html_printf(out, "%s - espalier", title_of(page));
    buf_puts(out, "</title>\n");
    put_asset(out, "style", &page_css);
    buf_puts(out, "</head>\n");
}

static const char *heading_of(const struct panel *panel, const struct sweep_data *data)
{
    return data->task == TASK_NONE && panel->table_of_program ? panel->table_of_program
                                                              : panel->heading;
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
        buf_printf(out, "<a href=\"#panel-%s\">%s</a>\n", panels[p]->id, heading_of(panels[p], d));
    buf_puts(out, "</nav></header>\n<main>\n");
}

static void put_chart(struct buf *out, const struct panel *panel, const struct page *page)
{
    const struct sweep_data *d = page->data;

    buf_puts(out, "<div class=\"controls\"></div>\n<figure><div class=\"chart\"></div>");
    if (panel->is_of_objective)
        html_element(out, "figcaption", "Sweep %s, %s, %s is better", d->name, d->objective,
                     d->maximize ? "larger" : "smaller");
    else
        html_element(out, "figcaption", "Sweep %s", d->name);
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
        buf_printf(out, "<p class=\"what\">%s</p>\n",
                   page->data->task == TASK_NONE && panel->what_of_program ? panel->what_of_program
                                                                           : panel->what);
        if (page->data->task != TASK_NONE || !panel->table_of_program)
            put_chart(out, panel, page);
        panel->table(out, page);
    }
    buf_puts(out, "</section>\n");
    out->failed |= buf_failed(&scratch);
    buf_release(&scratch);
}

static void put_data(struct buf *out, const struct page *page)
{
    buf_puts(out, "<script type=\"application/json\" id=\"espalier-data\">");
    page_json_put(out, page);
    buf_puts(out, "</script>\n");
}

void page_put(struct buf *out, const struct page *page)
{
    put_head(out, page);
    put_header(out, page);
    for (int p = 0; p < N_PANELS; p++)
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
