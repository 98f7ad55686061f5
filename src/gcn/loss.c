/* SPDX-License-Identifier: BSD-3-Clause */
#include "gcn/loss.h"

#include <math.h>

#include "tensor/kernel.h"

static int balance(struct training_target *target, const int32_t *train, int32_t n_train,
                   struct arena *scratch)
{
    float *weight = arena_take_zeroed(scratch, (size_t)target->n_outputs, sizeof *weight);
    int32_t *n = arena_take_zeroed(scratch, (size_t)target->n_outputs, sizeof *n);
    int32_t n_seen = 0;

    target->class_weight = weight;
    if (scratch->is_short || scratch->counts)
        return scratch->is_short ? -1 : 0;
    for (int32_t i = 0; i < n_train; i++)
        n_seen += n[target->label[train[i]]]++ == 0;
    for (int32_t c = 0; c < target->n_outputs; c++)
        weight[c] = (float)((double)n_train / ((double)n_seen * (n[c] > 0 ? n[c] : 1)));
    return 0;
}

static void standardize(struct training_target *target, int32_t n)
{
    for (int32_t i = 0; i < n; i++)
        target->standardized[i] =
            (float)(((double)target->original[i] - target->mean) / target->sd);
}

int training_target_init(struct training_target *target, const struct gcn_spec *spec,
                         const struct dataset *data, const int32_t *train, int32_t n_train,
                         struct arena *scratch, struct err *err)
{
    size_t n = (size_t)data->n_samples;
    double squares = 0;

    *target = (struct training_target){.task = data->task, .mean = 0, .sd = 1};
    if (data->task == TASK_CLASSIFICATION) {
        target->n_outputs = data->n_classes;
        target->label = data->label;
        if (spec->class_weights == CLASSES_BALANCED && balance(target, train, n_train, scratch))
            return err_nomem(err, "class weights", (size_t)data->n_classes * sizeof(float));
        return 0;
    }
    target->n_outputs = 1;
    target->original = data->target;
    target->standardized = arena_take(scratch, n, sizeof(float));
    if (!target->standardized)
        return err_nomem(err, "targets", n * sizeof(float));
    if (scratch->counts)
        return 0;
    for (int32_t i = 0; i < n_train; i++)
        target->mean += (double)target->original[train[i]] / n_train;
    for (int32_t i = 0; i < n_train; i++) {
        double difference = (double)target->original[train[i]] - target->mean;

        squares += difference * difference;
    }
    target->sd = sqrt(squares / n_train);
    if (!(target->sd > 0))
        target->sd = 1;
    standardize(target, data->n_samples);
    return 0;
}

/* ---- fixed effects ---- */

/* y in: the training targets. The mean of the fit becomes the target's mean, so that offsets are small:
 * floats hold them, also where a column has a large mean and a small spread (years, coordinates). */
static void fit_regression(struct training_target *target, const struct fixed_design *design,
                           const struct dataset *data, const int32_t *train, double *y, double *c)
{
    struct fixed_effects *fixed = &target->fixed;
    double squares = 0, sum = 0, whole = target->sd;

    fixed_least_squares(fixed, design, y, c);
    for (int32_t i = 0; i < design->n; i++) {
        double fitted = fixed_effect(fixed, dataset_fixed(data, train[i]), 0);

        squares += (y[i] - fitted) * (y[i] - fitted);
        sum += fitted;
    }
    target->mean = sum / design->n;
    fixed->intercept[0] -= target->mean;
    target->sd = sqrt(squares / design->n);
    if (!(target->sd > 1e-9 * whole)) /* nothing is left */
        target->sd = whole;
    standardize(target, data->n_samples);
}

static int fit(struct training_target *target, const struct fixed_design *design,
               const struct dataset *data, const int32_t *train, struct arena *scratch,
               struct err *err)
{
    size_t n = (size_t)design->n;
    double *y = arena_take(scratch, n, sizeof *y);
    double *c = arena_take(scratch, (size_t)design->rank, sizeof *c);
    int32_t *label = arena_take(scratch, n, sizeof *label);

    if (scratch->is_short)
        return err_nomem(err, "fixed effects", n * sizeof *y);
    if (scratch->counts)
        return target->task == TASK_CLASSIFICATION
                   ? fixed_logistic(&target->fixed, design, label, NULL, scratch, err)
                   : 0;
    for (int32_t i = 0; i < design->n; i++)
        if (target->task == TASK_CLASSIFICATION)
            label[i] = target->label[train[i]];
        else
            y[i] = (double)target->original[train[i]];
    if (target->task == TASK_CLASSIFICATION)
        return fixed_logistic(&target->fixed, design, label, target->class_weight, scratch, err);
    fit_regression(target, design, data, train, y, c);
    return 0;
}

int training_target_fit_fixed(struct training_target *target, const struct dataset *data,
                              const int32_t *train, int32_t n_train, struct arena *scratch,
                              struct err *err)
{
    size_t n = (size_t)data->n_samples, n_outputs = (size_t)target->n_outputs;
    struct fixed_design design;

    if (!data->n_fixed)
        return 0;
    if (fixed_design_init(&design, data, train, n_train, scratch, err) ||
        fixed_effects_init(&target->fixed, data->n_fixed, target->n_outputs, scratch, err) ||
        fit(target, &design, data, train, scratch, err))
        return -1;
    target->offset = arena_take(scratch, n * n_outputs, sizeof *target->offset);
    if (!target->offset)
        return err_nomem(err, "fixed effects", n * n_outputs * sizeof *target->offset);
    if (scratch->counts)
        return 0;
    for (int32_t i = 0; i < data->n_samples; i++)
        for (int32_t c = 0; c < target->n_outputs; c++)
            target->offset[(int64_t)i * target->n_outputs + c] =
                (float)(fixed_effect(&target->fixed, dataset_fixed(data, i), c) / target->sd);
    return 0;
}

double training_target_bytes(const struct dataset *data, const struct split *split)
{
    struct arena scratch = {.counts = true};
    struct training_target target;
    struct err err;

    training_target_init(&target, &(struct gcn_spec){0}, data, split->train, split->n_train,
                         &scratch, &err);
    training_target_fit_fixed(&target, data, split->train, split->n_train, &scratch, &err);
    return (double)scratch.peak_bytes; /* it has no blocks */
}

void target_add_offset(struct mat *z, const int32_t *nodes, const struct training_target *target)
{
    if (!target->offset)
        return;
    for (int32_t i = 0; i < z->n_rows; i++)
        for (int32_t c = 0; c < z->n_cols; c++)
            mat_row(z, i)[c] += target->offset[(int64_t)nodes[i] * z->n_cols + c];
}

/* ---- losses ---- */

double loss_weight(const struct training_target *target, const int32_t *nodes, int32_t n)
{
    double sum = 0;

    if (!target->class_weight)
        return n;
    for (int32_t i = 0; i < n; i++)
        sum += (double)target->class_weight[target->label[nodes[i]]];
    return sum;
}

double loss_of(struct mat *d, double divisor, const struct mat *z, const int32_t *nodes,
               const struct training_target *target)
{
    double scale = 1.0 / divisor;

    if (target->task == TASK_CLASSIFICATION)
        return kernel_cross_entropy(d, z, nodes, target->label, target->class_weight, scale);
    return kernel_squared_error(d, z, nodes, target->standardized, scale);
}
