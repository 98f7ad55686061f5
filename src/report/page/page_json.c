/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/page/page_json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/escape.h"
#include "report/figure/figure.h"
#include "report/sweep/resampled_t.h"

/* ---- values ---- */

/* A member begins with its name, after a comma unless it is the first. */
static void name(struct buf *out, const char *text)
{
    char last = out->size ? out->data[out->size - 1] : '{';

    if (last != '{' && last != '[')
        buf_putc(out, ',');
    buf_printf(out, "\"%s\":", text);
}

static void comma(struct buf *out)
{
    if (out->size && out->data[out->size - 1] != '[')
        buf_putc(out, ',');
}

static void real(struct buf *out, double value)
{
    if (!isfinite(value))
        buf_puts(out, "null");
    else if (value == floor(value) && fabs(value) < 1e15)
        buf_put_decimal(out, (int64_t)value);
    else
        buf_printf(out, "%.6g", value);
}

static void put_real(struct buf *out, const char *member, double value)
{
    name(out, member);
    real(out, value);
}

static void put_integer(struct buf *out, const char *member, int64_t value)
{
    name(out, member);
    buf_put_decimal(out, value);
}

static void put_bool(struct buf *out, const char *member, bool value)
{
    name(out, member);
    buf_puts(out, value ? "true" : "false");
}

static void put_text(struct buf *out, const char *member, const char *text)
{
    name(out, member);
    if (text)
        escape_json_html(out, text);
    else
        buf_puts(out, "null");
}

/* An id, or null for 0. */
static void put_id(struct buf *out, const char *member, int64_t id)
{
    name(out, member);
    if (id)
        buf_put_decimal(out, id);
    else
        buf_puts(out, "null");
}

static void put_reals(struct buf *out, const char *member, const double *values, int32_t n)
{
    name(out, member);
    buf_putc(out, '[');
    for (int32_t i = 0; i < n; i++) {
        comma(out);
        real(out, values[i]);
    }
    buf_putc(out, ']');
}

static void put_integers(struct buf *out, const char *member, const int32_t *values, int32_t n)
{
    name(out, member);
    buf_putc(out, '[');
    for (int32_t i = 0; i < n; i++) {
        comma(out);
        buf_put_decimal(out, values[i]);
    }
    buf_putc(out, ']');
}

static void put_texts(struct buf *out, const char *member, const char *const *texts, int32_t n)
{
    name(out, member);
    buf_putc(out, '[');
    for (int32_t i = 0; i < n; i++) {
        comma(out);
        escape_json_html(out, texts[i]);
    }
    buf_putc(out, ']');
}

/* ---- the sweep ---- */

static int32_t shown_configs(const struct sweep_data *d)
{
    return d->n_configs < PAGE_CONFIGS ? d->n_configs : PAGE_CONFIGS;
}

static bool is_shown(const struct sweep_data *d, int64_t config)
{
    int32_t c = sweep_data_find(d, config);

    return c >= 0 && c < PAGE_CONFIGS;
}

static void put_sweep(struct buf *out, const struct sweep_data *d)
{
    name(out, "sweep");
    buf_putc(out, '{');
    put_text(out, "name", d->name);
    put_text(out, "objective", d->objective);
    put_text(out, "metric", d->metric);
    put_bool(out, "maximize", d->maximize);
    put_text(out, "task", task_name(d->is_classification ? TASK_CLASSIFICATION : TASK_REGRESSION));
    put_integer(out, "samples", d->samples);
    put_integer(out, "features", d->features);
    put_integer(out, "classes", d->classes);
    put_integer(out, "replicates", d->replicates);
    put_integer(out, "folds", d->folds);
    name(out, "trials");
    buf_putc(out, '{');
    put_integer(out, "planned", d->planned);
    put_integer(out, "done", d->done);
    put_integer(out, "failed", d->failed);
    put_integer(out, "diverged", d->diverged);
    put_integer(out, "running", d->running);
    put_integer(out, "pending", d->pending);
    buf_puts(out, "}}");
}

static const char *rule_name(const struct sweep_data *d)
{
    return d->rule < 0 ? NULL : d->rule == QUERY_RULE_1SE ? "1se" : "best";
}

static void put_choice(struct buf *out, const struct sweep_data *d)
{
    name(out, "choice");
    buf_putc(out, '{');
    put_id(out, "best", is_shown(d, d->best) ? d->best : 0);
    put_id(out, "1se", is_shown(d, d->one_se) ? d->one_se : 0);
    put_text(out, "rule", rule_name(d));
    put_id(out, "chosen", is_shown(d, d->chosen) ? d->chosen : 0);
    buf_putc(out, '}');
}

