/* SPDX-License-Identifier: BSD-3-Clause */
/* The choice in words, and warnings. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/words.h"
#include "gcn/metric.h"
#include "report/page/html.h"
#include "report/page/page.h"
#include "report/page/panel.h"
#include "report/paper.h"
#include "report/sweep/statistics.h"
#include "run/advice.h"
#include "trial/model_type.h"

/* True if the samples that score a trial also chose its epoch. Beside a model type without epochs
 * RULE_MIXED_TYPES applies. */
static bool is_flattered(const struct sweep_data *d)
{
    bool is = d->n_curves > 0;

    for (int32_t a = 0; a < d->n_axes; a++)
        is &= strcmp(d->axes[a].name, param_table[P_STOP].key) != 0;
    for (int32_t t = 0; t < d->n_types; t++) {
        const struct settings *s = sweep_data_settings(d, t);

        is &= s && !(s->v[P_STOP].f > 0) && model_type_of(s)->has_epochs;
    }
    return is;
}

double panel_fact(const struct sweep_data *d, const char *topic, const char *name)
{
    for (int32_t i = 0; i < d->n_facts; i++)
        if (!strcmp(d->facts[i].topic, topic) && !strcmp(d->facts[i].name, name) &&
            fabs(d->facts[i].number) < 1e15)
            return d->facts[i].number;
    return NAN;
}

void page_advise(struct errlist *warnings, const struct sweep_data *d)
{
    long long left = (long long)(d->running + d->pending + d->held), trials = (long long)d->trials;

    advise(warnings, RULE_LEFT, (double)left, "%lld" AND "%lld", left, trials);
    advise(warnings, RULE_SHARDS, (double)(d->planned - d->trials), "%lld" AND "%lld", trials,
           (long long)d->planned);
    for (int32_t i = 0; i < d->n_facts; i++)
        if (!strcmp(d->facts[i].topic, "advice"))
            errlist_add(warnings, "%s", d->facts[i].text);
    advise(warnings, RULE_FLATTERED, is_flattered(d), "%s", "");
}

static void put_named(struct buf *out, const struct sweep_data *d, int32_t c)
{
    struct buf levels = {0};

    buf_printf(out, "<strong>c%lld</strong>", (long long)d->configs[c].id);
    sweep_data_put_levels(&levels, d, c);
    if (levels.size)
        html_printf(out, " (%s)", buf_text(&levels));
    out->failed |= buf_failed(&levels);
    buf_release(&levels);
}

int64_t panel_left(const struct sweep_data *d)
{
    return d->running + d->pending + d->held + d->planned - d->trials;
}

const char *panel_why_no_score(struct buf *scratch, const struct sweep_data *d)
{
    struct advice_losses losses = {d->failed, d->diverged, d->done, panel_left(d)};

    advice_put_losses(scratch, &losses, d->objective);
    if (!scratch->size || buf_failed(scratch))
        return "No trial is finished yet.";
    scratch->data[0] = (char)toupper((unsigned char)scratch->data[0]);
    buf_puts(scratch, ". The panel Run lists the reasons.");
    return buf_text(scratch);
}

int32_t panel_planned_configs(const struct sweep_data *d)
{
    int64_t planned = d->n_slots ? d->planned / d->n_slots : 0;

    return planned > d->n_configs && planned <= INT32_MAX && planned * d->n_slots == d->planned
               ? (int32_t)planned
               : d->n_configs;
}

/* How many configurations have which scores, and the beginning of the next sentence. */
static void put_counts(struct buf *out, const struct sweep_data *d)
{
    int32_t all = panel_planned_configs(d);
    int32_t full = 0, some, none = all - d->n_scored;
    bool is_left = panel_left(d) > 0;

    for (int32_t c = 0; c < d->n_configs; c++)
        full += d->configs[c].n >= d->n_slots;
    some = d->n_scored - full;
    none -= d->search.n_stopped;
    if (full == all && full == 1)
        buf_puts(out, "The only configuration is ");
    else if (full == all)
        html_printf(out, "The best of %d configurations is ", (int)full);
    if (full == all)
        return;
    if (d->search.n_stopped && d->search.settings) {
        buf_printf(out, "In the search by %s, ", d->search.allocator->name);
        panel_put_stops(out, d);
        buf_printf(out, ". %s%d %s the scores of all %d trial%s", is_left ? "So far " : "",
                   (int)full, full == 1 ? "has" : "have", (int)d->n_slots, plural(d->n_slots));
    } else {
        html_printf(out, "%s%d of %d configuration%s %s the scores of all %d trial%s",
                    is_left ? "So far " : "", (int)full, (int)all, plural(all),
                    full == 1 ? "has" : "have", (int)d->n_slots, plural(d->n_slots));
    }
    if (some)
        html_printf(out, ", %d %s the scores of some", (int)some, some == 1 ? "has" : "have");
    if (none)
        html_printf(out, ", %d %s none", (int)none, none == 1 ? "has" : "have");
    html_printf(out, ".%s The best %sis ",
                is_left || d->search.n_stopped ? "" : " No trial is left to run.",
                is_left ? "so far " : "");
}

/* No training parts overlap where the share is 0. */
static const char *interval_words(const struct sweep_data *d)
{
    return d->share > 0 ? "corrected 95 % interval" : "95 % interval";
}

void panel_put_interval(struct buf *out, const struct sweep_data *d, int32_t c)
{
    const struct sweep_config *config = &d->configs[c];
    double half = config->sd * resampled_factor(config->n, d->share);
    double low = config->mean - half, high = config->mean + half;
    int metric = metric_parse(d->metric);

    if (!isfinite(half))
        return;
    if (metric >= 0) {
        low = fmin(fmax(low, metric_rows[metric].least), metric_rows[metric].most);
        high = fmin(fmax(high, metric_rows[metric].least), metric_rows[metric].most);
    }
    buf_printf(out, "%s ", interval_words(d));
    paper_put_number(out, low, config->se);
    buf_puts(out, " to ");
    paper_put_number(out, high, config->se);
}

