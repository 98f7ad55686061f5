/* SPDX-License-Identifier: BSD-3-Clause */
#include "predict/predictions.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/log.h"
#include "gcn/metric.h"

int predictions_init(struct predictions *p, int32_t n, int32_t n_models, int32_t n_outputs,
                     struct err *err)
{
    size_t size = (size_t)n * (size_t)n_models * (size_t)n_outputs;

    p->n = n;
    p->n_models = n_models;
    p->n_outputs = n_outputs;
    p->v = malloc((size + 1) * sizeof *p->v);
    if (!p->v)
        return err_nomem(err, "predictions", size * sizeof *p->v);
    for (size_t i = 0; i < size; i++)
        p->v[i] = NAN;
    return 0;
}

void predictions_release(struct predictions *p)
{
    if (!p)
        return;
    free(p->v);
    p->v = NULL;
}

/* NaN: no prediction. */
static double output_of_model(const struct predictions *p, int32_t model, int32_t sample, int32_t c)
{
    return p->v[((int64_t)model * p->n + sample) * p->n_outputs + c];
}

/* Over the models that predicted the sample. Returns their number. */
static int32_t summarize(double *mean, double *sd, const struct predictions *p, int32_t sample,
                         int32_t c)
{
    double sum = 0, squares = 0;
    int32_t n = 0;

    for (int32_t m = 0; m < p->n_models; m++)
        if (!isnan(output_of_model(p, m, sample, c))) {
            sum += output_of_model(p, m, sample, c);
            n++;
        }
    *mean = n ? sum / n : (double)NAN;
    for (int32_t m = 0; m < p->n_models; m++)
        if (!isnan(output_of_model(p, m, sample, c)))
            squares += (output_of_model(p, m, sample, c) - *mean) *
                       (output_of_model(p, m, sample, c) - *mean);
    *sd = n > 1 ? sqrt(squares / (n - 1)) : (double)NAN;
    return n;
}

/* ---- the table ---- */

static bool has_classes(const struct predictions *p)
{
    return p->data->task == TASK_CLASSIFICATION;
}