static void put_axis(struct buf *out, const struct sweep_axis *axis)
{
    comma(out);
    buf_putc(out, '{');
    put_text(out, "name", axis->name);
    if (axis->is_numeric)
        put_reals(out, "levels", axis->number, axis->n);
    else
        put_texts(out, "levels", axis->label, axis->n);
    put_bool(out, "numeric", axis->is_numeric);
    put_bool(out, "log", axis->is_log);
    put_text(out, "unit", axis->unit);
    buf_putc(out, '}');
}

static void put_axis_order(struct buf *out, const struct sweep_data *d)
{
    int32_t *order = calloc((size_t)d->n_axes + 1, sizeof *order);

    out->failed |= !order;
    if (order)
        put_integers(out, "axis_order", order, figure_axes(order, d->n_axes, d));
    free(order);
}

static void put_axes(struct buf *out, const struct sweep_data *d)
{
    name(out, "axes");
    buf_putc(out, '[');
    for (int32_t a = 0; a < d->n_axes; a++)
        put_axis(out, &d->axes[a]);
    buf_putc(out, ']');
}

/* ---- configurations ---- */

/* One array with a member of each configuration. */
#define PUT_EACH(out, d, member, put, expression)          \
    do {                                                   \
        name(out, member);                                 \
        buf_putc(out, '[');                                \
        for (int32_t c = 0; c < shown_configs(d); c++) {   \
            const struct sweep_config *o = &d->configs[c]; \
            comma(out);                                    \
            put(out, expression);                          \
        }                                                  \
        buf_putc(out, ']');                                \
    } while (0)

static void within(struct buf *out, int value)
{
    buf_puts(out, value < 0 ? "null" : value ? "1" : "0");
}

static void put_levels(struct buf *out, const struct sweep_data *d)
{
    name(out, "level");
    buf_putc(out, '[');
    for (int32_t a = 0; a < d->n_axes; a++) {
        comma(out);
        buf_putc(out, '[');
        for (int32_t c = 0; c < shown_configs(d); c++) {
            comma(out);
            buf_put_decimal(out, d->level[(size_t)c * (size_t)d->n_axes + (size_t)a]);
        }
        buf_putc(out, ']');
    }
    buf_putc(out, ']');
}

static void put_configs(struct buf *out, const struct sweep_data *d)
{
    name(out, "config");
    buf_putc(out, '{');
    PUT_EACH(out, d, "id", buf_put_decimal, o->id);
    PUT_EACH(out, d, "place", real, isnan(o->mean) ? NAN : o->place);
    PUT_EACH(out, d, "n", buf_put_decimal, o->n);
    PUT_EACH(out, d, "mean", real, o->mean);
    PUT_EACH(out, d, "sd", real, o->sd);
    PUT_EACH(out, d, "se", real, o->se);
    PUT_EACH(out, d, "diff", real, o->diff);
    PUT_EACH(out, d, "low", real, o->low);
    PUT_EACH(out, d, "high", real, o->high);
    PUT_EACH(out, d, "within", within, o->within);
    PUT_EACH(out, d, "complete", buf_put_decimal, o->is_complete);
    PUT_EACH(out, d, "seconds", real, o->seconds);
    PUT_EACH(out, d, "flops", real, o->flops);
    PUT_EACH(out, d, "epochs", real, o->epochs);
    PUT_EACH(out, d, "type", buf_put_decimal, o->type);
    put_levels(out, d);
    buf_putc(out, '}');
    put_integer(out, "configs_left_out", d->n_configs - shown_configs(d));
    put_texts(out, "types", d->types, d->n_types);
}

static void put_values(struct buf *out, const struct sweep_data *d)
{
    name(out, "slots");
    buf_putc(out, '[');
    for (int32_t s = 0; s < d->n_slots; s++) {
        comma(out);
        buf_putc(out, '{');
        put_integer(out, "replicate", d->slots[s].replicate);
        put_integer(out, "fold", d->slots[s].fold);
        put_text(out, "group", d->slots[s].group);
        buf_putc(out, '}');
    }
    buf_putc(out, ']');
    name(out, "value");
    buf_putc(out, '[');
    for (int32_t s = 0; s < d->n_slots; s++) {
        comma(out);
        buf_putc(out, '[');
        for (int32_t c = 0; c < shown_configs(d); c++) {
            comma(out);
            real(out, d->value[(size_t)s * (size_t)d->n_configs + (size_t)c]);
        }
        buf_putc(out, ']');
    }
    buf_putc(out, ']');
}

