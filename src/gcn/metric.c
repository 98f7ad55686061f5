/* SPDX-License-Identifier: BSD-3-Clause */
#include "gcn/metric.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct metric_row metric_rows[METRIC_COUNT] = {
#define METRIC_ROW(id, name, words, task, larger, least, most, lack) \
    {name, words, task, larger, least, most, lack},
    METRIC_TABLE(METRIC_ROW)
#undef METRIC_ROW
};

int metric_parse(const char *name)
{
    for (int i = 0; i < METRIC_COUNT; i++)
        if (strcmp(name, metric_rows[i].name) == 0)
            return i;
    return -1;
}

struct ranked {
    float value;
    int32_t index;
};

size_t metric_scratch_bytes(int32_t n, int32_t n_classes)
{
    size_t ranks = (size_t)n * (2 * sizeof(double) + sizeof(struct ranked));
    size_t counts = 3 * (size_t)n_classes * sizeof(int32_t);

    return (ranks > counts ? ranks : counts) + sizeof(double);
}

static int compare_ranked(const void *left, const void *right)
{
    const struct ranked *a = left;
    const struct ranked *b = right;

    return (a->value > b->value) - (a->value < b->value);
}

/* rank out [n]: 1 for the smallest; ties share their mean rank. */
static void mid_ranks(double *rank, struct ranked *order, const float *value, int64_t stride,
                      int32_t n)
{
    for (int32_t i = 0; i < n; i++)
        order[i] = (struct ranked){value[i * stride], i};
    qsort(order, (size_t)n, sizeof *order, compare_ranked);
    for (int32_t begin = 0, end; begin < n; begin = end) {
        for (end = begin + 1; end < n && order[end].value == order[begin].value; end++)
            ;
        for (int32_t i = begin; i < end; i++)
            rank[order[i].index] = 0.5 * (begin + 1 + end);
    }
}

/* Means first, so that large offsets do not cancel. */
static double correlation(const double *x, const double *y, int32_t n)
{
    double mean_x = 0, mean_y = 0, xx = 0, yy = 0, xy = 0;

    for (int32_t i = 0; i < n; i++) {
        mean_x += x[i] / n;
        mean_y += y[i] / n;
    }
    for (int32_t i = 0; i < n; i++) {
        double dx = x[i] - mean_x;
        double dy = y[i] - mean_y;

        xx += dx * dx;
        yy += dy * dy;
        xy += dx * dy;
    }
    return xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : 0;
}

static bool is_constant(const float *v, int32_t n)
{
    for (int32_t i = 1; i < n; i++)
        if (v[i] != v[0])
            return false;
    return true;
}

static double squared_error(const float *truth, const float *prediction, int32_t n)
{
    double sum = 0;

    for (int32_t i = 0; i < n; i++) {
        double difference = (double)truth[i] - (double)prediction[i];

        sum += difference * difference;
    }
    return sum;
}

static bool has_nan(const float *v, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (isnan(v[i]))
            return true;
    return false;
}

double metric_regression(enum metric metric, const float *truth, const float *prediction, int32_t n,
                         void *scratch)
{
    double *x = scratch, *y = x + n, sum = 0, mean = 0;
    struct ranked *order = (struct ranked *)(y + n);

    if (n == 0 || has_nan(prediction, n))
        return NAN;
    switch (metric) {
    case METRIC_PEARSON:
    case METRIC_SPEARMAN:
        if (is_constant(truth, n) || is_constant(prediction, n))
            return NAN;
        for (int32_t i = 0; i < n; i++) {
            x[i] = (double)truth[i];
            y[i] = (double)prediction[i];
        }
        if (metric == METRIC_SPEARMAN) {
            mid_ranks(x, order, truth, 1, n);
            mid_ranks(y, order, prediction, 1, n);
        }
        return correlation(x, y, n);
    case METRIC_R2:
        if (is_constant(truth, n))
            return NAN;
        for (int32_t i = 0; i < n; i++)
            mean += (double)truth[i] / n;
        for (int32_t i = 0; i < n; i++)
            sum += ((double)truth[i] - mean) * ((double)truth[i] - mean);
        return 1 - squared_error(truth, prediction, n) / sum;
    case METRIC_RMSE:
        return sqrt(squared_error(truth, prediction, n) / n);
    case METRIC_MAE:
        for (int32_t i = 0; i < n; i++)
            sum += fabs((double)truth[i] - (double)prediction[i]);
        return sum / n;
    default:
        assert(!"a regression metric");
        return NAN;
    }
}

