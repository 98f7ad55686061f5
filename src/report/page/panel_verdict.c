/* SPDX-License-Identifier: BSD-3-Clause */
/* The choice in words, and warnings. */
#include <math.h>
#include <string.h>

#include "base/escape.h"
#include "base/words.h"
#include "grid/sweep_file.h"
#include "report/page/html.h"
#include "report/page/panel.h"
#include "report/sweep/resampled_t.h"

/* True if the samples that score a trial also chose its epoch. */
static bool is_flattered(const struct sweep_data *d)
{
    struct errlist faults = {0};
    struct sweep sweep = {0};
    bool is = d->n_curves && !sweep_parse_stored(&sweep, d->database, d->ini, &faults) &&
              !(sweep.fixed.v[P_STOP].f > 0);

    for (int32_t a = 0; a < d->n_axes; a++)
        is &= strcmp(d->axes[a].name, param_table[P_STOP].key) != 0;
    sweep_release(&sweep);
    errlist_release(&faults);
    return is;
}

static void warn_of(struct errlist *warnings, int64_t n, int64_t n_trials, const char *what)
{
    if (n)
        errlist_add(warnings, "%lld of %lld trials %s", (long long)n, (long long)n_trials, what);
}

/* The number that a fact has; 0 if it is missing. */
static int64_t count_of(const struct sweep_data *d, const char *topic, const char *name)
{
    for (int32_t i = 0; i < d->n_facts; i++)
        if (!strcmp(d->facts[i].topic, topic) && !strcmp(d->facts[i].name, name) &&
            fabs(d->facts[i].number) < 1e15)
            return (int64_t)d->facts[i].number;
    return 0;
}

