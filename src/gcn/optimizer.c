/* SPDX-License-Identifier: BSD-3-Clause */
#include "gcn/optimizer.h"

#include <math.h>

#include "base/cpu.h"
#include "gcn/model.h"
#include "tensor/kernel.h"

double optimizer_rate(const struct gcn_spec *spec, int32_t epoch)
{
    double rate = spec->learning_rate;

    if (spec->schedule == SCHEDULE_CONSTANT)
        return rate;
    return rate * 0.5 * (1 + cos(M_PI * (epoch - 1) / spec->epochs));
}

/* ---- the rows ---- */

/* One step along a tensor's gradient. */
struct optimizer_step {
    const struct gcn_spec *spec;
    double rate, decay;
    double n_steps;                   /* this one included */
    float *w;                         /* inout [n] weights */
    const float *g;                   /* [n] gradient */
    float *vector[OPTIMIZER_VECTORS]; /* inout [n] of the state */
    int64_t n;
};

struct adam_factors {
    float l2;
    float shrink; /* 1 - learning rate x decoupled decay */
    float beta1, beta2;
    float rest1, rest2; /* 1 - beta, rounded once: 1 - (float)0.999 is off by 1e-5 */
    float step_size;    /* learning rate / (1 - beta1^t) */
    float root_scale;   /* 1 / sqrt(1 - beta2^t) */
    float epsilon;
};

CLONES static void move_adam(float *restrict w, float *restrict m, float *restrict v,
                             const float *restrict g, int64_t n, const struct adam_factors *factors)
{
    const struct adam_factors s = *factors;

    for (int64_t i = 0; i < n; i++) {
        float weight = s.shrink * w[i];
        float gradient = g[i] + s.l2 * weight;

        m[i] = s.beta1 * m[i] + s.rest1 * gradient;
        v[i] = s.beta2 * v[i] + s.rest2 * gradient * gradient;
        w[i] = weight - s.step_size * m[i] / (sqrtf(v[i]) * s.root_scale + s.epsilon);
    }
}

static void take_adam(const struct optimizer_step *step, double l2, double shrink)
{
    const double beta1 = 0.9, beta2 = 0.999; /* of Kingma & Ba 2015 */
    const struct adam_factors factors = {
        .l2 = (float)l2,
        .shrink = (float)shrink,
        .beta1 = (float)beta1,
        .beta2 = (float)beta2,
        .rest1 = (float)(1 - beta1),
        .rest2 = (float)(1 - beta2),
        .step_size = (float)(step->rate / (1 - pow(beta1, step->n_steps))),
        .root_scale = (float)(1 / sqrt(1 - pow(beta2, step->n_steps))),
        .epsilon = 1e-8f,
    };

    move_adam(step->w, step->vector[0], step->vector[1], step->g, step->n, &factors);
}

/* Means of the gradient and of its square. Source: Kingma & Ba 2015, arXiv:1412.6980, algorithm 1. */
static void adam(const struct optimizer_step *step)
{
    take_adam(step, step->decay, 1);
}

/* Source: Loshchilov & Hutter 2019, arXiv:1711.05101, algorithm 2. */
static void adamw(const struct optimizer_step *step)
{
    take_adam(step, 0, 1 - step->rate * step->decay);
}

CLONES static void move_sgd(float *restrict w, float *restrict m, const float *restrict g,
                            int64_t n, float rate, float momentum, float l2)
{
    for (int64_t i = 0; i < n; i++) {
        m[i] = momentum * m[i] + (g[i] + l2 * w[i]);
        w[i] -= rate * m[i];
    }
}

/* Momentum as in PyTorch. */
static void sgd(const struct optimizer_step *step)
{
    move_sgd(step->w, step->vector[0], step->g, step->n, (float)step->rate,
             (float)step->spec->momentum, (float)step->decay);
}

static const struct {
    int n_vectors;
    void (*step)(const struct optimizer_step *step);
} rows[] = {
    [OPTIMIZER_ADAM] = {2, adam},
    [OPTIMIZER_ADAMW] = {2, adamw},
    [OPTIMIZER_SGD] = {1, sgd},
};

/* ---- the state ---- */

int optimizer_init(struct optimizer_state *optimizer, const struct gcn_spec *spec,
                   const struct model *model, struct arena *scratch, struct err *err)
{
    size_t n = (size_t)model->n_weights;

    *optimizer = (struct optimizer_state){.spec = spec,
                                          .n_vectors = rows[spec->optimizer].n_vectors,
                                          .rate = optimizer_rate(spec, 1)};
    for (int i = 0; i < optimizer->n_vectors; i++) {
        optimizer->vector[i] = arena_take_zeroed(scratch, n, sizeof(float));
        if (!optimizer->vector[i])
            return err_nomem(err, "optimizer", n * sizeof(float));
    }
    return 0;
}

void optimizer_step(struct optimizer_state *optimizer, struct model *model)
{
    const struct gcn_spec *spec = optimizer->spec;

    optimizer->n_steps++;
    for (int32_t i = 0; i < model->n_tensors; i++) {
        const struct model_tensor *t = &model->tensor[i];
        bool decays = t->array == MODEL_WEIGHT && (t->layer == 0 || spec->decay_scope == DECAY_ALL);
        struct optimizer_step step = {
            .spec = spec,
            .rate = optimizer->rate,
            .decay = decays ? spec->weight_decay : 0,
            .n_steps = (double)optimizer->n_steps,
            .w = model->weights + t->begin,
            .g = model->gradient + t->begin,
            .n = t->n,
        };

        if (t->begin >= model->n_trained)
            continue;
        for (int k = 0; k < optimizer->n_vectors; k++)
            step.vector[k] = optimizer->vector[k] + t->begin;
        rows[spec->optimizer].step(&step);
    }
}