/* ---- statistics ---- */

/* For n paired differences of a pair of configurations, n = 0, 1, ...: the factor of their standard
 * deviation in half the interval of their mean. */
static void put_interval(struct buf *out, const struct sweep_data *d)
{
    name(out, "interval");
    buf_putc(out, '[');
    for (int32_t n = 0; n <= d->n_slots; n++) {
        comma(out);
        real(out, resampled_factor(n, d->share));
    }
    buf_putc(out, ']');
}

static void put_effect(struct buf *out, const struct sweep_effect *effect)
{
    int32_t axes[] = {effect->axis, effect->with};

    comma(out);
    buf_putc(out, '{');
    put_integers(out, "axes", axes, effect->with < 0 ? 1 : 2);
    put_real(out, "share", effect->share);
    put_integer(out, "df", effect->df);
    buf_putc(out, '}');
}

static void put_effects(struct buf *out, const struct sweep_effects *effects)
{
    name(out, "effects");
    buf_putc(out, '{');
    put_bool(out, "complete", effects->is_complete);
    put_text(out, "why", effects->why);
    put_real(out, "total", effects->total);
    name(out, "terms");
    buf_putc(out, '[');
    for (int32_t e = 0; e < effects->n; e++)
        put_effect(out, &effects->of[e]);
    buf_putc(out, ']');
    put_real(out, "residual", effects->residual);
    buf_putc(out, '}');
}

static void put_marginal(struct buf *out, const struct sweep_marginal *m)
{
    comma(out);
    buf_putc(out, '{');
    put_integer(out, "n", m->n);
    put_real(out, "mean", m->mean);
    put_real(out, "low", m->low);
    put_real(out, "high", m->high);
    put_real(out, "best", m->best);
    buf_putc(out, '}');
}

static void put_marginals(struct buf *out, const struct sweep_data *d)
{
    name(out, "marginal");
    buf_putc(out, '[');
    for (int32_t a = 0; a < d->n_axes; a++) {
        comma(out);
        buf_putc(out, '[');
        for (int32_t l = 0; l < d->axes[a].n; l++)
            put_marginal(out, &d->marginal[a][l]);
        buf_putc(out, ']');
    }
    buf_putc(out, ']');
}

static void put_front(struct buf *out, const char *member, const struct sweep_data *d,
                      const int32_t *front, int32_t n)
{
    name(out, member);
    buf_putc(out, '[');
    for (int32_t i = 0; i < n; i++)
        if (front[i] < PAGE_CONFIGS) {
            comma(out);
            buf_put_decimal(out, d->configs[front[i]].id);
        }
    buf_putc(out, ']');
}

static void put_fronts(struct buf *out, const struct sweep_data *d)
{
    name(out, "pareto");
    buf_putc(out, '{');
    put_front(out, "seconds", d, d->pareto_seconds, d->n_pareto_seconds);
    put_front(out, "flops", d, d->pareto_flops, d->n_pareto_flops);
    buf_putc(out, '}');
}

/* ---- curves and predictions ---- */

/* Four digits suffice for a line. */
static void put_line(struct buf *out, const char *member, const double *values, int32_t n)
{
    name(out, member);
    buf_putc(out, '[');
    for (int32_t i = 0; i < n; i++) {
        comma(out);
        if (isfinite(values[i]))
            buf_printf(out, "%.4g", values[i]);
        else
            buf_puts(out, "null");
    }
    buf_putc(out, ']');
}

/* Epochs 1, 2, ... n are written as n. */
static void put_epochs(struct buf *out, const struct sweep_curve *curve)
{
    int32_t i = 0;

    while (i < curve->n && curve->epoch[i] == i + 1)
        i++;
    if (i == curve->n)
        put_integer(out, "epoch", i);
    else
        put_integers(out, "epoch", curve->epoch, curve->n);
}

static void put_curve(struct buf *out, const struct sweep_curve *curve)
{
    comma(out);
    buf_putc(out, '{');
    put_integer(out, "config", curve->config);
    put_integer(out, "trial", curve->trial);
    put_integer(out, "replicate", curve->replicate);
    put_integer(out, "fold", curve->fold);
    put_integer(out, "best", curve->best);
    put_epochs(out, curve);
    put_line(out, "train_loss", curve->train_loss, curve->n);
    put_line(out, "val_loss", curve->val_loss, curve->n);
    put_line(out, "val_value", curve->val_value, curve->n);
    buf_putc(out, '}');
}

