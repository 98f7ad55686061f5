/* SPDX-License-Identifier: BSD-3-Clause */
/* ridge: ridge regression from the products of all pairs of samples (gcn/ridge.h). */
#include <stdlib.h>

#include "gcn/ridge.h"
#include "trial/kept.h"
#include "trial/model_type.h"
#include "trial/spec.h"

/* ---- inputs: struct ridge_inputs ---- */

struct ridge_outline {
    const struct dataset *data;
};

static int make_key(struct inputs_key *key, const struct dataset *data, const struct settings *s,
                    struct err *err)
{
    (void)data;
    (void)err;
    spec_inputs(&key->spec, s);
    return 0;
}

static int find_outline(void *outline_, struct derived *derived, const struct inputs_key *key,
                        struct err *err)
{
    struct ridge_outline *outline = outline_;
    const struct dataset *data = derived->data;
    double bytes = ridge_bytes(data) + (double)data->block_bytes;

    outline->data = data;
    if (bytes > derived->limit_bytes)
        return err_set(err,
                       "type = ridge: needs %.1f GB for the products of all pairs of the %d "
                       "samples, but this process may use %.1f GB",
                       bytes * 1e-9, data->n_samples, derived->limit_bytes * 1e-9);
    return scale_check(data, key->spec.scale, err);
}

static double inputs_bytes(const void *outline)
{
    return ridge_inputs_bytes(((const struct ridge_outline *)outline)->data);
}

static int make(void *inputs, void *outline, struct derived *derived, const struct inputs_key *key,
                struct err *err)
{
    (void)outline;
    return ridge_inputs_init(inputs, derived->data, key->spec.scale, err);
}

static void release(void *inputs)
{
    ridge_inputs_release(inputs);
}

static const struct inputs_type kernel_inputs = {
    .size = sizeof(struct ridge_inputs),
    .outline_size = sizeof(struct ridge_outline),
    .key = make_key,
    .outline = find_outline,
    .bytes = inputs_bytes,
    .make = make,
    .release = release,
    .packed = &ridge_inputs_packed,
};

/* ---- trials ---- */

static void cost(struct gcn_cost *work, double *bytes, const struct settings *s,
                 const struct dataset *data, const void *outline, const struct split *split)
{
    double n = split->n_train;

    (void)outline;
    *work = ridge_cost(data, split);
    *bytes = n * n * sizeof(double) + training_target_bytes(data, split) +
             kept_bytes(s, data, data->n_features);
}

static int train(struct gcn_outcome *outcome, struct model_training *training, struct err *err)
{
    const struct settings *s = training->settings;
    struct ridge_spec spec;
    const struct ridge_training ridge = {
        .spec = &spec,
        .inputs = training->inputs,
        .split = training->split,
        .threads = (int)s->v[P_THREADS].i,
        .scratch = training->scratch,
        .clock = training->clock,
        .watch = training->watch,
    };

    spec_ridge(&spec, s);
    training->fitted = arena_take(training->scratch, 1, sizeof(struct ridge));
    if (!training->fitted)
        return err_nomem(err, "ridge", sizeof(struct ridge));
    return ridge_train(outcome, training->fitted, &ridge, err);
}

/* In the target's units. */
static int put_fixed(struct gcn_outcome *outcome, const struct ridge *ridge, struct arena *scratch,
                     struct err *err)
{
    const struct fixed_effects *from = &ridge->fixed;

    if (!from->n)
        return 0;
    if (fixed_effects_init(&outcome->fixed, from->n, from->n_outputs, scratch, err))
        return -1;
    for (int32_t i = 0; i < from->n * from->n_outputs; i++)
        outcome->fixed.b[i] = from->b[i] * ridge->target.sd;
    for (int32_t c = 0; c < from->n_outputs; c++)
        outcome->fixed.intercept[c] = from->intercept[c] * ridge->target.sd;
    return 0;
}

/* Weights by features, which the fit does not need. */
static int weights(float **weights, struct gcn_outcome *outcome,
                   const struct model_training *training, struct err *err)
{
    const struct ridge *ridge = training->fitted;
    size_t n = ((size_t)training->data->n_features + 1) * (size_t)ridge->n_outputs;
    struct gcn_inputs_spec made;

    *weights = malloc(n * sizeof **weights);
    if (!*weights)
        return err_nomem(err, "weights", n * sizeof **weights);
    spec_inputs(&made, training->settings);
    outcome->weights = *weights;
    outcome->n_outputs = ridge->n_outputs;
    outcome->target_mean = ridge->target.mean;
    outcome->target_sd = ridge->target.sd;
    if (put_fixed(outcome, ridge, training->scratch, err))
        return -1;
    return ridge_weights(*weights, ridge, training->data, made.scale, training->split, err);
}

const struct model_type model_ridge = {
    .name = "ridge",
    .words = "ridge regression",
    .source = "Hoerl & Kennard 1970",
    .reference = "Hoerl AE, Kennard RW (1970) Ridge regression: biased estimation for "
                 "nonorthogonal problems. Technometrics 12, 55-67.",
    .trains = true,
    .proposal = "GBLUP",
    .inputs = &kernel_inputs,
    .cost = cost,
    .train = train,
    .weights = weights,
};
