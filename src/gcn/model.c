#include "gcn/model.h"

#include <math.h>

#include "base/rng.h"

static int32_t layer_inputs(const struct gcn_spec *spec, int32_t layer, int32_t n_inputs)
{
    return layer == 0 ? n_inputs : spec->hidden_size;
}

static int32_t layer_outputs(const struct gcn_spec *spec, int32_t layer, int32_t n_outputs)
{
    return layer == spec->layers - 1 ? n_outputs : spec->hidden_size;
}

/* Lays the layers over the vector. */
static void view(struct layer *layers, float *vector, const struct gcn_spec *spec, int32_t n_inputs,
                 int32_t n_outputs)
{
    int64_t at = 0;

    for (int32_t l = 0; l < spec->layers; l++) {
        int32_t in = layer_inputs(spec, l, n_inputs);
        int32_t out = layer_outputs(spec, l, n_outputs);

        layers[l].w = mat_view(vector + at, in, out);
        at += (int64_t)in * out;
        layers[l].b = vector + at;
        at += out;
    }
}

static int64_t count_weights(const struct gcn_spec *spec, int32_t n_inputs, int32_t n_outputs)
{
    int64_t n = 0;

    for (int32_t l = 0; l < spec->layers; l++)
        n += ((int64_t)layer_inputs(spec, l, n_inputs) + 1) * layer_outputs(spec, l, n_outputs);
    return n;
}

static void draw(struct model *model, int32_t fan_in, struct hash key)
{
    struct rng rng;

    rng_init(&rng, key, RNG_WEIGHTS);
    for (int32_t l = 0; l < model->n_layers; l++) {
        struct mat *w = &model->layer[l].w;
        double limit = sqrt(6.0 / ((double)(l == 0 ? fan_in : w->n_rows) + w->n_cols));

        for (int64_t i = 0; i < mat_size(w); i++)
            w->v[i] = (float)(limit * (2 * rng_uniform(&rng, (uint32_t)l, (uint32_t)i) - 1));
    }
}

int model_init(struct model *model, const struct gcn_spec *spec, int32_t n_inputs, int32_t fan_in,
               int32_t n_outputs, struct hash key, struct arena *scratch, struct err *err)
{
    size_t n = (size_t)count_weights(spec, n_inputs, n_outputs);

    *model = (struct model){.n_layers = spec->layers, .n_weights = (int64_t)n};
    model->weights = arena_take_zeroed(scratch, n, sizeof(float));
    model->gradient = arena_take_zeroed(scratch, n, sizeof(float));
    model->layer = arena_take(scratch, (size_t)spec->layers, sizeof *model->layer);
    model->d_layer = arena_take(scratch, (size_t)spec->layers, sizeof *model->d_layer);
    if (!model->weights || !model->gradient || !model->layer || !model->d_layer)
        return err_nomem(err, "weights", 2 * n * sizeof(float));
    view(model->layer, model->weights, spec, n_inputs, n_outputs);
    view(model->d_layer, model->gradient, spec, n_inputs, n_outputs);
    draw(model, fan_in, key);
    return 0;
}

int32_t model_width(const struct model *model)
{
    int32_t width = 0;

    for (int32_t l = 0; l < model->n_layers; l++)
        if (model->layer[l].w.n_cols > width)
            width = model->layer[l].w.n_cols;
    return width;
}