static void put_curves(struct buf *out, const struct sweep_data *d)
{
    name(out, "curves");
    buf_putc(out, '[');
    for (int32_t i = 0; i < d->n_curves; i++)
        put_curve(out, &d->curves[i]);
    buf_putc(out, ']');
    put_integer(out, "curves_left_out", d->n_curves_left_out);
}

static void put_probabilities(struct buf *out, const struct sweep_predictions *p, int32_t n)
{
    name(out, "p");
    if (!p->probability) {
        buf_puts(out, "null");
        return;
    }
    buf_putc(out, '[');
    for (int32_t i = 0; i < n; i++) {
        comma(out);
        buf_putc(out, '[');
        for (int32_t k = 0; k < p->n_classes; k++) {
            comma(out);
            real(out, p->probability[(size_t)i * (size_t)p->n_classes + (size_t)k]);
        }
        buf_putc(out, ']');
    }
    buf_putc(out, ']');
}

static void put_predictions(struct buf *out, const struct sweep_data *d)
{
    const struct sweep_predictions *p = &d->predictions;
    int32_t n = p->n < PAGE_PREDICTIONS ? p->n : PAGE_PREDICTIONS;

    name(out, "predictions");
    if (!p->config) {
        buf_puts(out, "null");
        return;
    }
    buf_putc(out, '{');
    put_integer(out, "config", p->config);
    put_text(out, "rule", d->rule == QUERY_RULE_1SE ? "1se" : "best");
    put_texts(out, "classes", p->classes, p->n_classes);
    put_texts(out, "group", p->groups, p->n_groups);
    put_texts(out, "id", p->id, n);
    put_integers(out, "g", p->group, n);
    put_integers(out, "fold", p->fold, n);
    put_integers(out, "replicate", p->replicate, n);
    put_reals(out, "observed", p->observed, n);
    put_reals(out, "predicted", p->predicted, n);
    put_probabilities(out, p, n);
    put_integer(out, "left_out", p->n - n);
    buf_putc(out, '}');
}

static void put_tests(struct buf *out, const struct sweep_data *d)
{
    name(out, "test");
    if (!d->n_tests) {
        buf_puts(out, "null");
        return;
    }
    buf_putc(out, '[');
    for (int32_t i = 0; i < d->n_tests; i++) {
        comma(out);
        buf_putc(out, '{');
        put_text(out, "metric", d->tests[i].metric);
        put_integer(out, "n", d->tests[i].n);
        put_real(out, "mean", d->tests[i].mean);
        put_real(out, "sd", d->tests[i].sd);
        buf_putc(out, '}');
    }
    buf_putc(out, ']');
}

/* ---- the run ---- */

/* Times keep milliseconds, which six digits would not. */
static void put_time(struct buf *out, double seconds)
{
    if (isfinite(seconds))
        buf_printf(out, "%.3f", seconds);
    else
        buf_puts(out, "null");
}

static void put_session(struct buf *out, const struct sweep_past_session *s)
{
    comma(out);
    buf_putc(out, '{');
    put_integer(out, "session", s->session);
    name(out, "started");
    put_time(out, s->started);
    name(out, "finished");
    put_time(out, s->finished);
    put_text(out, "outcome", s->outcome);
    put_integer(out, "ranks", s->ranks);
    put_text(out, "host", s->host);
    put_text(out, "command", s->command);
    put_text(out, "version", s->version);
    put_text(out, "cpu", s->cpu);
    put_real(out, "busy", s->busy);
    put_text(out, "job", s->job);
    buf_putc(out, '}');
}

static void put_ranks(struct buf *out, const struct sweep_data *d)
{
    name(out, "ranks");
    buf_putc(out, '[');
    for (int32_t i = 0; i < d->n_ranks; i++) {
        comma(out);
        buf_putc(out, '{');
        put_integer(out, "session", d->ranks[i].session);
        put_integer(out, "rank", d->ranks[i].rank);
        put_text(out, "host", d->ranks[i].host);
        buf_putc(out, '}');
    }
    buf_putc(out, ']');
}

