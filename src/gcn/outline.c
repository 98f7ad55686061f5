#include "gcn/outline.h"

#include <math.h>
#include <string.h>

#include "gcn/field.h"
#include "gcn/first.h"
#include "gcn/model.h"
#include "gcn/scale.h"

/* Nodes of the graphs that are scored together, at least (trainer.c). */
#define FEW_NODES 4096.0

/* ---- sparse ---- */

/* A^X, where it has fewer entries than X and A^ together. x: entries of X in their places. */
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

/* Dense features that are mostly zeros are taken for sparse ones. */
static bool is_mostly_zeros(const struct gcn_outline *o)
{
    struct first_shape shape = {
        .n_samples = o->data->n_nodes,
        .n_features = o->data->n_features,
        .rows0 = o->data->n_nodes,
        .rows1 = o->data->n_nodes,
        .entries_a = (double)o->entries_a,
        .entries_x = (double)o->entries_x,
    };

    return association_first_cost(FIRST_X_SPARSE, &shape) <=
           association_first_cost(FIRST_AX_DENSE, &shape);
}

/* 1, or 0 where they are not. */
static int outline_zeros(struct gcn_outline *o, const struct csr *adjacency, struct err *err)
{
    struct csr x;
    int rc;

    if (scale_count_entries(&o->entries_x, o->data, err))
        return -1;
    if (!is_mostly_zeros(o)) {
        o->entries_x = 0;
        return 0;
    }
    if (scale_gather_entries(&x, o->entries_x, o->data, err))
        return -1;
    rc = outline_sparse(o, &x, adjacency, err);
    csr_release(&x);
    return rc ? -1 : 1;
}

/* ---- dense ---- */

struct columns {
    const struct dataset *data;
    enum feature_scale scale;
};

static int read_columns(const void *self, struct mat *out, int32_t first, struct err *err)
{
    const struct columns *columns = self;

    return scale_columns(out, columns->data, columns->scale, first, err);
}

static int count_codes(struct gcn_outline *o, enum feature_scale scale, struct err *err)
{
    const struct dataset *data = o->data;
    struct columns columns = {data, scale};
    struct coded_source source = {data->n_nodes, data->n_features, read_columns, &columns};
    double dense = 2.0 * data->n_nodes * data->n_features;
    int rc = coded_count(&o->coded, &source, dense, err);

    o->has[FIRST_X_CODED] = rc == 1;
    if (rc != 1)
        memset(&o->coded, 0, sizeof o->coded);
    return rc < 0 ? -1 : 0;
}

static int outline_dense(struct gcn_outline *o, const struct csr *adjacency,
                         const struct gcn_inputs_spec *spec, struct err *err)
{
    const struct dataset *data = o->data;
    /* Codes and zeros are of markers; covariates have neither. */
    bool is_markers = !data->covariates;
    int rc = 0;

    if (is_markers && spec->scale != SCALE_STANDARDIZE)
        rc = outline_zeros(o, adjacency, err);
    if (rc)
        return rc < 0 ? -1 : 0;
    /* Codes pay where features are many and rows few; nodes of graphs are the reverse. */
    if (is_markers && spec->scale != SCALE_ROW && !data->graph_start &&
        count_codes(o, spec->scale, err))
        return -1;
    o->has[FIRST_AX_DENSE] = !o->has[FIRST_X_CODED] || spec->small_batches;
    o->has_x = spec->drops_inputs;
    return 0;
}

/* ---- together ---- */

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
        .n_kernel = inputs->n_kernel,
    };

    memcpy(o.has, inputs->has, sizeof o.has);
    return o;
}

/* ---- memory ---- */

double gcn_outline_bytes(const struct gcn_outline *o)
{
    const double entry = sizeof(float) + sizeof(int32_t);
    double rows = (double)o->data->n_nodes + 1, matrix = rows * o->n_inputs * sizeof(float);
    double bytes = (double)o->n_kernel * o->n_kernel * sizeof(double);

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

double gcn_weights(const struct gcn_spec *spec, const struct dataset *data, int32_t n_inputs)
{
    int32_t n_outputs = data->task == TASK_CLASSIFICATION ? data->n_classes : 1;
    struct model_tensor tensor;
    double n = 0;

    for (int32_t i = 0; model_tensor(&tensor, spec, n_inputs, n_outputs, i); i++)
        n += (double)tensor.n;
    return n;
}

/* Rows that are in memory at a time: nodes of all samples, or of the graphs of a batch. */
static double most_rows(const struct gcn_spec *spec, const struct gcn_outline *o, int32_t n_train)
{
    double n = o->data->n_nodes, batch;

    if (spec->pool == POOL_NONE)
        return n;
    batch = spec->batch_size && spec->batch_size < n_train ? spec->batch_size : n_train;
    batch *= n / o->data->n_samples;
    return fmin(n, fmax(batch, FEW_NODES));
}

/* Picked rows of dense features, as first.c takes them. */
static double panel_bytes(const struct gcn_outline *o, enum first_form form, double rows)
{
    double row = (double)o->n_inputs * sizeof(float);

    if (form != FIRST_AX_DENSE && !o->has_x)
        return 0;
    return row * fmin(rows, fmax((double)FIRST_PANEL_BYTES / row, FIRST_PANEL_ROWS));
}

double gcn_train_bytes(const struct gcn_spec *spec, const struct gcn_outline *o, int32_t n_train)
{
    double weights = gcn_weights(spec, o->data, o->n_inputs);
    double rows = most_rows(spec, o, n_train);
    enum first_form form = gcn_first_form(spec, o, n_train);
    double states = spec->optimizer == OPTIMIZER_SGD ? 1 : 2;
    double n_hidden = model_layers(spec) - 1;
    /* Weights, gradient and the best. Of a hidden layer its product, its units and some of what its
     * gradient needs; and the five that pass on from layer to layer. */
    double of_layer = 3 + spec->batch_norm;
    double activations = rows * spec->hidden_size * (n_hidden ? 5 + of_layer * n_hidden : 0);

    return sizeof(float) * ((3 + states) * weights + activations) + panel_bytes(o, form, rows);
}

/* ---- the first layer's form ---- */

enum first_form gcn_first_form(const struct gcn_spec *spec, const struct gcn_outline *o,
                               int32_t n_train)
{
    double n = o->data->n_nodes;
    double degree = (double)o->entries_a / n;
    bool is_full = spec->batch_size == 0 || spec->batch_size >= n_train;
    double batch = is_full ? n_train : spec->batch_size;
    double nodes = batch * n / o->data->n_samples;
    bool pools = spec->pool != POOL_NONE;
    struct first_shape shape = {
        .n_samples = n,
        .n_features = o->n_inputs,
        .rows1 = pools ? nodes : field_expected(n, degree, batch, spec->layers - 1),
        .rows0 = pools ? nodes : field_expected(n, degree, batch, spec->layers),
        .entries_a = (double)o->entries_a,
        .entries_x = (double)o->entries_x,
        .entries_ax = (double)o->entries_ax,
    };

    if (o->has[FIRST_X_CODED]) {
        shape.coded_row = coded_cost(&o->coded, o->coded.n_rows) / n;
        shape.coded_tn = coded_cost_tn(&o->coded);
    }
    return association_first(&shape, o->has);
}
