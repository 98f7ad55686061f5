/* SPDX-License-Identifier: BSD-3-Clause */
/* Curves, predictions and test scores of a page as JSON. */
#include <math.h>

#include "base/escape.h"
#include "report/page/page_json_value.h"

/* Four digits suffice for a line. */
static void put_numbers(struct buf *out, const double *values, int32_t n)
{
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

static void put_line(struct buf *out, const char *member, const double *values, int32_t n)
{
    json_name(out, member);
    put_numbers(out, values, n);
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

/* An array for each name; of a curve without the name an empty one. */
static void put_more(struct buf *out, const struct sweep_data *d, const struct sweep_curve *curve)
{
    if (!d->n_curve_names)
        return;
    json_name(out, "more");
    buf_putc(out, '[');
    for (int32_t i = 0; i < d->n_curve_names; i++) {
        json_comma(out);
        put_numbers(out, curve->more[i], curve->more[i] ? curve->n : 0);
    }
    buf_putc(out, ']');
}

static void put_curve(struct buf *out, const struct sweep_data *d, const struct sweep_curve *curve)
{
    json_comma(out);
    buf_putc(out, '{');
    json_put_integer(out, "config", curve->config);
    json_put_integer(out, "trial", curve->trial);
    json_put_integer(out, "replicate", curve->replicate);
    json_put_integer(out, "fold", curve->fold);
    json_put_integer(out, "best", curve->best);
    json_put_bool(out, "stop", curve->is_stop);
    put_epochs(out, curve);
    put_line(out, "train_loss", curve->train_loss, curve->n);
    put_line(out, "val_loss", curve->val_loss, curve->n);
    put_line(out, "val_value", curve->val_value, curve->n);
    put_more(out, d, curve);
    buf_putc(out, '}');
}

void page_json_curves(struct buf *out, const struct sweep_data *d)
{
    json_name(out, "curves");
    buf_putc(out, '[');
    for (int32_t i = 0; i < d->n_curves; i++)
        if (page_json_has(d, d->curves[i].config))
            put_curve(out, d, &d->curves[i]);
    buf_putc(out, ']');
    json_put_texts(out, "curve_names", d->curve_names, d->n_curve_names);
    json_put_integer(out, "curves_left_out", d->n_curves_left_out);
}

/* One array with a member of each prediction; of many, at equal distances, so that all trials take
 * part. */
#define PUT_ROWS(out, p, member, put, expression)                          \
    do {                                                                   \
        int32_t n = (p)->n < PAGE_PREDICTIONS ? (p)->n : PAGE_PREDICTIONS; \
        json_name(out, member);                                            \
        buf_putc(out, '[');                                                \
        for (int32_t row = 0; row < n; row++) {                            \
            int32_t i = (int32_t)((int64_t)row * (p)->n / n);              \
            json_comma(out);                                               \
            put(out, expression);                                          \
        }                                                                  \
        buf_putc(out, ']');                                                \
    } while (0)

#define REALS_OF_CLASSES(out, values) json_reals(out, values, p->n_classes)

static void put_class_scores(struct buf *out, const struct sweep_predictions *p)
{
    if (p->score) {
        PUT_ROWS(out, p, "p", REALS_OF_CLASSES, p->score + (size_t)i * (size_t)p->n_classes);
    } else {
        json_name(out, "p");
        buf_puts(out, "null");
    }
    json_put_bool(out, "probabilities", p->is_probability);
}

static void put_scores(struct buf *out, const struct sweep_predictions *p)
{
    json_name(out, "scores");
    buf_putc(out, '[');
    for (int32_t i = 0; i < p->n_scores; i++) {
        const struct sweep_score *score = &p->scores[i];

        json_comma(out);
        buf_putc(out, '{');
        json_put_text(out, "metric", score->metric);
        json_put_text(out, "class", score->class < 0 ? NULL : p->classes[score->class]);
        json_put_real(out, "together", score->together);
        json_put_real(out, "mean", score->mean);
        json_put_real(out, "sd", score->sd);
        json_put_integer(out, "folds", score->folds);
        buf_putc(out, '}');
    }
    buf_putc(out, ']');
}

void page_json_predictions(struct buf *out, const struct sweep_data *d)
{
    const struct sweep_predictions *p = &d->predictions;

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
    PUT_ROWS(out, p, "id", escape_json_html, p->id[i]);
    PUT_ROWS(out, p, "g", buf_put_decimal, p->group[i]);
    PUT_ROWS(out, p, "fold", buf_put_decimal, p->fold[i]);
    PUT_ROWS(out, p, "replicate", buf_put_decimal, p->replicate[i]);
    PUT_ROWS(out, p, "observed", json_real, p->observed[i]);
    PUT_ROWS(out, p, "predicted", json_real, p->predicted[i]);
    put_class_scores(out, p);
    json_put_integer(out, "parts", p->n_parts);
    json_put_text(out, "part", sweep_part_word(d));
    json_put_bool(out, "same_samples", p->is_one_part);
    put_scores(out, p);
    json_put_integer(out, "left_out", p->n > PAGE_PREDICTIONS ? p->n - PAGE_PREDICTIONS : 0);
    buf_putc(out, '}');
}

void page_json_tests(struct buf *out, const struct sweep_data *d)
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
