/* SPDX-License-Identifier: BSD-3-Clause */
#include "gcn/scores.h"

#include <math.h>

#include "tensor/kernel.h"

int scores_init(struct scores *s, const struct training_target *target, const struct dataset *data,
                struct arena *scratch, struct err *err)
{
    size_t n = (size_t)data->n_samples, n_outputs = (size_t)target->n_outputs;

    *s = (struct scores){.target = target};
    s->output = arena_take(scratch, n * n_outputs, sizeof *s->output);
    s->truth = arena_take(scratch, n, sizeof *s->truth);
    s->label = arena_take(scratch, n, sizeof *s->label);
    s->scratch = arena_take(scratch, 1, metric_scratch_bytes(data->n_samples, data->n_classes));
    return scratch->is_short ? err_nomem(err, "scores", n * (n_outputs + 2) * sizeof(float)) : 0;
}

double scores_metric(const struct scores *s, enum metric metric, int32_t n)
{
    const struct training_target *target = s->target;
    double value;

    if (target->task == TASK_CLASSIFICATION)
        return metric_classification(metric, s->label, s->output, n, target->n_outputs, s->scratch);
    value = metric_regression(metric, s->truth, s->output, n, s->scratch);
    return metric == METRIC_RMSE || metric == METRIC_MAE ? value * target->sd : value;
}

double scores_prepare(struct scores *s, const int32_t *samples, int32_t n, bool are_logits)
{
    const struct training_target *target = s->target;
    bool has_classes = target->task == TASK_CLASSIFICATION;
    struct mat out = mat_view(s->output, n, target->n_outputs);
    double weight = loss_weight(target, samples, n), loss;

    for (int32_t i = 0; i < n; i++)
        if (has_classes)
            s->label[i] = target->label[samples[i]];
        else
            s->truth[i] = target->standardized[samples[i]];
    if (has_classes && !are_logits)
        return NAN;
    loss = loss_of(NULL, weight, &out, samples, target);
    if (has_classes)
        kernel_log_softmax(&out);
    return loss / weight;
}

void scores_put(struct gcn_outcome *outcome, struct scores *s, const struct split *split,
                bool are_logits, scores_predict *predict, void *arg)
{
    const struct {
        enum part part;
        const int32_t *samples;
        int32_t n;
    } parts[] = {{PART_TRAIN, split->train, split->n_train},
                 {PART_VAL, split->val, split->n_val},
                 {PART_TEST, split->test, split->n_test},
                 {PART_STOP, split->stop, split->n_stop}};

    for (size_t p = 0; p < sizeof parts / sizeof *parts; p++) {
        enum part part = parts[p].part;
        int32_t n = parts[p].n;

        if (!n)
            continue;
        for (int32_t i = 0; i < n; i++)
            predict(arg, s->output + (int64_t)i * s->target->n_outputs, parts[p].samples[i]);
        outcome->losses[part] = scores_prepare(s, parts[p].samples, n, are_logits);
        for (int m = 0; m < METRIC_COUNT; m++)
            if (metric_rows[m].task == s->target->task && (are_logits || m != METRIC_LOG_LOSS))
                outcome->metrics[part][m] = scores_metric(s, (enum metric)m, n);
    }
}