void panel_put_difference(struct buf *out, const struct sweep_data *d, int32_t c)
{
    const struct sweep_config *config = &d->configs[c];
    /* Half the interval is about twice the standard error, which gives the digits. */
    double error = (config->high - config->low) / 4;

    paper_put_number(out, config->diff, error);
    buf_puts(out, " (95 % interval ");
    paper_put_number(out, config->low, error);
    buf_puts(out, " to ");
    paper_put_number(out, config->high, error);
    buf_puts(out, ")");
}

/* Configurations with fewer trials than the first one, but a better mean. */
static void put_better(struct buf *out, const struct sweep_data *d)
{
    int32_t n = 0, best = 0;

    for (int32_t c = 1; c < d->n_scored; c++) {
        double mean = d->configs[c].mean, most = d->configs[best].mean;

        if (d->maximize ? mean > d->configs[0].mean : mean < d->configs[0].mean) {
            n++;
            best = !best || (d->maximize ? mean > most : mean < most) ? c : best;
        }
    }
    if (!n)
        return;
    html_printf(out,
                " It comes first because it has more trials: %d configuration%s with fewer trials "
                "%s a better mean, such as c%lld with ",
                (int)n, plural(n), n == 1 ? "has" : "have", (long long)d->configs[best].id);
    paper_put_number(out, d->configs[best].mean, d->configs[best].se);
    html_printf(out, " over %d.", (int)d->configs[best].n);
}

static void put_best(struct buf *out, const struct sweep_data *d)
{
    const struct sweep_config *best = &d->configs[0];

    put_counts(out, d);
    put_named(out, d, 0);
    html_printf(out, " with a mean %s of ", d->objective);
    paper_put_number(out, best->mean, best->se);
    html_printf(out, " over %d trial%s", (int)best->n, plural(best->n));
    if (best->n > 1 && isfinite(best->se)) {
        html_printf(out, " (standard error %.2g, ", best->se);
        panel_put_interval(out, d, 0);
        buf_puts(out, ")");
    }
    buf_puts(out, ".");
    put_better(out, d);
    html_printf(out, "%s",
                d->n_scored > 1 ? " The best of many is the best partly by chance, so "
                                  "this mean is probably too optimistic."
                                : "");
}

static void put_one_se(struct buf *out, const struct sweep_data *d)
{
    int32_t c = sweep_data_find(d, d->one_se);

    if (c < 0 || d->n_configs == 1)
        return;
    buf_puts(out, "<p>The rule of one standard error chooses ");
    if (d->one_se == d->best) {
        buf_puts(out, "the same configuration: none within one standard error is cheaper.</p>\n");
        return;
    }
    put_named(out, d, c);
    html_printf(out, ", the cheapest configuration within one standard error of the best, with a "
                     "mean of ");
    paper_put_number(out, d->configs[c].mean, d->configs[c].se);
    if (!isnan(d->configs[c].low)) {
        buf_puts(out, ": a difference of ");
        panel_put_difference(out, d, c);
    }
    if (d->configs[c].flops > 0 && d->configs[0].flops > 0)
        html_printf(out, " for %.0f %% of the floating-point operations",
                    100 * d->configs[c].flops / d->configs[0].flops);
    buf_puts(out, ".</p>\n");
}

static void put_alike(struct buf *out, const struct sweep_data *d)
{
    long long n = d->alike.n_alike, others = d->alike.n_compared;
    bool is_all = others == d->n_configs - 1;
    const char *which = is_all                ? ""
                        : d->search.n_stopped ? " that were run to the end"
                                              : " that have at least two folds in common with it";
    const char *words = interval_words(d);

    if (!others)
        return;
    if (others == 1)
        html_element(out, "p",
                     "The other configuration%s %s be told apart from the best: the %s of the "
                     "difference %s 0.",
                     d->search.n_stopped ? " that was run to the end" : "", n ? "cannot" : "can",
                     words, n ? "contains" : "excludes");
    else if (n)
        html_element(out, "p",
                     "%lld of the %lld other configurations%s cannot be told apart from the best: "
                     "the %s of the difference contains 0.",
                     n, others, which, words);
    else
        html_element(out, "p",
                     "All %lld other configurations%s can be told apart from the best: the "
                     "%ss of the differences exclude 0.",
                     others, which, words);
}

void panel_put_verdict(struct buf *out, const struct page *page)
{
    const struct sweep_data *d = page->data;
    struct buf scratch = {0};

    if (d->n_scored) {
        buf_puts(out, "<p>");
        put_best(out, d);
        buf_puts(out, "</p>\n");
        put_one_se(out, d);
        put_alike(out, d);
        if (d->rule >= 0)
            html_element(out, "p", "This page is about c%lld, %s, by --rule %s.",
                         (long long)d->chosen, query_rule_words((enum query_rule)d->rule),
                         d->rule == QUERY_RULE_1SE ? "1se" : "best");
    } else {
        html_element(out, "p", "%s There is no choice.", panel_why_no_score(&scratch, d));
    }
    buf_puts(out, page->warnings->n ? "<h3>Warnings</h3>\n<ul class=\"warnings\">\n"
                                    : "<h3>Warnings</h3>\n<p>None.</p>\n");
    for (size_t i = 0; i < page->warnings->n; i++)
        html_element(out, "li", "%s", page->warnings->text[i]);
    if (page->warnings->n)
        buf_puts(out, "</ul>\n");
    out->failed |= buf_failed(&scratch);
    buf_release(&scratch);
}