/* One array with a member of each attempt. */
#define PUT_ATTEMPTS(out, d, member, put, expression)                   \
    do {                                                                \
        name(out, member);                                              \
        buf_putc(out, '[');                                             \
        for (int32_t i = 0; i < d->n_attempts; i++) {                   \
            const struct sweep_attempt *o = &d->attempts[i];            \
            if (d->n_configs > PAGE_CONFIGS && !is_shown(d, o->config)) \
                continue;                                               \
            comma(out);                                                 \
            put(out, expression);                                       \
        }                                                               \
        buf_putc(out, ']');                                             \
    } while (0)

static void put_attempts(struct buf *out, const struct sweep_data *d)
{
    int64_t n_hidden = 0;

    for (int32_t i = 0; d->n_configs > PAGE_CONFIGS && i < d->n_attempts; i++)
        n_hidden += !is_shown(d, d->attempts[i].config);
    name(out, "attempts");
    buf_putc(out, '{');
    PUT_ATTEMPTS(out, d, "trial", buf_put_decimal, o->trial);
    PUT_ATTEMPTS(out, d, "config", buf_put_decimal, o->config);
    PUT_ATTEMPTS(out, d, "rank", buf_put_decimal, o->rank);
    PUT_ATTEMPTS(out, d, "start", put_time, o->start);
    PUT_ATTEMPTS(out, d, "end", put_time, o->end);
    PUT_ATTEMPTS(out, d, "outcome", buf_put_decimal, o->outcome);
    buf_putc(out, '}');
    put_integer(out, "attempts_left_out", d->n_attempts_left_out + n_hidden);
    put_texts(out, "outcomes", sweep_outcome_names, SWEEP_N_OUTCOMES);
    name(out, "t0");
    put_time(out, d->t0);
}

static void put_run(struct buf *out, const struct sweep_data *d)
{
    name(out, "run");
    buf_putc(out, '{');
    name(out, "sessions");
    buf_putc(out, '[');
    for (int32_t i = 0; i < d->n_sessions; i++)
        put_session(out, &d->sessions[i]);
    buf_putc(out, ']');
    put_ranks(out, d);
    put_attempts(out, d);
    name(out, "failures");
    buf_putc(out, '[');
    for (int32_t i = 0; i < d->n_failures; i++) {
        comma(out);
        buf_putc(out, '{');
        put_text(out, "state", d->failures[i].state);
        put_integer(out, "n", d->failures[i].n);
        put_integer(out, "trial", d->failures[i].trial);
        put_text(out, "reason", d->failures[i].reason);
        buf_putc(out, '}');
    }
    buf_puts(out, "]}");
}

/* facts: sorted by topic. */
static void put_facts(struct buf *out, const struct sweep_data *d)
{
    name(out, "data");
    buf_puts(out, "{\"facts\":[");
    for (int32_t i = 0; i < d->n_facts; i++) {
        const struct sweep_fact *fact = &d->facts[i];

        if (!i || strcmp(d->facts[i - 1].topic, fact->topic) != 0) {
            buf_puts(out, i ? "]},{" : "{");
            put_text(out, "topic", fact->topic);
            name(out, "rows");
            buf_putc(out, '[');
        }
        comma(out);
        buf_putc(out, '[');
        escape_json_html(out, fact->label);
        if (!isnan(fact->number)) {
            comma(out);
            real(out, fact->number);
        }
        if (*fact->text) {
            comma(out);
            escape_json_html(out, fact->text);
        }
        buf_putc(out, ']');
    }
    buf_puts(out, d->n_facts ? "]}]}" : "]}");
}

void page_json_put(struct buf *out, const struct page *page)
{
    const struct sweep_data *d = page->data;
    char made[CLOCK_TEXT], program[64];

    snprintf(program, sizeof program, "espalier %s", page->version);
    buf_putc(out, '{');
    put_integer(out, "format", 1);
    put_text(out, "program", program);
    put_text(out, "made", clock_utc(made, page->made));
    put_text(out, "database", d->database);
    put_sweep(out, d);
    put_choice(out, d);
    put_axes(out, d);
    put_axis_order(out, d);
    put_configs(out, d);
    put_values(out, d);
    put_interval(out, d);
    put_effects(out, &d->effects);
    put_marginals(out, d);
    put_curves(out, d);
    put_fronts(out, d);
    put_predictions(out, d);
    put_tests(out, d);
    put_run(out, d);
    put_facts(out, d);
    put_texts(out, "warnings", (const char *const *)page->warnings->text,
              (int32_t)page->warnings->n);
    buf_putc(out, '}');
}
