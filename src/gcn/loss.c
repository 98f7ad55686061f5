/* SPDX-License-Identifier: BSD-3-Clause */
#include "gcn/loss.h"

#include <math.h>

#include "tensor/kernel.h"

static void measure(struct training_target *target, const int32_t *train, int32_t n_train)
{
    double squares = 0;

    target->mean = 0;
    for (int32_t i = 0; i < n_train; i++)
        target->mean += (double)target->original[train[i]] / n_train;
    for (int32_t i = 0; i < n_train; i++) {
        double difference = (double)target->original[train[i]] - target->mean;

        squares += difference * difference;
    }
    target->sd = sqrt(squares / n_train);
    if (!(target->sd > 0))
        target->sd = 1;
}

static int balance(struct training_target *target, const int32_t *train, int32_t n_train,
                   struct arena *scratch)
{
    float *weight = arena_take_zeroed(scratch, (size_t)target->n_outputs, sizeof *weight);
    int32_t *n = arena_take_zeroed(scratch, (size_t)target->n_outputs, sizeof *n);
    int32_t n_seen = 0;

    if (!weight || !n)
        return -1;
    for (int32_t i = 0; i < n_train; i++)
        n_seen += n[target->label[train[i]]]++ == 0;
    for (int32_t c = 0; c < target->n_outputs; c++)
        weight[c] = (float)((double)n_train / ((double)n_seen * (n[c] > 0 ? n[c] : 1)));
    target->class_weight = weight;
    return 0;
}

int training_target_init(struct training_target *target, const struct gcn_spec *spec,
                         const struct dataset *data, const int32_t *train, int32_t n_train,
                         struct arena *scratch, struct err *err)
{
    size_t n = (size_t)data->n_samples;

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
    measure(target, train, n_train);
    for (size_t i = 0; i < n; i++)
        target->standardized[i] =
            (float)(((double)target->original[i] - target->mean) / target->sd);
    return 0;
}

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
