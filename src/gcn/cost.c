/* SPDX-License-Identifier: BSD-3-Clause */
#include "gcn/cost.h"

#include <math.h>
#include <string.h>

#include "gcn/model.h"
#include "gcn/product_order.h"
#include "gcn/receptive_field.h"
#include "gcn/scale.h"

/* ---- outlines: sparse features ---- */

/* A^X pays if it has no more entries than X and A^ together. Only the pattern of x counts. */
static int outline_sparse(struct gcn_outline *o, const struct csr *x, const struct csr *adjacency,
                          struct err *err)
{
    struct csr a_hat;
    int rc;

    if (csr_normalize(&a_hat, adjacency, err))
        return -1;
    rc = csr_count_product(&o->entries_ax, &a_hat, x, err);
    csr_release(&a_hat);
    o->entries_x = csr_nnz(x);
    o->has[FIRST_X_SPARSE] = true;
    o->has[FIRST_AX_SPARSE] = o->entries_ax <= o->entries_x + o->entries_a;
    if (!o->has[FIRST_AX_SPARSE])
        o->entries_ax = 0;
    return rc;
}

/* 1: outlined as sparse; 0: too few zeros; -1 and err. */
static int outline_zeros(struct gcn_outline *o, const struct csr *adjacency, struct err *err)
{
    struct first_shape shape = {
        .n_samples = o->data->n_nodes,
        .n_features = o->data->n_features,
        .rows0 = o->data->n_nodes,
        .rows1 = o->data->n_nodes,
        .entries_a = (double)o->entries_a,
    };
    struct csr x;
    int rc;

    if (scale_count_entries(&o->entries_x, o->data, err))
        return -1;
    shape.entries_x = (double)o->entries_x;
    if (product_order_cost(FIRST_X_SPARSE, &shape) > product_order_cost(FIRST_AX_DENSE, &shape)) {
        o->entries_x = 0;
        return 0;
    }
    if (scale_sparse(&x, o->data, o->entries_x, SCALE_NONE, err))
        return -1;
    rc = outline_sparse(o, &x, adjacency, err);
    csr_release(&x);
    return rc ? -1 : 1;
}

/* ---- outlines: dense features ---- */

static int outline_dense(struct gcn_outline *o, const struct csr *adjacency,
                         const struct gcn_inputs_spec *spec, struct err *err)
{
    const struct dataset *data = o->data;
    const struct scale_source columns = {data, spec->scale};
    struct coded_source source = scale_coded_source(&columns);
    int rc = 0;

    if (spec->scale != SCALE_STANDARDIZE)
        rc = outline_zeros(o, adjacency, err);
    if (rc)
        return rc < 0 ? -1 : 0;
    /* Codes pay with many features and few rows; graphs have few features and many rows (nodes). */
    if (spec->scale != SCALE_ROW && !data->graph_start)
        rc = coded_count(&o->coded, &source, 2.0 * data->n_nodes * data->n_features, err);
    if (rc < 0)
        return -1;
    o->has[FIRST_X_CODED] = rc == 1;
    if (rc != 1)
        memset(&o->coded, 0, sizeof o->coded);
    o->has[FIRST_AX_DENSE] = !o->has[FIRST_X_CODED] || spec->small_batches;
    o->has_x = spec->drops_inputs;
    return 0;
}

/* ---- outlines ---- */

int gcn_outline_find(struct gcn_outline *outline, const struct dataset *data,
                     const struct csr *adjacency, const struct gcn_inputs_spec *spec,
                     struct err *err)
{
    *outline = (struct gcn_outline){
        .data = data,
        .n_inputs = data->n_features,
        .entries_a = csr_nnz(adjacency) + data->n_nodes,
    };
    if (!data->is_sparse)
        return outline_dense(outline, adjacency, spec, err);
    if (scale_check(data, spec->scale, err))
        return -1;
    return outline_sparse(outline, &data->sparse_features, adjacency, err);
}

struct gcn_outline gcn_outline_reduced(const struct dataset *data, const struct csr *adjacency,
                                       const struct mat *l)
{
    return (struct gcn_outline){
        .data = data,
        .n_inputs = l->n_cols,
        .entries_a = csr_nnz(adjacency) + data->n_nodes,
        .has = {[FIRST_AX_DENSE] = true},
        .has_x = true,
    };
}

static int64_t entries(const struct csr *a)
{
    return a->row_start ? csr_nnz(a) : 0;
}

