#include "gcn/loss.h"

#include <math.h>

#include "tensor/kernel.h"

static void measure(struct target *target, const int32_t *train, int32_t n_train)
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

int target_init(struct target *target, const struct dataset *data, const int32_t *train,
                int32_t n_train, struct arena *scratch, struct err *err)
{
    size_t n = (size_t)data->n_samples;

    *target = (struct target){.task = data->task, .mean = 0, .sd = 1};
    if (data->task == TASK_CLASSIFICATION) {
        target->n_outputs = data->n_classes;
        target->label = data->label;
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

double loss_of(struct mat *d, const struct mat *z, const int32_t *nodes,
               const struct target *target)
{
    double scale = 1.0 / z->n_rows;

    if (target->task == TASK_CLASSIFICATION)
        return kernel_cross_entropy(d, z, nodes, target->label, scale);
    return kernel_squared_error(d, z, nodes, target->standardized, scale);
}
