/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "gcn/cost.h"
#include "gcn/fixed.h"
#include "gcn/metric.h"
#include "gcn/model.h"
#include "gcn/piece.h"
#include "gcn/product_order.h"
#include "gcn/receptive_field.h"

/* The arrays of trainer.c, pass.c, first_layer.c and train.c, with the rows that are written: pages
 * never touched take no memory. Receptive fields have their expected size. */

struct extent {
    const struct gcn_spec *spec;
    const struct gcn_outline *outline;
    enum first_form form;
    double n_nodes, n_train, n_watched, n_scored;
    double degree;
    double batch;     /* samples of a worker in a step */
    double block;     /* samples that are scored together */
    double capacity;  /* nodes in a batch; samples that are graphs */
    double n_outputs; /* C */
    double own;       /* the part of a divided batch that a rank writes; 1: it is not divided */
    bool is_full, pools, drops, drops_inputs;
};

static struct extent extent_of(const struct gcn_spec *spec, const struct gcn_outline *outline,
                               const struct split *split, int32_t n_ranks)
{
    const struct dataset *data = outline->data;
    int32_t n_train = split->n_train;
    bool is_full = spec->batch_size == 0 || spec->batch_size >= n_train;
    int32_t batch = is_full ? n_train : spec->batch_size, n_watched;
    bool pools = spec->pool != POOL_NONE;
    double workers = spec->workers > 1 ? spec->workers : 1, n_scored;
    double ranks = fmin(n_ranks > 1 ? n_ranks : 1, workers);
    const int32_t *watched;

    split_chooser(&watched, &n_watched, split);
    n_scored = (double)n_train + split->n_val + split->n_test + split->n_stop;
    return (struct extent){
        .spec = spec,
        .outline = outline,
        .form = gcn_first_form(spec, outline, n_train),
        .n_nodes = data->n_nodes,
        .n_train = n_train,
        .n_watched = n_watched,
        .n_scored = n_scored,
        .degree = (double)outline->entries_a / data->n_nodes,
        .batch = is_full ? n_train : fmin(batch, ceil(n_train / workers)),
        .block = pools || !is_full ? ceil(n_scored / workers) : n_scored,
        .capacity = pools ? piece_capacity(spec, data, batch, is_full) : 0,
        .n_outputs = data->task == TASK_CLASSIFICATION ? data->n_classes : 1,
        .own = is_full ? ceil(workers / ranks) / workers : 1,
        .is_full = is_full,
        .pools = pools,
        .drops = spec->dropout > 0,
        .drops_inputs = spec->input_dropout > 0,
    };
}

/* Level 0 holds the inputs' rows. */
static double rows_of(const struct extent *e, double samples, int32_t level)
{
    double rows;

    if (e->pools)
        return fmin(e->capacity, samples * e->n_nodes / e->outline->data->n_samples);
    rows = receptive_field_expected(e->n_nodes, e->degree, samples, e->spec->layers - level);
    rows = fmax(rows, samples); /* a node is a neighbour of itself */
    return rows > RECEPTIVE_FIELD_WHOLE * e->n_nodes && level < e->spec->layers ? e->n_nodes : rows;
}

/* In a step. The ranks of a gang share the rows of nodes, but not those of graphs. */
static double trained(const struct extent *e, int32_t level)
{
    return rows_of(e, e->pools ? e->batch * e->own : e->batch, level);
}

/* The scores of all parts at the end have most rows. */
static double scored(const struct extent *e, int32_t level)
{
    return rows_of(e, e->block, level);
}

/* In steps or scoring, whichever has more. */
static double most_rows(const struct extent *e, int32_t level)
{
    return fmax(trained(e, level), scored(e, level));
}

/* Rows of a level that belong to the rank alone. */
static double own_rows(const struct extent *e, double rows)
{
    return e->pools ? rows : rows * e->own;
}