struct gcn_outline gcn_outline_of(const struct gcn_inputs *inputs)
{
    struct gcn_outline o = {
        .data = inputs->data,
        .n_inputs = inputs->n_inputs,
        .entries_a = entries(&inputs->a_hat),
        .has_x = inputs->x.v != NULL,
        .entries_x = entries(&inputs->x_sparse),
        .entries_ax = entries(&inputs->ax_sparse),
        .coded = inputs->coded,
    };

    memcpy(o.has, inputs->has, sizeof o.has);
    return o;
}

/* ---- form of the first layer ---- */

static double n_workers(const struct gcn_spec *spec)
{
    return spec->workers > 1 ? spec->workers : 1;
}

/* Training samples of a worker in an epoch, and in a step, in mini-batches. */
static double worker_samples(const struct gcn_spec *spec, int32_t n_train)
{
    return ceil(n_train / n_workers(spec));
}

static double worker_batch(const struct gcn_spec *spec, int32_t n_train)
{
    return fmin(spec->batch_size, worker_samples(spec, n_train));
}

enum first_form gcn_first_form(const struct gcn_spec *spec, const struct gcn_outline *o,
                               int32_t n_train)
{
    double n = o->data->n_nodes;
    double degree = (double)o->entries_a / n;
    bool is_full = spec->batch_size == 0 || spec->batch_size >= n_train;
    double batch = is_full ? n_train : worker_batch(spec, n_train);
    double nodes = batch * n / o->data->n_samples;
    bool pools = spec->pool != POOL_NONE;
    struct first_shape shape = {
        .n_samples = n,
        .n_features = o->n_inputs,
        .rows1 = pools ? nodes : receptive_field_expected(n, degree, batch, spec->layers - 1),
        .rows0 = pools ? nodes : receptive_field_expected(n, degree, batch, spec->layers),
        .entries_a = (double)o->entries_a,
        .entries_x = (double)o->entries_x,
        .entries_ax = (double)o->entries_ax,
    };

    if (o->has[FIRST_X_CODED]) {
        shape.coded_row = coded_cost(&o->coded, o->coded.n_rows) / n;
        shape.coded_tn = coded_cost_tn(&o->coded);
    }
    return product_order_choose(&shape, o->has);
}

/* ---- memory ---- */

double gcn_outline_bytes(const struct gcn_outline *o)
{
    const double entry = sizeof(float) + sizeof(int32_t);
    double rows = (double)o->data->n_nodes + 1, matrix = rows * o->n_inputs * sizeof(float);
    double bytes = 0;

    if (o->entries_a)
        bytes += rows * sizeof(int64_t) + entry * (double)o->entries_a;
    if (o->has[FIRST_X_SPARSE])
        bytes += rows * sizeof(int64_t) + entry * (double)o->entries_x;
    if (o->has[FIRST_AX_SPARSE])
        bytes += rows * sizeof(int64_t) + entry * (double)o->entries_ax;
    if (o->has[FIRST_X_CODED])
        bytes += (double)coded_bytes(&o->coded);
    return bytes + matrix * (o->has[FIRST_AX_DENSE] + o->has_x);
}

static int32_t n_outputs(const struct dataset *data)
{
    return data->task == TASK_CLASSIFICATION ? data->n_classes : 1;
}

double gcn_weights(const struct gcn_spec *spec, const struct dataset *data, int32_t n_inputs)
{
    struct model_tensor tensor;
    double n = 0;

    for (int32_t i = 0; model_tensor(&tensor, spec, n_inputs, n_outputs(data), i); i++)
        n += (double)tensor.n;
    return n;
}

/* ---- work ---- */

/* The formulas of first_layer.c and pass.c over receptive fields of expected size. Bytes assume
 * perfect caches within a product and empty ones between products. A backward pass counts as two
 * forward passes. */

struct shape {
    double n_nodes;
    double degree;   /* mean entries in a row of A^ */
    double features; /* the same of X */
    double n_inputs, n_hidden, n_outputs;
    double graph_nodes; /* mean; 1 if samples are nodes */
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
        .n_outputs = n_outputs(data),
        .layers = spec->layers,
        .drops_inputs = spec->input_dropout > 0,
        .batch_norm = spec->batch_norm,
        .residual = spec->residual,
        .keeps_slope = activation_keeps_slope(spec->activation),
    };
}

/* Expected nodes `down` levels below n samples. No edge leaves a graph. */
static double level_size(const struct shape *shape, double n, int32_t down)
{
    if (shape->pools)
        return n * shape->graph_nodes;
    return receptive_field_expected(shape->n_nodes, shape->degree, n, down);
}

