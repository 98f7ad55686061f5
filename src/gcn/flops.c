#include "gcn/field.h"
#include "gcn/outline.h"

#include <math.h>

/* The work of gcn_train() from shapes alone: the formulas of first.c and pass.c over receptive
 * fields of the expected size. Bytes are those that must be moved even if all caches were perfect
 * within a product and empty between two; backward passes count as two forward ones. */

/* What a field's expected size depends on. */
struct shape {
    double n_nodes;
    double degree;   /* mean entries of A^ in a row, the loop included */
    double features; /* mean entries of X in a row */
    double n_inputs, n_hidden, n_outputs;
    double graph_nodes; /* of a graph, on average; 1 where samples are nodes */
    int32_t layers;
    bool pools;
    enum first_form form;
    bool drops_inputs;
    bool batch_norm, residual, keeps_slope;
    const struct gcn_outline *inputs;
};

static struct shape shape_of(const struct gcn_spec *spec, const struct gcn_outline *inputs,
                             int32_t n_train)
{
    const struct dataset *data = inputs->data;
    double n = data->n_nodes;
    bool is_sparse = inputs->has[FIRST_X_SPARSE];

    return (struct shape){
        .inputs = inputs,
        .form = gcn_first_form(spec, inputs, n_train),
        .n_nodes = n,
        .graph_nodes = n / data->n_samples,
        .pools = spec->pool != POOL_NONE,
        .degree = (double)inputs->entries_a / n,
        .features = is_sparse ? (double)inputs->entries_x / n : inputs->n_inputs,
        .n_inputs = inputs->n_inputs,
        .n_hidden = spec->hidden_size,
        .n_outputs = data->task == TASK_CLASSIFICATION ? data->n_classes : 1,
        .layers = spec->layers,
        .drops_inputs = spec->input_dropout > 0,
        .batch_norm = spec->batch_norm,
        .residual = spec->residual,
        .keeps_slope = activation_keeps_slope(spec->activation),
    };
}

/* Nodes of a level below n samples. No edge leaves a graph. */
static double level_size(const struct shape *shape, double n, int32_t down)
{
    if (shape->pools)
        return n * shape->graph_nodes;
    return field_expected(shape->n_nodes, shape->degree, n, down);
}

/* Columns of what convolution l, from 0, gives. */
static double layer_width(const struct shape *shape, int32_t l)
{
    return l == shape->layers - 1 && !shape->pools ? shape->n_outputs : shape->n_hidden;
}

/* Of one product, forward, or of the one that brings the gradient back. */
static double first_layer(const struct shape *shape, double n, bool is_training, bool is_backward)
{
    const struct gcn_outline *inputs = shape->inputs;
    double width = layer_width(shape, 0);
    double level0 = level_size(shape, n, shape->layers);
    double level1 = level_size(shape, n, shape->layers - 1);
    double propagation = 2 * width * level1 * shape->degree;

    if (is_training && shape->drops_inputs)
        return 2 * width * level0 * shape->features + propagation;
    switch (shape->form) {
    case FIRST_AX_DENSE:
        return 2 * width * level1 * shape->n_inputs;
    case FIRST_AX_SPARSE:
        return 2 * width * level1 * (double)inputs->entries_ax / shape->n_nodes;
    case FIRST_X_SPARSE:
        return 2 * width * level0 * shape->features + propagation;
    default:
        return width * (is_backward ? coded_flops_tn(&inputs->coded)
                                    : coded_flops(&inputs->coded, (int32_t)level0)) +
               propagation;
    }
}

/* The readout and layers 2 and up; dense products of the way back are twice those of the way
 * forward. */
static double upper_layers(const struct shape *shape, double n, double dense_products)
{
    double sum = shape->pools ? 2 * dense_products * n * shape->n_hidden * shape->n_outputs : 0;

    for (int32_t l = 1; l < shape->layers; l++) {
        double width = layer_width(shape, l);
        double below = level_size(shape, n, shape->layers - l);
        double above = level_size(shape, n, shape->layers - l - 1);

        struct layer_shape layer = {below, above, above * shape->degree, shape->n_hidden, width};
        bool is_first = association_propagates_first(&layer);

        sum += 2 * dense_products * (is_first ? above : below) * shape->n_hidden * width +
               2 * layer.entries * (is_first ? shape->n_hidden : width);
    }
    return sum;
}