static double width_of(const struct extent *e, int32_t layer)
{
    return layer == e->spec->layers - 1 && !e->pools ? e->n_outputs : e->spec->hidden_size;
}

static bool propagates_first(const struct extent *e, double (*rows)(const struct extent *, int32_t),
                             int32_t layer)
{
    double above = rows(e, layer + 1);
    struct layer_shape shape = {
        .below = rows(e, layer),
        .above = above,
        .entries = above * e->degree,
        .n_in = e->spec->hidden_size,
        .n_out = width_of(e, layer),
    };

    return product_order_propagates_first(&shape);
}

/* ---- floats ---- */

/* Others read the activations below a product (A^ H) W, and only the product below A^ (H W). */
static bool shares_activations(const struct extent *e, int32_t layer)
{
    return layer + 1 < e->spec->layers && propagates_first(e, trained, layer + 1);
}

static double hidden_floats(const struct extent *e, int32_t layer)
{
    const struct gcn_spec *spec = e->spec;
    double width = spec->hidden_size;
    double most = most_rows(e, layer + 1);
    double batch = own_rows(e, trained(e, layer + 1)), all = own_rows(e, scored(e, layer + 1));
    double sum = width * (shares_activations(e, layer) ? most : own_rows(e, most));

    if (activation_keeps_slope(spec->activation))
        sum += width * batch;
    else if (spec->residual && layer > 0)
        sum += width * all;
    if (e->drops)
        sum += dropout_stride(spec->hidden_size) * batch * sizeof(uint16_t) / sizeof(float);
    if (spec->batch_norm)
        sum += width * batch;
    return sum;
}

/* A^ H of a layer above the first. */
static double neighbourhood_floats(const struct extent *e, int32_t layer)
{
    if (propagates_first(e, scored, layer))
        return e->spec->hidden_size * own_rows(e, most_rows(e, layer + 1));
    if (propagates_first(e, trained, layer))
        return e->spec->hidden_size * own_rows(e, trained(e, layer + 1));
    return 0;
}

/* Shared by all layers: products and gradients. */
static double shared_floats(const struct extent *e)
{
    double h = e->spec->hidden_size, z = 0, t = 0, d = trained(e, e->spec->layers) * e->n_outputs;

    for (int32_t l = 0; l < e->spec->layers; l++)
        z = fmax(z, own_rows(e, most_rows(e, l + 1)) * width_of(e, l));
    for (int32_t l = 1; l < e->spec->layers; l++) {
        bool is_first = propagates_first(e, trained, l);

        t = fmax(t, is_first ? trained(e, l + 1) * h : trained(e, l) * width_of(e, l));
        if (!propagates_first(e, scored, l))
            t = fmax(t, scored(e, l) * width_of(e, l));
        d = fmax(d, trained(e, l) * h);
    }
    if (e->pools)
        d = fmax(d, trained(e, e->spec->layers) * h);
    return z + t + d + (e->spec->residual ? trained(e, e->spec->layers > 2 ? 2 : 1) * h : 0);
}

/* first_layer.c copies dense features in panels. */
static double panel_floats(const struct extent *e)
{
    double width = e->outline->n_inputs, rows = 0;
    double most = fmax((double)FIRST_PANEL_BYTES / sizeof(float) / width, FIRST_PANEL_ROWS);

    if (e->form == FIRST_AX_DENSE)
        rows = e->is_full && !e->pools ? trained(e, 1) : scored(e, 1);
    if (rows == e->n_nodes && !e->pools) /* not copied */
        rows = 0;
    if (e->drops_inputs && !e->outline->has[FIRST_X_SPARSE])
        rows = fmax(rows, trained(e, 0));
    return width * fmin(rows, most);
}

