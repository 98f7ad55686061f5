/* SPDX-License-Identifier: BSD-3-Clause */
/* The results of a sweep in the paragraph for a paper. */
#include <math.h>
#include <string.h>

#include "base/words.h"
#include "gcn/metric.h"
#include "report/page/panel_methods.h"
#include "report/paper.h"

void methods_cite(struct methods *m, const char *reference)
{
    for (int i = 0; i < m->n_references; i++)
        if (!strcmp(m->references[i], reference))
            return;
    if (m->n_references < REFERENCES)
        m->references[m->n_references++] = reference;
}

static const char *words_of(const char *metric)
{
    int id = metric_parse(metric);

    return id < 0 ? metric : metric_rows[id].words;
}

/* "validation accuracy"; the name that a program gives its objective */
static void put_objective(struct methods *m)
{
    bool is_known = m->d->task != TASK_NONE;

    buf_printf(&m->text, "%s%s", is_known ? "validation " : "",
               is_known ? words_of(m->d->metric) : m->d->objective);
}

static void put_rule(struct methods *m)
{
    const struct sweep_data *d = m->d;

    buf_printf(&m->text, "Configurations%s were ranked by the mean ",
               m->d->search.n_stopped ? " that were run to the end" : "");
    put_objective(m);
    buf_printf(&m->text, " (%s is better). ", d->maximize ? "larger" : "smaller");
    if (d->rule == QUERY_RULE_1SE) {
        buf_printf(&m->text,
                   "%s the cheapest configuration (%s) whose mean "
                   "lay within one standard error of the best (Breiman et al. 1984): c%lld",
                   panel_left(d) ? "So far, the choice is" : "We chose",
                   d->task == TASK_NONE ? "shortest trials" : "fewest floating-point operations",
                   (long long)d->chosen);
        methods_cite(
            m, "Breiman L, Friedman JH, Olshen RA, Stone CJ (1984) Classification and regression "
               "trees. Wadsworth, Belmont. Section 3.4.3.");
    } else {
        buf_printf(&m->text, "%s c%lld",
                   panel_left(d) ? "So far, the best one is" : "The best one was chosen:",
                   (long long)d->chosen);
    }
}

static void put_choice(struct methods *m)
{
    const struct sweep_data *d = m->d;
    int32_t c = sweep_data_find(d, d->chosen);
    struct buf levels = {0}, interval = {0};

    if (c < 0)
        return;
    if (d->n_configs > 1) {
        put_rule(m);
        sweep_data_put_levels(&levels, d, c);
        buf_printf(&m->text, "%s%s%s. ", levels.size ? " (" : "", buf_text(&levels),
                   levels.size ? ")" : "");
    }
    buf_printf(&m->text, "Its %s", d->configs[c].n > 1 ? "mean " : "");
    put_objective(m);
    buf_puts(&m->text, " was ");
    paper_put_number(&m->text, d->configs[c].mean, d->configs[c].se);
    panel_put_interval(&interval, d, c);
    if (interval.size) {
        buf_puts(&m->text, " (standard deviation ");
        paper_put_number(&m->text, d->configs[c].sd, d->configs[c].se);
        buf_printf(&m->text, " over %d trials, %s%s)", (int)d->configs[c].n, buf_text(&interval),
                   d->share > 0 ? "; Nadeau & Bengio 2003" : "");
        if (d->share > 0)
            methods_cite(m, "Nadeau C, Bengio Y (2003) Inference for the generalization error. "
                            "Machine Learning 52, 239-281.");
    }
    buf_puts(&m->text, ". ");
    m->text.failed |= buf_failed(&levels) || buf_failed(&interval);
    buf_release(&levels);
    buf_release(&interval);
}

/* The first configuration of a type that is compared with the best one; -1: none. */
static int32_t first_compared(const struct sweep_data *d, int32_t type)
{
    for (int32_t c = 0; c < d->n_scored; c++)
        if (d->configs[c].type == type)
            return isnan(d->configs[c].low) ? -1 : c;
    return -1;
}

/* How the best of each other model type differs from the best of all. */
static void put_best_of_types(struct methods *m)
{
    const struct sweep_data *d = m->d;
    int32_t n = 0, i = 0;

    for (int32_t t = 0; t < d->n_types; t++)
        n += t != d->configs[0].type && first_compared(d, t) > 0;
    if (!n)
        return;
    buf_printf(&m->text,
               "The best configuration was of the type %s; the difference in %s from it was ",
               d->types[d->configs[0].type], words_of(d->metric));
    for (int32_t t = 0; t < d->n_types; t++) {
        int32_t c = t == d->configs[0].type ? -1 : first_compared(d, t);

        if (c <= 0)
            continue;
        buf_puts(&m->text, words_between(i++, n));
        panel_put_difference(&m->text, d, c);
        buf_printf(&m->text, " for the best %s (c%lld)", d->types[t], (long long)d->configs[c].id);
    }
    buf_puts(&m->text, ". ");
}

static void put_comparison(struct methods *m)
{
    const struct sweep_data *d = m->d;

    if (!d->alike.n_compared)
        return;
    buf_puts(&m->text, "Each other configuration");
    buf_puts(&m->text, d->search.n_stopped ? " that was run to the end" : "");
    buf_puts(&m->text, " was compared with the best one on the same ");
    if (!(d->share > 0))
        buf_puts(&m->text, "replicates by the t interval of paired differences");
    else
        buf_printf(&m->text,
                   "folds by the corrected resampled t interval (Nadeau & Bengio 2003; ratio of "
                   "validation to training samples%s %.3g",
                   m->has_stop_part ? ", which include those that chose the epoch," : "", d->share);
    if (d->share > 0 && d->task == TASK_NONE) /* espalier does not know the parts of a program */
        buf_printf(&m->text, ", that of %d-fold cross-validation", (int)d->folds);
    buf_puts(&m->text, d->share > 0 ? ")" : "");
    buf_printf(&m->text,
               ", without correction for multiple comparisons; %lld of %lld could not be told "
               "apart from it. ",
               (long long)d->alike.n_alike, (long long)d->alike.n_compared);
    if (!panel_left(d))
        put_best_of_types(m);
}

static void put_tests(struct methods *m)
{
    const struct sweep_data *d = m->d;
    int32_t n = d->n_tests ? d->tests[0].n : 0;

    if (!n)
        return;
    if (d->task == TASK_NONE)
        buf_printf(&m->text,
                   "For this configuration, the program also reported test numbers (means%s): ",
                   n > 1 ? ", and their standard deviations over trials" : "");
    else if (n == 1)
        buf_puts(&m->text, "On the test part, its model had: ");
    else
        buf_printf(&m->text,
                   "On the test part, the means over its %d models, with their standard "
                   "deviations (which do not include the sampling error of the test part), were: ",
                   (int)n);
    for (int32_t i = 0; i < d->n_tests; i++) {
        const struct sweep_test *test = &d->tests[i];

        double se = test->sd / sqrt(test->n);

        buf_printf(&m->text, "%s%s ", words_between(i, d->n_tests), words_of(test->metric));
        paper_put_number(&m->text, test->mean, se);
        if (!isfinite(test->sd))
            continue;
        buf_puts(&m->text, " (");
        paper_put_number(&m->text, test->sd, se);
        buf_puts(&m->text, ")");
    }
    buf_puts(&m->text, ". ");
    if (panel_left(d))
        buf_puts(&m->text, "These test scores were seen before the choice was final, so they are "
                           "no independent estimate. ");
}

void methods_put_results(struct methods *m)
{
    put_choice(m);
    put_comparison(m);
    put_tests(m);
}
