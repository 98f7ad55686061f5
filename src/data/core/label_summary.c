/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/core/label_summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void count(int64_t *sizes, int32_t n_sizes, const int32_t *member, const struct dataset *d)
{
    memset(sizes, 0, (size_t)n_sizes * sizeof *sizes);
    for (int32_t i = 0; i < d->n_samples; i++)
        if (dataset_is_labelled(d, i))
            sizes[member[i]]++;
}

void label_class_sizes(int64_t *sizes, const struct dataset *d)
{
    count(sizes, d->n_classes, d->label, d);
}

void label_group_sizes(int64_t *sizes, const struct dataset *d)
{
    count(sizes, d->n_groups, d->group, d);
}

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

static double quantile(const double *sorted, int32_t n, double share)
{
    double at = share * (n - 1), below = floor(at);
    int32_t i = (int32_t)below, next = i + 1 < n ? i + 1 : i;

    return sorted[i] + (at - below) * (sorted[next] - sorted[i]);
}

void target_summarize(struct target_summary *out, double *sorted, const struct dataset *d)
{
    double squares = 0;
    int32_t n = 0;

    *out = (struct target_summary){0};
    for (int32_t i = 0; i < d->n_samples; i++)
        if (dataset_is_labelled(d, i))
            sorted[n++] = (double)d->target[i];
    if (!n)
        return;
    qsort(sorted, (size_t)n, sizeof *sorted, compare);
    for (int32_t i = 0; i < n; i++)
        out->mean += sorted[i] / n;
    for (int32_t i = 0; i < n; i++)
        squares += (sorted[i] - out->mean) * (sorted[i] - out->mean);
    out->n = n;
    out->sd = n > 1 ? sqrt(squares / (n - 1)) : 0;
    out->min = sorted[0];
    out->quartile_1 = quantile(sorted, n, 0.25);
    out->median = quantile(sorted, n, 0.5);
    out->quartile_3 = quantile(sorted, n, 0.75);
    out->max = sorted[n - 1];
}
