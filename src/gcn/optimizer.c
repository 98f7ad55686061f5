/* SPDX-License-Identifier: BSD-3-Clause */
#include "gcn/optimizer.h"

#include <math.h>

#include "gcn/model.h"
#include "tensor/kernel.h"

double optimizer_scaled_rate(const struct gcn_spec *spec)
{
    double workers = spec->workers > 1 ? spec->workers : 1;

    switch (spec->lr_scaling) {
    case LR_SCALING_LINEAR:
        return spec->learning_rate * workers;
    case LR_SCALING_SQRT:
        return spec->learning_rate * sqrt(workers);
    default:
        return spec->learning_rate;
    }
}

double optimizer_rate(const struct gcn_spec *spec, int32_t epoch)
{
    double rate = optimizer_scaled_rate(spec);
    int32_t since = epoch - spec->warmup_epochs - 1;

    if (since < 0)
        return rate * epoch / (spec->warmup_epochs + 1.0);
    switch (spec->schedule) {
    case SCHEDULE_COSINE:
        return rate * 0.5 * (1 + cos(M_PI * since / (spec->epochs - spec->warmup_epochs)));
    case SCHEDULE_STEP:
        return rate * pow(spec->step_gamma, since / spec->step_size);
    default:
        return rate;
    }
}

int optimizer_init(struct optimizer_state *optimizer, const struct gcn_spec *spec,
                   const struct model *model, struct arena *scratch, struct err *err)
{
    size_t n = (size_t)model->n_weights;

    *optimizer = (struct optimizer_state){.spec = spec, .rate = optimizer_rate(spec, 1)};
    optimizer->first = arena_take_zeroed(scratch, n, sizeof(float));
    if (spec->optimizer != OPTIMIZER_SGD)
        optimizer->second = arena_take_zeroed(scratch, n, sizeof(float));
    if (!optimizer->first || (spec->optimizer != OPTIMIZER_SGD && !optimizer->second))
        return err_nomem(err, "optimizer", 2 * n * sizeof(float));
    return 0;
}

/* Never lengthens; 1e-6 prevents division by 0. */
static void clip(struct model *model, double most)
{
    double factor;

    if (most <= 0)
        return;
    factor = most / (kernel_norm(model->gradient, model->n_trained) + 1e-6);
    if (factor < 1)
        kernel_scale(model->gradient, model->n_trained, (float)factor);
}

static void step_range(struct optimizer_state *optimizer, struct model *model, int64_t at,
                       int64_t n, double decay)
{
    const struct gcn_spec *spec = optimizer->spec;
    bool is_decoupled = spec->optimizer == OPTIMIZER_ADAMW;
    double steps = (double)optimizer->n_steps;
    struct adam_step step;

    if (spec->optimizer == OPTIMIZER_SGD) {
        kernel_sgd(model->weights + at, optimizer->first + at, model->gradient + at, n,
                   (float)optimizer->rate, (float)spec->momentum, (float)decay);
        return;
    }
    step = (struct adam_step){
        .l2 = is_decoupled ? 0 : (float)decay,
        .shrink = is_decoupled ? (float)(1 - optimizer->rate * decay) : 1,
        .beta1 = (float)spec->beta1,
        .beta2 = (float)spec->beta2,
        .rest1 = (float)(1 - spec->beta1),
        .rest2 = (float)(1 - spec->beta2),
        .step_size = (float)(optimizer->rate / (1 - pow(spec->beta1, steps))),
        .root_scale = (float)(1 / sqrt(1 - pow(spec->beta2, steps))),
        .epsilon = (float)spec->epsilon,
    };
    kernel_adam(model->weights + at, optimizer->first + at, optimizer->second + at,
                model->gradient + at, n, &step);
}

void optimizer_step(struct optimizer_state *optimizer, struct model *model)
{
    const struct gcn_spec *spec = optimizer->spec;

    clip(model, spec->clip_norm);
    optimizer->n_steps++;
    for (int32_t i = 0; i < model->n_tensors; i++) {
        const struct model_tensor *t = &model->tensor[i];
        bool decays = t->array == MODEL_WEIGHT && (t->layer == 0 || spec->decay_scope == DECAY_ALL);

        if (t->begin < model->n_trained)
            step_range(optimizer, model, t->begin, t->n, decays ? spec->weight_decay : 0);
    }
}
