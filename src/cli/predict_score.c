#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "cli/predict.h"
#include "gcn/metric.h"

/* Predictions beside the truth, as metrics take them. */
struct scored {
    const struct predictions *p;
    int32_t *sample; /* [n] */
    int32_t n;
    float *output;  /* (n, C) log-probabilities or scores of classes, else standardised targets */
    float *truth;   /* [n] regression, standardised */
    int32_t *label; /* [n] classification */
    void *scratch;
    double mean, sd; /* of the targets: floats of them all may have no digits left */
};

/* Model `all` is the mean of those that were asked. */
enum { ALL = -1 };

static double output_of(const struct predictions *p, int32_t model, int32_t sample, int32_t c)
{
    return model == ALL ? predictions_mean(p, sample, c) : predictions_output(p, model, sample, c);
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

static void learn_targets(struct scored *s)
{
    const float *target = s->p->data->target;
    double squares = 0;

    s->mean = 0;
    for (int32_t i = 0; i < s->n; i++)
        s->mean += (double)target[s->sample[i]] / s->n;
    for (int32_t i = 0; i < s->n; i++) {
        double d = (double)target[s->sample[i]] - s->mean;

        squares += d * d;
    }
    s->sd = squares > 0 ? sqrt(squares / s->n) : 1;
}

static void take_classes(struct scored *s, int32_t model)
{
    const struct predictions *p = s->p;

    for (int32_t i = 0; i < s->n; i++) {
        float *to = s->output + (int64_t)i * p->n_outputs;

        s->label[i] = p->data->label[s->sample[i]];
        for (int32_t c = 0; c < p->n_outputs; c++) {
            double v = output_of(p, model, s->sample[i], c);

            to[c] = (float)(p->is_probability ? log(v) : v);
        }
    }
}

static void take_targets(struct scored *s, int32_t model)
{
    const struct predictions *p = s->p;

    learn_targets(s);
    for (int32_t i = 0; i < s->n; i++) {
        double truth = (double)p->data->target[s->sample[i]];

        s->truth[i] = (float)((truth - s->mean) / s->sd);
        s->output[i] = (float)((output_of(p, model, s->sample[i], 0) - s->mean) / s->sd);
    }
}

/* What a model said that it was asked. */
static void take(struct scored *s, int32_t model)
{
    s->n = 0;
    for (int32_t i = 0; i < s->p->n; i++)
        if (!isnan(output_of(s->p, model, i, 0)) && dataset_is_labelled(s->p->data, i))
            s->sample[s->n++] = i;
    (s->p->data->task == TASK_CLASSIFICATION ? take_classes : take_targets)(s, model);
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

/* Scores that are no probabilities have no log_loss. */
static bool has_metric(const struct predictions *p, enum metric metric)
{
    return metric_task(metric) == p->data->task && (metric != METRIC_LOG_LOSS || p->is_probability);
}

static void put_scores(struct buf *out, const struct predictions *p,
                       const double value[METRIC_COUNT])
{
    const char *between = "";

    for (int m = 0; m < METRIC_COUNT; m++) {
        if (!has_metric(p, (enum metric)m))
            continue;
        buf_printf(out, "%s%s ", between, metric_name((enum metric)m));
        if (isnan(value[m]))
            buf_puts(out, "undefined");
        else
            buf_printf(out, "%.4g", value[m]);
        between = ", ";
    }
}

static void add_scores(double sum[METRIC_COUNT], const struct scored *s)
{
    for (int m = 0; m < METRIC_COUNT; m++)
        if (has_metric(s->p, (enum metric)m))
            sum[m] += score(s, (enum metric)m) / s->p->n_models;
}

/* How many models were asked of a sample: the fewest and the most. */
static void count_models(int32_t *fewest, int32_t *most, const struct scored *s)
{
    *fewest = s->p->n_models;
    *most = 0;
    for (int32_t i = 0; i < s->n; i++) {
        int32_t n = 0;

        for (int32_t m = 0; m < s->p->n_models; m++)
            n += !isnan(predictions_output(s->p, m, s->sample[i], 0));
        *fewest = n < *fewest ? n : *fewest;
        *most = n > *most ? n : *most;
    }
}

static void put_models(struct buf *out, const struct scored *s)
{
    int32_t fewest, most;

    count_models(&fewest, &most, s);
    if (s->p->n_models == 1)
        buf_printf(out, "by t%lld", (long long)s->p->trial[0]);
    else if (fewest == s->p->n_models)
        buf_printf(out, "each by the mean of %d models", most);
    else if (most == 1)
        buf_printf(out, "pooled, each by the one of %d models that has it there", s->p->n_models);
    else
        buf_printf(out, "pooled, each by the mean of those of %d models that have it there",
                   s->p->n_models);
}

static void tell_together(struct scored *s, const char *part)
{
    double value[METRIC_COUNT] = {0};
    struct buf line = {0};

    take(s, ALL);
    for (int m = 0; m < METRIC_COUNT; m++)
        if (has_metric(s->p, (enum metric)m))
            value[m] = score(s, (enum metric)m);
    buf_printf(&line, "%s: %d samples, ", part, s->n);
    put_models(&line, s);
    buf_puts(&line, ": ");
    put_scores(&line, s->p, value);
    log_info("%s", buf_text(&line));
    buf_release(&line);
}

static void tell_each(struct scored *s, const char *part)
{
    double mean[METRIC_COUNT] = {0};
    struct buf line = {0};

    for (int32_t m = 0; m < s->p->n_models; m++) {
        take(s, m);
        add_scores(mean, s);
    }
    buf_printf(&line, "%s: mean of the %d models' own scores, as best has it: ", part,
               s->p->n_models);
    put_scores(&line, s->p, mean);
    log_info("%s", buf_text(&line));
    buf_release(&line);
}

int predict_score(const struct predictions *p, const char *part, struct err *err)
{
    struct scored s;
    int rc = scored_init(&s, p, err);

    if (!rc)
        tell_together(&s, part);
    if (!rc && p->n_models > 1)
        tell_each(&s, part);
    scored_release(&s);
    return rc;
}