static int add_name(struct result_table *t, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static int add_name(struct result_table *t, const char *format, ...)
{
    va_list args;
    int n;

    va_start(args, format);
    n = vasprintf(&t->names[t->n_cols], format, args);
    va_end(args);
    t->n_cols += n >= 0;
    return n < 0 ? -1 : 0;
}

static int add_names(struct result_table *t, const struct predictions *p, bool is_each)
{
    static const char *const first[] = {"id", "prediction", "sd", "models", "sample"};
    int rc = 0;

    for (size_t i = 0; i < sizeof first / sizeof *first; i++)
        rc |= add_name(t, "%s", first[i]);
    for (int32_t c = 0; has_classes(p) && c < p->n_outputs; c++)
        rc |=
            add_name(t, "%s_%s", p->is_probability ? "p" : "score", dataset_class_name(p->data, c));
    for (int32_t m = 0; is_each && m < p->n_models; m++)
        for (int32_t c = 0; c < p->n_outputs; c++)
            rc |= add_name(t, "t%lld%s%s", (long long)p->trial[m], has_classes(p) ? "_" : "",
                           has_classes(p) ? dataset_class_name(p->data, c) : "");
    return rc;
}

/* Models compute with floats. More digits would be noise. */
#define DIGITS 7

static int exponent(double value)
{
    return isnormal(value) ? (int)floor(log10(fabs(value))) : 0;
}

double predictions_round(double value, double unit)
{
    int above = exponent(value) - exponent(unit), digits = DIGITS + (above > 0 ? above : 0);
    char text[64];

    if (isnan(value))
        return value;
    snprintf(text, sizeof text, "%.*g", digits < DBL_DECIMAL_DIG ? digits : DBL_DECIMAL_DIG, value);
    return strtod(text, NULL);
}

static struct cell rounded(double value, double unit)
{
    if (isnan(value))
        return (struct cell){.type = CELL_NULL};
    return (struct cell){.type = CELL_REAL, .f = predictions_round(value, unit)};
}

static int put_text(struct cell *cell, const char *text)
{
    char *copy = strdup(text);

    *cell = (struct cell){.type = copy ? CELL_TEXT : CELL_NULL, .s = copy};
    return copy ? 0 : -1;
}

static int32_t likeliest(const struct predictions *p, int32_t sample)
{
    double most = -INFINITY, mean, sd;
    int32_t best = 0;

    for (int32_t c = 0; c < p->n_outputs; c++) {
        summarize(&mean, &sd, p, sample, c);
        if (mean > most) {
            most = mean;
            best = c;
        }
    }
    return best;
}

static const char *sample_word(enum part part)
{
    return part == PART_NONE ? "new" : part == PART_TRAIN ? "training" : part_name(part);
}

static int put_row(struct cell *row, const struct predictions *p, int32_t sample, bool is_each)
{
    int32_t best = likeliest(p, sample), at = 5;
    double mean, sd, unused;
    int32_t n = summarize(&mean, &sd, p, sample, best);
    int rc = put_text(&row[0], p->id[sample]);

    row[1] = rounded(mean, p->unit);
    if (!rc && has_classes(p))
        rc = put_text(&row[1], dataset_class_name(p->data, best));
    row[2] = rounded(sd, p->unit);
    row[3] = (struct cell){.type = CELL_INTEGER, .i = n};
    row[4] = (struct cell){.type = CELL_NULL};
    if (!rc && p->part)
        rc = put_text(&row[4], sample_word((enum part)p->part[sample]));
    for (int32_t c = 0; has_classes(p) && c < p->n_outputs; c++) {
        summarize(&mean, &unused, p, sample, c);
        row[at++] = rounded(mean, p->unit);
    }
    for (int32_t m = 0; is_each && m < p->n_models; m++)
        for (int32_t c = 0; c < p->n_outputs; c++)
            row[at++] = rounded(output_of_model(p, m, sample, c), p->unit);
    return rc;
}

int predictions_put(struct result_table *table, const struct predictions *p, bool is_each,
                    struct err *err)
{
    int32_t n_cols =
        5 + (has_classes(p) ? p->n_outputs : 0) + (is_each ? p->n_models * p->n_outputs : 0);
    size_t size = ((size_t)table->n_rows + (size_t)p->n) * (size_t)n_cols;
    struct cell *grown = realloc(table->cells, (size + 1) * sizeof *grown);
    double mean, sd;
    int rc = grown ? 0 : -1;

    if (grown)
        table->cells = grown;
    if (!rc && !table->names) {
        table->names = calloc((size_t)n_cols, sizeof *table->names);
        rc = table->names ? add_names(table, p, is_each) : -1;
    }
    for (int32_t i = 0; !rc && i < p->n; i++)
        if (summarize(&mean, &sd, p, i, 0) > 0) {
            rc = put_row(grown + table->n_rows * n_cols, p, i, is_each);
            table->n_rows += rc == 0;
        }
    return rc ? err_nomem(err, "predictions", size * sizeof *grown) : 0;
}

/* ---- the scores ---- */

/* In the form that metrics take. */
struct scored {
    const struct predictions *p;
    int32_t *sample; /* [n] */
    int32_t n;
    float *output;  /* (n, C) log-probabilities, class scores, or standardised targets */
    float *truth;   /* [n] standardised */
    int32_t *label; /* [n] */
    void *scratch;
    double mean, sd; /* of the targets; floats of large targets would lose all digits */
};

/* stands for the mean of the models */
enum { ALL = -1 };

static double output_of(const struct predictions *p, int32_t model, int32_t sample, int32_t c)
{
    double mean, sd;

    if (model != ALL)
        return output_of_model(p, model, sample, c);
    summarize(&mean, &sd, p, sample, c);
    return mean;
}

static int scored_init(struct scored *s, const struct predictions *p, struct err *err)
{
    size_t n = (size_t)p->n;

    *s = (struct scored){.p = p, .sd = 1};
    s->sample = malloc(n * sizeof *s->sample);
    s->output = malloc(n * (size_t)p->n_outputs * sizeof *s->output);
    s->truth = malloc(n * sizeof *s->truth);
    s->label = malloc(n * sizeof *s->label);
    s->scratch = malloc(metric_scratch_bytes(p->n, p->data->n_classes));
    if (!s->sample || !s->output || !s->truth || !s->label || !s->scratch)
        return err_nomem(err, "scores", n * (size_t)p->n_outputs * sizeof *s->output);
    return 0;
}

static void scored_release(struct scored *s)
{
    free(s->sample);
    free(s->output);
    free(s->truth);
    free(s->label);
    free(s->scratch);
}

static void take_model(struct scored *s, int32_t model)
{
    const struct predictions *p = s->p;
    const float *target = p->data->target;
    double squares = 0;

    s->n = 0;
    s->mean = 0;
    for (int32_t i = 0; i < p->n; i++)
        if (!isnan(output_of(p, model, i, 0)) && dataset_is_labelled(p->data, i))
            s->sample[s->n++] = i;
    for (int32_t k = 0; target && k < s->n; k++)
        s->mean += (double)target[s->sample[k]] / s->n;
    for (int32_t k = 0; target && k < s->n; k++)
        squares +=
            ((double)target[s->sample[k]] - s->mean) * ((double)target[s->sample[k]] - s->mean);
    s->sd = squares > 0 ? sqrt(squares / s->n) : 1;
    for (int32_t k = 0; target && k < s->n; k++) {
        s->truth[k] = (float)(((double)target[s->sample[k]] - s->mean) / s->sd);
        s->output[k] = (float)((output_of(p, model, s->sample[k], 0) - s->mean) / s->sd);
    }
    for (int32_t k = 0; !target && k < s->n; k++) {
        s->label[k] = p->data->label[s->sample[k]];
        for (int32_t c = 0; c < p->n_outputs; c++) {
            double v = output_of(p, model, s->sample[k], c);

            s->output[(int64_t)k * p->n_outputs + c] = (float)(p->is_probability ? log(v) : v);
        }
    }
}

static double score(const struct scored *s, enum metric metric)
{
    const struct predictions *p = s->p;
    double value;

    if (p->data->task == TASK_CLASSIFICATION)
        return metric_classification(metric, s->label, s->output, s->n, p->n_outputs, s->scratch);
    value = metric_regression(metric, s->truth, s->output, s->n, s->scratch);
    return metric == METRIC_RMSE || metric == METRIC_MAE ? value * s->sd : value;
}

/* Only probabilities have a log_loss. */
static bool has_metric(const struct predictions *p, enum metric metric)
{
    return metric_rows[metric].task == p->data->task &&
           (metric != METRIC_LOG_LOSS || p->is_probability);
}

static void put_scores(struct buf *out, const struct predictions *p,
                       const double value[METRIC_COUNT])
{
    const char *between = "";

    for (int m = 0; m < METRIC_COUNT; m++) {
        if (!has_metric(p, (enum metric)m))
            continue;
        buf_printf(out, "%s%s ", between, metric_rows[m].name);
        if (isnan(value[m]))
            buf_puts(out, "undefined");
        else
            buf_printf(out, "%.4g", value[m]);
        between = ", ";
    }
}

/* A share 1 / n of each. */
static void add_scores(double sum[METRIC_COUNT], const struct scored *s, int32_t n)
{
    for (int m = 0; m < METRIC_COUNT; m++)
        if (has_metric(s->p, (enum metric)m))
            sum[m] += score(s, (enum metric)m) / n;
}

static void put_models(struct buf *out, const struct scored *s)
{
    int32_t fewest = s->p->n_models, most = 0;
    double mean, sd;

    for (int32_t i = 0; i < s->n; i++) {
        int32_t n = summarize(&mean, &sd, s->p, s->sample[i], 0);

        fewest = n < fewest ? n : fewest;
        most = n > most ? n : most;
    }
    if (s->p->n_models == 1)
        buf_printf(out, "by t%lld", (long long)s->p->trial[0]);
    else if (fewest == s->p->n_models)
        buf_printf(out, "each predicted by the mean of %d models", most);
    else
        buf_printf(out, "each predicted by the %s of %d models that %s it in this part",
                   most == 1 ? "one" : "mean of those", s->p->n_models, most == 1 ? "has" : "have");
}

int predictions_score(const struct predictions *p, const char *part, struct err *err)
{
    double together[METRIC_COUNT] = {0}, mean[METRIC_COUNT] = {0};
    struct buf line = {0};
    struct scored s;

    if (scored_init(&s, p, err)) {
        scored_release(&s);
        return -1;
    }
    take_model(&s, ALL);
    add_scores(together, &s, 1);
    buf_printf(&line, "%s: %d samples, ", part, s.n);
    put_models(&line, &s);
    buf_puts(&line, ": ");
    put_scores(&line, p, together);
    log_info("%s", buf_text(&line));
    for (int32_t m = 0; p->n_models > 1 && m < p->n_models; m++) {
        take_model(&s, m);
        add_scores(mean, &s, p->n_models);
    }
    buf_clear(&line);
    put_scores(&line, p, mean);
    if (p->n_models > 1)
        log_info("%s: mean of the %d models' own scores, as in 'best': %s", part, p->n_models,
                 buf_text(&line));
    buf_release(&line);
    scored_release(&s);
    return 0;
}