static double first_floats(const struct extent *e)
{
    bool from_ax = e->form == FIRST_AX_DENSE || e->form == FIRST_AX_SPARSE;
    double width = width_of(e, 0), sum = panel_floats(e);

    if (e->drops_inputs && e->outline->has[FIRST_X_SPARSE])
        sum += (double)e->outline->entries_x;
    if (!from_ax || e->drops_inputs)
        sum += width * (from_ax ? trained(e, 0) : scored(e, 0));
    if (e->is_full && !e->pools && !e->drops_inputs)
        sum += width * rows_of(e, e->n_train + e->n_watched, 1);
    return sum;
}

static double weight_floats(const struct extent *e)
{
    double states = e->spec->optimizer == OPTIMIZER_SGD ? 1 : 2;
    bool has_pieces =
        e->pools && receptive_field_largest(e->outline->data, (int32_t)e->batch) > e->capacity;

    /* value, gradient, best; the gradient of a piece */
    return (3 + states + has_pieces) * gcn_weights(e->spec, e->outline->data, e->outline->n_inputs);
}

/* Several workers have a part each, and logits. */
static double worker_floats(const struct extent *e)
{
    const struct gcn_outline *o = e->outline;

    if (e->spec->workers <= 1)
        return 0;
    return e->spec->workers * gcn_weights(e->spec, o->data, o->n_inputs) +
           2.0 * o->data->n_samples * e->n_outputs;
}

/* ---- the rest ---- */

static double field_bytes(const struct extent *e)
{
    double n_fields = e->is_full && !e->drops_inputs ? 3 : 2, n = e->n_nodes;

    if (e->pools)
        return 2 * sizeof(int32_t) * (e->capacity + n + e->outline->data->n_samples);
    return sizeof(int32_t) * (n_fields * (e->spec->layers + 1) * 2 * n + (n_fields - 2) * 3 * n);
}

/* Outputs, truth or labels, two orders of samples, scratch of the metrics. */
static double score_bytes(const struct extent *e)
{
    const struct dataset *data = e->outline->data;
    double largest = fmax(e->n_train, e->n_scored - e->n_train);

    return sizeof(float) * (e->n_scored * (e->n_outputs * (1 + e->pools) + 2) + largest) +
           (double)metric_scratch_bytes((int32_t)largest, data->n_classes);
}

double gcn_train_bytes(const struct gcn_spec *spec, const struct gcn_outline *outline,
                       const struct split *split, int32_t n_ranks)
{
    struct extent e = extent_of(spec, outline, split, n_ranks);
    double floats = weight_floats(&e) + worker_floats(&e) + first_floats(&e) + shared_floats(&e);

    for (int32_t l = 0; l < model_layers(spec) - 1; l++)
        floats += hidden_floats(&e, l);
    for (int32_t l = 1; l < spec->layers; l++)
        floats += neighbourhood_floats(&e, l);
    return sizeof(float) * floats + field_bytes(&e) + score_bytes(&e) +
           fixed_bytes(outline->data, split->n_train);
}

/* Graphs are predicted one at a time. */
double gcn_predict_bytes(const struct gcn_spec *spec, const struct gcn_outline *outline,
                         const struct split *split)
{
    struct extent e = extent_of(spec, outline, split, 1);
    double n = split->n_val, h = spec->hidden_size, w = width_of(&e, 0), z = 0;
    double floats = w * rows_of(&e, n, 1); /* A^ X W */

    if (e.pools)
        return 0;
    for (int32_t l = 1; l < spec->layers; l++) {
        floats += h * rows_of(&e, n, l) * (1 + (spec->residual && l > 1));
        z = fmax(z, rows_of(&e, n, l + 1) * width_of(&e, l));
    }
    if (spec->batch_norm && spec->layers > 1)
        z = fmax(z, rows_of(&e, n, 1) * h);
    /* X W, whose place serves later products */
    floats += z + w * rows_of(&e, n, 0);
    return sizeof(float) * floats + 8 * (double)outline->entries_a +
           8 * e.n_nodes * (spec->layers + 2) + sizeof(double) * n * e.n_outputs;
}
