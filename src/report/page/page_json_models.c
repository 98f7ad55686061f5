/* SPDX-License-Identifier: BSD-3-Clause */
/* Curves, predictions and test scores of a page as JSON. */
#include <math.h>

#include "report/page/page_json.h"
#include "report/page/page_json_value.h"

/* Four digits suffice for a line. */
static void put_line(struct buf *out, const char *member, const double *values, int32_t n)
{
    json_name(out, member);
    buf_putc(out, '[');
    for (int32_t i = 0; i < n; i++) {
        json_comma(out);
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
        json_put_integer(out, "epoch", i);
    else
        json_put_integers(out, "epoch", curve->epoch, curve->n);
}

static void put_curve(struct buf *out, const struct sweep_curve *curve)
{
    json_comma(out);
    buf_putc(out, '{');
    json_put_integer(out, "config", curve->config);
    json_put_integer(out, "trial", curve->trial);
    json_put_integer(out, "replicate", curve->replicate);
    json_put_integer(out, "fold", curve->fold);
    json_put_integer(out, "best", curve->best);
    put_epochs(out, curve);
    put_line(out, "train_loss", curve->train_loss, curve->n);
    put_line(out, "val_loss", curve->val_loss, curve->n);
    put_line(out, "val_value", curve->val_value, curve->n);
    buf_putc(out, '}');
}

static void put_curves(struct buf *out, const struct sweep_data *d)
{
    json_name(out, "curves");
    buf_putc(out, '[');
    for (int32_t i = 0; i < d->n_curves; i++)
        put_curve(out, &d->curves[i]);
    buf_putc(out, ']');
    json_put_integer(out, "curves_left_out", d->n_curves_left_out);
}

static void put_probabilities(struct buf *out, const struct sweep_predictions *p, int32_t n)
{
    json_name(out, "p");
    if (!p->probability) {
        buf_puts(out, "null");
        return;
    }
    buf_putc(out, '[');
    for (int32_t i = 0; i < n; i++) {
        json_comma(out);
        buf_putc(out, '[');
        for (int32_t k = 0; k < p->n_classes; k++) {
            json_comma(out);
            json_real(out, p->probability[(size_t)i * (size_t)p->n_classes + (size_t)k]);
        }
        buf_putc(out, ']');
    }
    buf_putc(out, ']');
}

static void put_predictions(struct buf *out, const struct sweep_data *d)
{
    const struct sweep_predictions *p = &d->predictions;
    int32_t n = p->n < PAGE_PREDICTIONS ? p->n : PAGE_PREDICTIONS;

    json_name(out, "predictions");
    if (!p->config) {
        buf_puts(out, "null");
        return;
    }
    buf_putc(out, '{');
    json_put_integer(out, "config", p->config);
    json_put_text(out, "rule", d->rule == QUERY_RULE_1SE ? "1se" : "best");
    json_put_texts(out, "classes", p->classes, p->n_classes);
    json_put_texts(out, "group", p->groups, p->n_groups);
    json_put_texts(out, "id", p->id, n);
    json_put_integers(out, "g", p->group, n);
    json_put_integers(out, "fold", p->fold, n);
    json_put_integers(out, "replicate", p->replicate, n);
    json_put_reals(out, "observed", p->observed, n);
    json_put_reals(out, "predicted", p->predicted, n);
    put_probabilities(out, p, n);
    json_put_integer(out, "left_out", p->n - n);
    buf_putc(out, '}');
}

static void put_tests(struct buf *out, const struct sweep_data *d)
{
    json_name(out, "test");
    if (!d->n_tests) {
        buf_puts(out, "null");
        return;
    }
    buf_putc(out, '[');
    for (int32_t i = 0; i < d->n_tests; i++) {
        json_comma(out);
        buf_putc(out, '{');
        json_put_text(out, "metric", d->tests[i].metric);
        json_put_integer(out, "n", d->tests[i].n);
        json_put_real(out, "mean", d->tests[i].mean);
        json_put_real(out, "sd", d->tests[i].sd);
        buf_putc(out, '}');
    }
    buf_putc(out, ']');
}

void page_json_models(struct buf *out, const struct sweep_data *d)
{
    put_curves(out, d);
    put_predictions(out, d);
    put_tests(out, d);
}