static int32_t predicted(const float *log_prob, int32_t n_classes)
{
    int32_t best = 0;

    for (int32_t c = 1; c < n_classes; c++)
        if (log_prob[c] > log_prob[best])
            best = c;
    return best;
}

/* F1 = 2 hits / (truths + predictions): van Rijsbergen 1979, chapter 7. */
static double macro_f1(const int32_t *truth, const float *log_prob, int32_t n, int32_t n_classes,
                       int32_t *counts)
{
    int32_t *hits = counts, *truths = hits + n_classes, *predictions = truths + n_classes;
    double sum = 0;
    int32_t present = 0;

    memset(counts, 0, 3 * (size_t)n_classes * sizeof *counts);
    for (int32_t i = 0; i < n; i++) {
        int32_t guess = predicted(log_prob + (int64_t)i * n_classes, n_classes);

        truths[truth[i]]++;
        predictions[guess]++;
        hits[guess] += guess == truth[i];
    }
    for (int32_t c = 0; c < n_classes; c++) {
        if (truths[c] + predictions[c] == 0)
            continue;
        sum += 2.0 * hits[c] / (truths[c] + predictions[c]);
        present++;
    }
    return sum / present;
}

/* Compare one class with the rest; NaN if a side is empty. */
static double one_auc(const int32_t *truth, const float *log_prob, int32_t n, int32_t n_classes,
                      int32_t c, double *rank)
{
    double sum = 0;
    double n_in = 0;

    mid_ranks(rank, (struct ranked *)(rank + 2 * (size_t)n), log_prob + c, n_classes, n);
    for (int32_t i = 0; i < n; i++)
        if (truth[i] == c) {
            sum += rank[i];
            n_in++;
        }
    if (n_in == 0 || n_in == n)
        return NAN;
    return (sum - n_in * (n_in + 1) / 2) / (n_in * (n - n_in));
}

static double roc_auc(const int32_t *truth, const float *log_prob, int32_t n, int32_t n_classes,
                      double *rank)
{
    double sum = 0;
    int32_t present = 0;

    if (n_classes == 2)
        return one_auc(truth, log_prob, n, 2, 1, rank);
    for (int32_t c = 0; c < n_classes; c++) {
        double auc = one_auc(truth, log_prob, n, n_classes, c, rank);

        if (isnan(auc))
            continue;
        sum += auc;
        present++;
    }
    return present ? sum / present : NAN;
}

double metric_classification(enum metric metric, const int32_t *truth, const float *log_prob,
                             int32_t n, int32_t n_classes, void *scratch)
{
    double sum = 0;

    if (n == 0 || has_nan(log_prob, (int64_t)n * n_classes))
        return NAN;
    switch (metric) {
    case METRIC_ACCURACY:
        for (int32_t i = 0; i < n; i++)
            sum += predicted(log_prob + (int64_t)i * n_classes, n_classes) == truth[i];
        return sum / n;
    case METRIC_MACRO_F1:
        return macro_f1(truth, log_prob, n, n_classes, scratch);
    case METRIC_ROC_AUC:
        return roc_auc(truth, log_prob, n, n_classes, scratch);
    case METRIC_LOG_LOSS:
        for (int32_t i = 0; i < n; i++)
            sum -= (double)log_prob[(int64_t)i * n_classes + truth[i]];
        return sum / n;
    default:
        assert(!"a classification metric");
        return NAN;
    }
}