void page_warn(struct errlist *warnings, const struct sweep_data *d)
{
    int64_t n_straddling = count_of(d, "duplicate", "sets_on_both_sides");

    warn_of(warnings, d->running + d->pending, d->trials,
            "are left to run: the leaderboard may change");
    warn_of(warnings, d->failed, d->trials, "failed; the panel Run lists the reasons");
    warn_of(warnings, d->diverged, d->trials,
            "diverged: their loss was no longer finite; the panel Run lists the reasons");
    if (d->planned > d->trials)
        errlist_add(warnings,
                    "the database has %lld of the %lld trials of the grid; the others belong to "
                    "shards that have not been merged into it",
                    (long long)d->trials, (long long)d->planned);
    if (n_straddling > 0)
        errlist_add(warnings,
                    "%lld set%s of samples that are the same on both sides of a split, which makes "
                    "the scores too good: 'espalier inspect --duplicates FILE' lists them; [split] "
                    "group keeps samples together",
                    (long long)n_straddling, plural(n_straddling));
    if (is_flattered(d))
        errlist_add(warnings,
                    "there is no stop part: the validation part chose the epoch of each "
                    "trial and also scores it, so the scores are too good; [split] stop = "
                    "0.1 sets samples aside for the epoch");
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

static void put_best(struct buf *out, const struct sweep_data *d)
{
    const struct sweep_config *best = &d->configs[0];
    double half = best->sd * resampled_factor(best->n, d->share);

    if (d->n_configs == 1)
        html_printf(out, "The only configuration is ");
    else if (d->n_scored < d->n_configs)
        html_printf(out, "So far %d of %d configurations have a score. The best is ",
                    (int)d->n_scored, (int)d->n_configs);
    else
        html_printf(out, "The best of %d configurations is ", (int)d->n_configs);
    put_named(out, d, 0);
    html_printf(out, " with a mean %s of %.4g over %d trial%s", d->objective, best->mean,
                (int)best->n, plural(best->n));
    if (!isnan(half))
        html_printf(out, " (standard error %.2g, corrected 95 %% interval %.4g to %.4g)", best->se,
                    best->mean - half, best->mean + half);
    html_printf(out, ".%s",
                d->n_scored > 1 ? " The best of many is the best partly by chance, so "
                                  "this mean is probably too optimistic."
                                : "");
}

static void put_one_se(struct buf *out, const struct sweep_data *d)
{
    int32_t c = sweep_data_find(d, d->one_se);

    if (c < 0)
        return;
    buf_puts(out, "<p>The rule of one standard error chooses ");
    if (d->one_se == d->best) {
        buf_puts(out, "the same configuration: none within one standard error is cheaper.</p>\n");
        return;
    }
    put_named(out, d, c);
    html_printf(out,
                ", the cheapest configuration within one standard error of the best, with a "
                "mean of %.4g",
                d->configs[c].mean);
    if (!isnan(d->configs[c].low))
        html_printf(out, ": a difference of %.2g (95 %% interval %.2g to %.2g)", d->configs[c].diff,
                    d->configs[c].low, d->configs[c].high);
    if (d->configs[c].flops > 0 && d->configs[0].flops > 0)
        html_printf(out, " for %.0f %% of the floating-point operations",
                    100 * d->configs[c].flops / d->configs[0].flops);
    buf_puts(out, ".</p>\n");
}

static void put_alike(struct buf *out, const struct sweep_data *d)
{
    long long n = d->alike.n_alike, others = d->alike.n_compared;

    if (!others)
        return;
    if (n)
        html_element(out, "p",
                     "%lld of the %lld other configuration%s cannot be told apart from the best: "
                     "the corrected 95 %% interval of the difference contains 0.",
                     n, others, plural(others));
    else
        html_element(out, "p",
                     "The corrected 95 %% interval%s of the difference to the best %s 0 for the "
                     "%lld other configuration%s.",
                     plural(others), others == 1 ? "excludes" : "exclude", others, plural(others));
}

static void put_rule(struct buf *out, const struct sweep_data *d)
{
    if (d->rule >= 0)
        html_element(out, "p", "This page is about c%lld, %s, by --rule %s.", (long long)d->chosen,
                     query_rule_words((enum query_rule)d->rule),
                     d->rule == QUERY_RULE_1SE ? "1se" : "best");
}

static void put_warnings(struct buf *out, const struct errlist *warnings)
{
    buf_puts(out, "<h3>Warnings</h3>\n");
    if (!warnings->n) {
        buf_puts(out, "<p>None.</p>\n");
        return;
    }
    buf_puts(out, "<ul class=\"warnings\">\n");
    for (size_t i = 0; i < warnings->n; i++)
        html_element(out, "li", "%s", warnings->text[i]);
    buf_puts(out, "</ul>\n");
}

static void put_paper(struct buf *out, const struct page *page)
{
    struct buf methods = {0};

    panel_put_methods(&methods, page);
    buf_puts(out, "<h3>Methods, to copy</h3>\n<blockquote class=\"methods copy\">");
    escape_html(out, buf_text(&methods));
    buf_puts(out,
             "</blockquote>\n<h3>References</h3>\n<ul class=\"references\">\n"
             "<li>Nadeau C, Bengio Y (2003) Inference for the generalization error. Machine "
             "Learning 52, 239-281.</li>\n"
             "<li>Breiman L, Friedman JH, Olshen RA, Stone CJ (1984) Classification and regression "
             "trees. Wadsworth, Belmont. Section 3.4.3.</li>\n</ul>\n");
    out->failed |= buf_failed(&methods);
    buf_release(&methods);
}

void panel_put_verdict(struct buf *out, const struct page *page)
{
    const struct sweep_data *d = page->data;

    if (d->n_scored) {
        buf_puts(out, "<p>");
        put_best(out, d);
        buf_puts(out, "</p>\n");
        put_one_se(out, d);
        put_alike(out, d);
        put_rule(out, d);
    } else {
        buf_puts(out, "<p>No trial is finished yet, so there is no choice.</p>\n");
    }
    put_warnings(out, page->warnings);
    if (d->n_scored)
        put_paper(out, page);
}
