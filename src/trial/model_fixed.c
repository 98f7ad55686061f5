/* SPDX-License-Identifier: BSD-3-Clause */
/* fixed: the fixed effects alone (gcn/fixed.h), by least squares or, for classes, logistic regression:
 * the baseline of every model that has them. */
#include <string.h>

#include "gcn/scores.h"
#include "trial/kept.h"
#include "trial/model_type.h"
#include "trial/spec.h"

static void cost(struct gcn_cost *work, double *bytes, const struct settings *s,
                 const struct dataset *data, const void *outline, const struct split *split)
{
    double n = split->n_train, q = data->n_fixed + 1;

    (void)outline;
    *work = (struct gcn_cost){.flops = fixed_flops(data, split->n_train),
                              .bytes = sizeof(double) * n * q};
    *bytes = training_target_bytes(data, split) + kept_bytes(s, data, data->n_features);
}

/* The outputs of the model are the offsets. */
static void predict(void *arg, float *output, int32_t sample)
{
    const struct training_target *target = arg;
    size_t n = (size_t)target->n_outputs;

    memcpy(output, target->offset + (size_t)sample * n, n * sizeof *output);
}

static int train(struct gcn_outcome *outcome, struct model_training *training, struct err *err)
{
    const struct dataset *data = training->data;
    const struct split *split = training->split;
    double begun_s = clock_now(training->clock), fitted_s;
    struct training_target target;
    struct scores scores;

    gcn_outcome_init(outcome);
    if (training_target_init(&target, &(struct gcn_spec){0}, data, split->train, split->n_train,
                             training->scratch, err) ||
        training_target_fit_fixed(&target, data, split->train, split->n_train, training->scratch,
                                  err) ||
        scores_init(&scores, &target, data, training->scratch, err))
        return -1;
    fitted_s = clock_now(training->clock);
    scores_put(outcome, &scores, split, true, predict, &target);
    outcome->value = outcome->metrics[PART_VAL][spec_objective(training->settings)];
    outcome->seconds[GCN_OPTIMIZER] = fitted_s - begun_s;
    outcome->seconds[GCN_EVALUATION] = clock_now(training->clock) - fitted_s;
    outcome->n_outputs = target.n_outputs;
    outcome->target_mean = target.mean;
    outcome->target_sd = target.sd;
    outcome->fixed = target.fixed;
    return 0;
}

const struct model_type model_fixed = {
    .name = "fixed",
    .words = "fixed effects alone",
    .source = "Searle 1971",
    .reference = "Searle SR (1971) Linear Models. Wiley, New York.",
    .trains = true,
    .gives_probabilities = true,
    .is_baseline = true,
    .cost = cost,
    .train = train,
};
