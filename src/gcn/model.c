/* SPDX-License-Identifier: BSD-3-Clause */
#include "gcn/model.h"

#include <math.h>
#include <stdio.h>

#include "base/rng.h"

int32_t model_layers(const struct gcn_spec *spec)
{
    return spec->layers + (spec->pool != POOL_NONE);
}

static int32_t layer_inputs(const struct gcn_spec *spec, int32_t layer, int32_t n_inputs)
{
    return layer == 0 ? n_inputs : spec->hidden_size;
}

static int32_t layer_outputs(const struct gcn_spec *spec, int32_t layer, int32_t n_outputs)
{
    return layer == model_layers(spec) - 1 ? n_outputs : spec->hidden_size;
}

static bool is_statistic(enum model_array array)
{
    return array == MODEL_MEAN || array == MODEL_VARIANCE;
}

static bool has_norm(const struct gcn_spec *spec, int32_t layer)
{
    return spec->batch_norm && layer < model_layers(spec) - 1;
}

static bool has_array(const struct gcn_spec *spec, int32_t layer, enum model_array array)
{
    return array == MODEL_WEIGHT || array == MODEL_BIAS || has_norm(spec, layer);
}

static void name_tensor(struct model_tensor *t, const struct gcn_spec *spec)
{
    static const char *const names[MODEL_ARRAY_COUNT] = {"weight", "bias", "weight", "running_mean",
                                                         "running_var"};
    bool is_norm = t->array != MODEL_WEIGHT && has_norm(spec, t->layer);

    snprintf(t->name, sizeof t->name, "%s.%d.%s", is_norm ? "norms" : "layers", t->layer,
             names[t->array]);
}

static void set_shape(struct model_tensor *t, int32_t in, int32_t out)
{
    bool is_weight = t->array == MODEL_WEIGHT;

    t->n_dims = is_weight ? 2 : 1;
    t->shape[0] = is_weight ? in : out;
    t->shape[1] = is_weight ? out : 1;
    t->n = (int64_t)t->shape[0] * t->shape[1];
}

bool model_tensor(struct model_tensor *out, const struct gcn_spec *spec, int32_t n_inputs,
                  int32_t n_outputs, int32_t i)
{
    int32_t at = 0;

    *out = (struct model_tensor){.layer = 0};
    for (int statistics = 0; statistics <= 1; statistics++)
        for (out->layer = 0; out->layer < model_layers(spec); out->layer++)
            for (int array = 0; array < MODEL_ARRAY_COUNT; array++) {
                out->array = (enum model_array)array;
                if (is_statistic(out->array) != statistics ||
                    !has_array(spec, out->layer, out->array))
                    continue;
                out->begin += out->n;
                set_shape(out, layer_inputs(spec, out->layer, n_inputs),
                          layer_outputs(spec, out->layer, n_outputs));
                if (at++ < i)
                    continue;
                name_tensor(out, spec);
                return true;
            }
    return false;
}

static void view(struct layer *layers, float *vector, const struct model *model)
{
    for (int32_t i = 0; i < model->n_tensors; i++) {
        const struct model_tensor *t = &model->tensor[i];
        struct layer *layer = &layers[t->layer];
        float *v = vector + t->begin;

        switch (t->array) {
        case MODEL_WEIGHT:
            layer->w = mat_view(v, t->shape[0], t->shape[1]);
            break;
        case MODEL_BIAS:
            layer->b = v;
            break;
        case MODEL_GAMMA:
            layer->gamma = v;
            break;
        case MODEL_MEAN:
            layer->mean = v;
            break;
        default:
            layer->variance = v;
        }
    }
}

static int list_tensors(struct model *model, const struct gcn_spec *spec, int32_t n_inputs,
                        int32_t n_outputs, struct arena *scratch)
{
    size_t most = (size_t)model_layers(spec) * MODEL_ARRAY_COUNT;
    struct model_tensor *t = arena_take_real(scratch, most, sizeof *t);

    if (!t)
        return -1;
    model->tensor = t;
    for (; model_tensor(t, spec, n_inputs, n_outputs, model->n_tensors); t++) {
        model->n_tensors++;
        model->n_weights = t->begin + t->n;
        if (!is_statistic(t->array))
            model->n_trained = model->n_weights;
    }
    return 0;
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
    size_t n, n_layers = (size_t)model_layers(spec);

    *model = (struct model){.n_layers = model_layers(spec)};
    if (list_tensors(model, spec, n_inputs, n_outputs, scratch))
        return err_nomem(err, "layers", sizeof *model->tensor);
    n = (size_t)model->n_weights;
    model->weights = arena_take_zeroed(scratch, n, sizeof(float));
    model->gradient = arena_take_zeroed(scratch, n, sizeof(float));
    model->layer = arena_take_real(scratch, n_layers, sizeof *model->layer);
    model->d_layer = arena_take_real(scratch, n_layers, sizeof *model->d_layer);
    if (!model->weights || !model->gradient || !model->layer || !model->d_layer)
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

int32_t model_width(const struct model *model)
{
    int32_t width = 0;

    for (int32_t l = 0; l < model->n_layers; l++)
        if (model->layer[l].w.n_cols > width)
            width = model->layer[l].w.n_cols;
    return width;
}
