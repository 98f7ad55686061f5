/* SPDX-License-Identifier: BSD-3-Clause */
/* The methods of a sweep as a paragraph for a paper. */
#include <math.h>
#include <string.h>

#include "base/words.h"
#include "gcn/metric.h"
#include "grid/sweep_file.h"
#include "report/page/panel.h"

/* Longer axes are given by their ends. */
enum { LEVELS_LISTED = 8 };

static void put_axis(struct buf *out, const struct sweep_axis *axis)
{
    buf_puts(out, axis->name);
    if (axis->is_numeric && axis->n > LEVELS_LISTED) {
        buf_printf(out, " (%d values from %s to %s)", (int)axis->n, axis->label[0],
                   axis->label[axis->n - 1]);
        return;
    }
    for (int32_t l = 0; l < axis->n; l++)
        buf_printf(out, "%s%s", l ? ", " : " (", axis->label[l]);
    buf_puts(out, axis->n ? ")" : "");
}

static const char *between(int32_t i, int32_t n)
{
    return i == 0 ? "" : i == n - 1 ? " and " : ", ";
}

static void put_grid(struct buf *out, const struct sweep_data *d)
{
    double n = panel_combinations(d);

    buf_puts(out, d->n_axes ? "Hyperparameters were searched on a grid with espalier. "
                            : "Models were trained with espalier, without a search of "
                              "hyperparameters. ");
    for (int32_t a = 0; a < d->n_axes; a++) {
        buf_puts(out, a ? between(a, d->n_axes) : "The axes of the grid were ");
        put_axis(out, &d->axes[a]);
    }
    buf_printf(out, "%s%d configuration%s of the model type%s ",
               d->n_axes ? ", which gave " : "There was ", (int)d->n_configs, plural(d->n_configs),
               plural(d->n_types));
    for (int32_t t = 0; t < d->n_types; t++)
        buf_printf(out, "%s%s", between(t, d->n_types), d->types[t]);
    if (d->n_configs < n)
        buf_printf(out, " out of %.0f combinations", n);
    buf_puts(out, ". ");
}

static void put_data(struct buf *out, const struct sweep_data *d, const struct settings *s)
{
    buf_printf(out, "The data were %lld samples with %lld feature%s", (long long)d->samples,
               (long long)d->features, plural(d->features));
    if (d->is_classification)
        buf_printf(out, " in %lld classes", (long long)d->classes);
    buf_puts(out, ". ");
    if (s && s->v[P_TEST].f > 0)
        buf_printf(out,
                   "A share of %g of the samples was set aside as a test part, which took no part "
                   "in training or in the choice of a configuration. ",
                   s->v[P_TEST].f);
}

static void put_scheme(struct buf *out, const struct sweep_data *d, const struct settings *s)
{
    bool has_rest = s && s->v[P_TEST].f > 0;
    const char *group = s ? s->v[P_GROUP].s : "";

    buf_puts(out, "Each configuration was trained and validated by ");
    if (s && s->v[P_FOLDS].i == FOLDS_GROUPS)
        buf_printf(out, "leave-one-group-out cross-validation over %d groups of %s", (int)d->folds,
                   group);
    else if (d->folds > 1)
        buf_printf(out, "%d-fold cross-validation%s%s", (int)d->folds,
                   *group ? " with whole groups of " : "", group);
    else
        buf_printf(out, "%d holdout split%s", (int)d->replicates, plural(d->replicates));
    if (s && d->folds <= 1)
        buf_printf(out, " with a share of %g for validation", s->v[P_VAL].f);
    buf_puts(out, has_rest ? " on the other samples" : "");
    if (d->folds > 1 && d->replicates > 1)
        buf_printf(out, ", repeated %d times with other random numbers", (int)d->replicates);
    buf_printf(out, ": %lld trial%s", (long long)d->planned, plural(d->planned));
    if (d->failed + d->diverged)
        buf_printf(out, ", of which %lld failed or diverged", (long long)(d->failed + d->diverged));
    if (d->done + d->failed + d->diverged < d->planned)
        buf_printf(out, ", of which %lld were done at the time of writing", (long long)d->done);
    buf_puts(out, ". ");
    if (d->n_curves && s && s->v[P_STOP].f > 0)
        buf_printf(out, "A share of %g of the training samples chose the epoch. ", s->v[P_STOP].f);
    else if (d->n_curves)
        buf_puts(out, "In each trial of a model with epochs, the validation part also chose the "
                      "epoch. ");
}

static void put_ranking(struct buf *out, const struct sweep_data *d)
{
    int metric = metric_parse(d->metric);
    int64_t chosen = d->chosen;

    buf_printf(out, "Configurations were ranked by the mean validation %s (%s is better)",
               metric < 0 ? d->metric : metric_words((enum metric)metric),
               d->maximize ? "larger" : "smaller");
    buf_puts(out, d->rule == QUERY_RULE_1SE
                      ? ". We chose the cheapest configuration (fewest floating-point operations) "
                        "whose mean lay within one standard error of the best (Breiman et al. 1984)"
                      : ", and the best one was chosen");
    if (chosen)
        buf_printf(out, ": c%lld", (long long)chosen);
    buf_puts(out, ". ");
    if (!isnan(d->n_configs > 1 ? d->configs[1].low : (double)NAN))
        buf_printf(out,
                   "Each configuration was compared with the best one on the same folds by the "
                   "corrected resampled t interval (Nadeau & Bengio 2003; ratio of validation to "
                   "training samples %.3g), without correction for multiple comparisons. ",
                   d->share);
}

static void put_software(struct buf *out, const struct sweep_data *d, const struct settings *s)
{
    const struct sweep_past_session *last;

    if (s)
        buf_printf(out, "All random numbers followed from the seed %lld. ",
                   (long long)s->v[P_SEED].i);
    if (!d->n_sessions)
        return;
    last = &d->sessions[d->n_sessions - 1];
    buf_printf(out, "The trials ran under espalier %s on %d MPI rank%s", last->version,
               (int)last->ranks, plural(last->ranks));
    buf_printf(out, "%s%s.", *last->cpu ? " on a processor of type " : "", last->cpu);
}

/* An axis has no fixed value. */
static bool is_fixed(const struct sweep_data *d)
{
    static const enum param_id used[] = {P_TEST, P_FOLDS, P_VAL, P_STOP, P_SEED};

    for (int32_t a = 0; a < d->n_axes; a++)
        for (size_t i = 0; i < sizeof used / sizeof *used; i++)
            if (!strcmp(d->axes[a].name, param_table[used[i]].key))
                return false;
    return true;
}

void panel_put_methods(struct buf *out, const struct page *page)
{
    const struct sweep_data *d = page->data;
    struct errlist faults = {0};
    struct sweep sweep = {0};
    bool is_known = !sweep_parse_stored(&sweep, d->database, d->ini, &faults) && is_fixed(d);
    const struct settings *s = is_known ? &sweep.fixed : NULL;

    put_grid(out, d);
    put_data(out, d, s);
    put_scheme(out, d, s);
    put_ranking(out, d);
    put_software(out, d, s);
    sweep_release(&sweep);
    errlist_release(&faults);
}