static double layer_width(const struct shape *shape, int32_t l)
{
    return l == shape->layers - 1 && !shape->pools ? shape->n_outputs : shape->n_hidden;
}

static double first_layer_flops(const struct shape *shape, double n, bool is_training,
                                bool is_backward)
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

/* Rows of the first layer's features: bytes of one. */
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

/* dense_products: 1 forward, 2 backward. Bytes of the first layer: features, weights and result count
 * once. Beyond a hidden layer's products a normalisation reads the rows again and writes a copy; a residual
 * sum and a kept slope pass once more. */
static struct gcn_cost pass_cost(const struct shape *shape, double n, bool is_training,
                                 double dense_products)
{
    double flops = shape->pools ? 2 * dense_products * n * shape->n_hidden * shape->n_outputs : 0;
    double bytes = shape->pools ? sizeof(float) * level_size(shape, n, 0) * shape->n_hidden : 0;
    double rows = level_size(shape, n, shape->layers - 1), width = layer_width(shape, 0);

    for (int32_t l = 1; l < shape->layers; l++) {
        double out = layer_width(shape, l);
        double below = level_size(shape, n, shape->layers - l);
        double above = level_size(shape, n, shape->layers - l - 1);
        struct layer_shape layer = {below, above, above * shape->degree, shape->n_hidden, out};
        bool is_first = product_order_propagates_first(&layer);

        flops += 2 * dense_products * (is_first ? above : below) * shape->n_hidden * out +
                 2 * layer.entries * (is_first ? shape->n_hidden : out);
        bytes += sizeof(float) *
                 (below * shape->n_hidden + shape->n_hidden * out + (below + above) * out);
        bytes += sizeof(float) * below * shape->n_hidden *
                 (4 * shape->batch_norm + 2 * shape->residual + shape->keeps_slope);
    }
    return (struct gcn_cost){
        .flops = first_layer_flops(shape, n, is_training, dense_products > 1) + flops,
        .bytes =
            rows * feature_bytes(shape) + sizeof(float) * width * (shape->n_inputs + rows) + bytes,
    };
}

/* adam writes all but the gradient. The sum over the workers reads each of their parts. */
static double optimizer_bytes(const struct shape *shape, double workers)
{
    bool is_one = shape->layers == 1 && !shape->pools;
    double weights = (is_one ? shape->n_inputs : shape->n_hidden) * shape->n_outputs;

    if (!is_one)
        weights += shape->n_inputs * shape->n_hidden +
                   (shape->layers - 2 + shape->pools) * shape->n_hidden * shape->n_hidden;
    return (7 + (workers > 1 ? workers : 0)) * sizeof(float) * weights;
}

struct gcn_cost gcn_cost(const struct gcn_spec *spec, const struct gcn_outline *inputs,
                         const struct split *split)
{
    int32_t n_train = split->n_train;
    struct shape shape = shape_of(spec, inputs, n_train);
    bool is_full = spec->batch_size == 0 || spec->batch_size >= n_train;
    /* In full batch they divide the work of one. */
    double workers = is_full ? 1 : n_workers(spec);
    double size = is_full ? n_train : worker_batch(spec, n_train);
    double steps = is_full ? 1 : ceil(worker_samples(spec, n_train) / size);
    double batches = is_full ? 1 : workers > 1 ? workers * steps : (n_train + size - 1) / size;
    int32_t n_outside = inputs->data->n_samples - n_train;
    double rest = (split->n_stop ? split->n_stop : n_outside > 1 ? n_outside : 1) / workers;
    struct gcn_cost forward = pass_cost(&shape, size, true, 1);
    struct gcn_cost evaluation = pass_cost(&shape, rest, false, 1);
    double backward = pass_cost(&shape, size, true, 2).flops;
    double step_bytes = workers * 3 * forward.bytes + optimizer_bytes(&shape, n_workers(spec));

    /* The next step reuses the first product of the evaluation. */
    if (is_full && !shape.drops_inputs && !shape.pools)
        forward.flops -= first_layer_flops(&shape, size, true, false);
    return (struct gcn_cost){
        .flops = spec->epochs * (batches * (forward.flops + backward) + workers * evaluation.flops),
        .bytes = spec->epochs * (steps * step_bytes + workers * evaluation.bytes),
        .steps = spec->epochs * steps,
    };
}
