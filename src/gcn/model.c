/* SPDX-License-Identifier: BSD-3-Clause */
#include "gcn/model.h"

#include <math.h>
#include <stdio.h>

#include "base/rng.h"

/* Count the convolutions and the readout. */
static int32_t count_layers(const struct gcn_spec *spec)
{
    return spec->layers + (spec->pool != POOL_NONE);
}

bool model_tensor(struct model_tensor *out, const struct gcn_spec *spec, int32_t n_inputs,
                  int32_t n_outputs, int32_t i)
{
    static const char *const names[MODEL_ARRAY_COUNT] = {"weight", "bias", "weight", "running_mean",
                                                         "running_var"};
    int32_t last = count_layers(spec) - 1, at = 0;

    *out = (struct model_tensor){.layer = 0};
    for (int statistics = 0; statistics <= 1; statistics++)
        for (out->layer = 0; out->layer <= last; out->layer++)
            for (int array = 0; array < MODEL_ARRAY_COUNT; array++) {
                bool has_norm = spec->batch_norm && out->layer < last;
                bool is_weight = array == MODEL_WEIGHT;
                int32_t rows = out->layer == 0 ? n_inputs : spec->hidden_size;
                int32_t cols = out->layer == last ? n_outputs : spec->hidden_size;

                if ((array >= MODEL_MEAN) != statistics || (array > MODEL_BIAS && !has_norm))
                    continue;
                out->array = (enum model_array)array;
                out->n_dims = is_weight ? 2 : 1;
                out->shape[0] = is_weight ? rows : cols;
                out->shape[1] = is_weight ? cols : 1;
                out->begin += out->n;
                out->n = (int64_t)out->shape[0] * out->shape[1];
                if (at++ < i)
                    continue;
                snprintf(out->name, sizeof out->name, "%s.%d.%s",
                         !is_weight && has_norm ? "norms" : "layers", out->layer, names[array]);
                return true;
            }
    return false;
}

static void view(struct layer *layers, float *vector, const struct model *model)
{
    for (int32_t i = 0; i < model->n_tensors; i++) {
        const struct model_tensor *t = &model->tensor[i];
        struct layer *layer = &layers[t->layer];
        float **const array[] = {&layer->w.v, &layer->b, &layer->gamma, &layer->mean,
                                 &layer->variance};

        *array[t->array] = vector + t->begin;
        if (t->array == MODEL_WEIGHT) {
            layer->w.n_rows = t->shape[0];
            layer->w.n_cols = t->shape[1];
        }
    }
}

static void draw(struct model *model, int32_t fan_in, struct hash key)
{
    struct rng rng;

    rng_init(&rng, key, RNG_WEIGHTS);
    for (int32_t l = 0; l < model->n_layers; l++) {
        struct layer *layer = &model->layer[l];
        struct mat *w = &layer->w;
        double limit = sqrt(6.0 / ((double)(l == 0 ? fan_in : w->n_rows) + w->n_cols));

        for (int64_t i = 0; i < mat_size(w); i++)
            w->v[i] = (float)(limit * (2 * rng_uniform(&rng, (uint32_t)l, (uint32_t)i) - 1));
        for (int32_t j = 0; layer->gamma && j < w->n_cols; j++)
            layer->gamma[j] = layer->variance[j] = 1;
    }
}

int model_init(struct model *model, const struct gcn_spec *spec, int32_t n_inputs, int32_t fan_in,
               int32_t n_outputs, struct hash key, struct arena *scratch, struct err *err)
{
    size_t n, n_layers = (size_t)count_layers(spec);
    struct model_tensor *t = arena_take_real(scratch, n_layers * MODEL_ARRAY_COUNT, sizeof *t);

    *model = (struct model){.n_layers = count_layers(spec), .tensor = t};
    model->layer = arena_take_real(scratch, n_layers, sizeof *model->layer);
    model->d_layer = arena_take_real(scratch, n_layers, sizeof *model->d_layer);
    if (scratch->is_short)
        return err_nomem(err, "layers", n_layers * MODEL_ARRAY_COUNT * sizeof *t);
    for (; model_tensor(t, spec, n_inputs, n_outputs, model->n_tensors); t++) {
        model->n_tensors++;
        model->n_weights = t->begin + t->n;
        if (t->array < MODEL_MEAN)
            model->n_trained = model->n_weights;
    }
    n = (size_t)model->n_weights;
    model->weights = arena_take_zeroed(scratch, n, sizeof(float));
    model->gradient = arena_take_zeroed(scratch, n, sizeof(float));
    if (scratch->is_short)
        return err_nomem(err, "weights", 2 * n * sizeof(float));
    view(model->layer, model->weights, model);
    view(model->d_layer, model->gradient, model);
    if (!scratch->counts)
        draw(model, fan_in, key);
    return 0;
}

void model_direct_gradient(struct model *model, float *vector)
{
    view(model->d_layer, vector, model);
}