/* A row of the features in the form that layer 1 takes them. */
static double feature_bytes(const struct shape *shape)
{
    const struct gcn_outline *inputs = shape->inputs;
    const double entry = sizeof(float) + sizeof(int32_t);

    switch (shape->form) {
    case FIRST_AX_DENSE:
        return sizeof(float) * shape->n_inputs;
    case FIRST_AX_SPARSE:
        return entry * (double)inputs->entries_ax / shape->n_nodes;
    case FIRST_X_SPARSE:
        return entry * shape->features;
    default:
        return inputs->coded.n_groups;
    }
}

/* Bytes of one product of the first layer: features, weights and result once each. */
static double first_layer_bytes(const struct shape *shape, double n)
{
    double width = layer_width(shape, 0);
    double rows = level_size(shape, n, shape->layers - 1);

    return rows * feature_bytes(shape) + sizeof(float) * width * (shape->n_inputs + rows);
}

/* Beyond the products, of a hidden layer's rows: those that pass through once more for a
 * normalisation (measured, and written beside), for a sum, for a slope that is kept. */
static double option_bytes(const struct shape *shape, double rows)
{
    double matrix = sizeof(float) * rows * shape->n_hidden;

    return matrix * (4 * shape->batch_norm + 2 * shape->residual + shape->keeps_slope);
}

static double upper_layers_bytes(const struct shape *shape, double n)
{
    double sum = shape->pools ? sizeof(float) * level_size(shape, n, 0) * shape->n_hidden : 0;

    for (int32_t l = 1; l < shape->layers; l++) {
        double width = layer_width(shape, l);
        double below = level_size(shape, n, shape->layers - l);
        double above = level_size(shape, n, shape->layers - l - 1);

        sum += sizeof(float) *
               (below * shape->n_hidden + shape->n_hidden * width + (below + above) * width);
        sum += option_bytes(shape, below);
    }
    return sum;
}

static double pass_bytes(const struct shape *shape, double n)
{
    return first_layer_bytes(shape, n) + upper_layers_bytes(shape, n);
}

/* A step of adam reads weight, gradient and both moments and writes all but the gradient. */
static double optimizer_bytes(const struct shape *shape)
{
    bool is_one = shape->layers == 1 && !shape->pools;
    double weights = (is_one ? shape->n_inputs : shape->n_hidden) * shape->n_outputs;

    if (!is_one)
        weights += shape->n_inputs * shape->n_hidden +
                   (shape->layers - 2 + shape->pools) * shape->n_hidden * shape->n_hidden;
    return 7 * sizeof(float) * weights;
}

/* Samples that are scored after each epoch. */
static double watched(const struct split *split, int32_t n_samples)
{
    if (split->n_stop)
        return split->n_stop;
    return n_samples - split->n_train > 1 ? n_samples - split->n_train : 1;
}

struct gcn_cost gcn_cost(const struct gcn_spec *spec, const struct gcn_outline *inputs,
                         const struct split *split)
{
    int32_t n_train = split->n_train;
    struct shape shape = shape_of(spec, inputs, n_train);
    bool is_full = spec->batch_size == 0 || spec->batch_size >= n_train;
    double size = is_full ? n_train : spec->batch_size;
    double steps = is_full ? 1 : ceil(n_train / size);
    double batches = is_full ? 1 : (n_train + size - 1) / size;
    double rest = watched(split, inputs->data->n_samples);
    double forward = first_layer(&shape, size, true, false) + upper_layers(&shape, size, 1);
    double backward = first_layer(&shape, size, true, true) + upper_layers(&shape, size, 2);
    double evaluation = first_layer(&shape, rest, false, false) + upper_layers(&shape, rest, 1);
    double step_bytes = 3 * pass_bytes(&shape, size) + optimizer_bytes(&shape);

    /* The evaluation's first product is the next step's. */
    if (is_full && !shape.drops_inputs && !shape.pools)
        forward -= first_layer(&shape, size, true, false);
    return (struct gcn_cost){
        .flops = spec->epochs * (batches * (forward + backward) + evaluation),
        .bytes = spec->epochs * (steps * step_bytes + pass_bytes(&shape, rest)),
        .steps = spec->epochs * steps,
    };
}
