/* SPDX-License-Identifier: BSD-3-Clause */
#include "gcn/pass.h"

#include <math.h>

#include "gcn/first_layer.h"
#include "gcn/model.h"
#include "gcn/receptive_field.h"
#include "tensor/batchnorm.h"
#include "tensor/gemm.h"
#include "tensor/kernel.h"
#include "tensor/spmm.h"

/* ---- a hidden layer ---- */

struct hidden {
    const struct gcn_spec *spec;
    int32_t layer; /* l - 1 */
    bool has_skip;
    float *h;          /* (capacity, H) */
    float *kept;       /* (capacity, H) for activation_back(); may be h */
    uint16_t *bits;    /* dropout decisions */
    float *normalized; /* (capacity, H) BN without scale; with batch normalisation, like the rest */
    float *mean;       /* [H] subtracted */
    float *inverse;    /* [H] 1 / sqrt(variance + epsilon) */
    double *moments;   /* [2 H] mean and variance of the batch */
};

/* dropout: NULL for none. below: h of the hidden layer below, for a skip connection. */
struct hidden_pass {
    const struct receptive_field *field;
    struct layer *weights;
    const struct dropout *dropout;
    uint32_t step;
    const struct mat *below;
    bool is_training;
};

static int take_norm(struct hidden *hidden, size_t n, size_t width, struct arena *scratch)
{
    hidden->normalized = arena_take(scratch, n * width, sizeof(float));
    hidden->mean = arena_take(scratch, width, sizeof(float));
    hidden->inverse = arena_take(scratch, width, sizeof(float));
    hidden->moments = arena_take(scratch, 2 * width, sizeof(double));
    return hidden->normalized && hidden->mean && hidden->inverse && hidden->moments ? 0 : -1;
}

static int hidden_init(struct hidden *hidden, const struct gcn_spec *spec, int32_t layer,
                       int32_t capacity, bool drops, struct arena *scratch)
{
    size_t n = (size_t)capacity, width = (size_t)spec->hidden_size;
    size_t stride = (size_t)dropout_stride(spec->hidden_size);
    bool keeps_slope = activation_keeps_slope(spec->activation);

    *hidden = (struct hidden){.spec = spec, .layer = layer};
    hidden->has_skip = spec->residual && layer > 0;
    hidden->h = arena_take(scratch, n * width, sizeof(float));
    hidden->kept = hidden->h;
    if (keeps_slope || hidden->has_skip)
        hidden->kept = arena_take(scratch, n * width, sizeof(float));
    if (drops)
        hidden->bits = arena_take(scratch, n * stride, sizeof(uint16_t));
    if (!hidden->h || !hidden->kept || (drops && !hidden->bits))
        return -1;
    return spec->batch_norm ? take_norm(hidden, n, width, scratch) : 0;
}

static struct mat view(const struct hidden *hidden, const struct receptive_field *field, float *v)
{
    return mat_view(v, field->level[hidden->layer + 1].n, hidden->spec->hidden_size);
}

static struct mat hidden_view(const struct hidden *hidden, const struct receptive_field *field)
{
    return view(hidden, field, hidden->h);
}

static float inverse_of(double variance)
{
    return (float)(1 / sqrt(variance + BATCHNORM_EPSILON));
}

static void normalize_batch(struct hidden *hidden, const struct hidden_pass *pass,
                            const struct mat *z, const int32_t *z_rows, struct mat *y)
{
    struct layer *weights = pass->weights;
    struct mat normalized = view(hidden, pass->field, hidden->normalized);
    double *mean = hidden->moments, *variance = mean + y->n_cols;

    batchnorm_measure(mean, variance, z, z_rows, y->n_rows);
    batchnorm_remember(weights->mean, weights->variance, mean, variance, y->n_rows, y->n_cols);
    for (int32_t j = 0; j < y->n_cols; j++) {
        hidden->mean[j] = (float)mean[j];
        hidden->inverse[j] = inverse_of(variance[j]);
    }
    batchnorm_apply(y, &normalized, z, z_rows, hidden->mean, hidden->inverse, weights->gamma);
}

static void normalize_running(struct hidden *hidden, const struct layer *weights,
                              const struct mat *z, const int32_t *z_rows, struct mat *y)
{
    for (int32_t j = 0; j < y->n_cols; j++)
        hidden->inverse[j] = inverse_of((double)weights->variance[j]);
    batchnorm_apply(y, NULL, z, z_rows, weights->mean, hidden->inverse, weights->gamma);
}

/* With a skip connection, the gradient may need the values before the sum, in kept. */
static void activate_hidden(struct hidden *hidden, const struct hidden_pass *pass,
                            const struct mat *z, const int32_t *z_rows)
{
    bool keeps_slope = activation_keeps_slope(hidden->spec->activation);
    struct mat h = hidden_view(hidden, pass->field);
    struct mat kept = view(hidden, pass->field, hidden->kept);
    struct mat *out = keeps_slope ? &h : &kept;

    activation_forward(out, keeps_slope && pass->is_training ? &kept : NULL, z, z_rows,
                       pass->weights->b, hidden->spec->activation, pass->dropout, hidden->bits);
    if (!hidden->has_skip)
        return;
    if (out == &kept)
        kernel_rows(&h, &kept, NULL, NULL);
    kernel_gather_add(&h, pass->below, receptive_field_rows(pass->field, hidden->layer + 1),
                      receptive_field_pos(pass->field, hidden->layer));
}

/* Row i of the product is z[z_rows[i]] (NULL: z[i]). y: scratch (n, H), or z if z_rows is NULL. */
static void hidden_forward(struct hidden *hidden, const struct hidden_pass *pass,
                           const struct mat *z, const int32_t *z_rows, struct mat *y)
{
    if (pass->dropout)
        dropout_bits(hidden->bits, pass->dropout, pass->step,
                     receptive_field_rows(pass->field, hidden->layer + 1), y->n_rows, y->n_cols);
    if (hidden->spec->batch_norm) {
        if (pass->is_training)
            normalize_batch(hidden, pass, z, z_rows, y);
        else
            normalize_running(hidden, pass->weights, z, z_rows, y);
        z = y;
        z_rows = NULL;
    }
    activate_hidden(hidden, pass, z, z_rows);
}

/* d in: gradient by h; out: by the product. The caller handles the skip connection. */
static void hidden_back(const struct hidden *hidden, struct mat *d, struct layer *d_weights,
                        const struct layer *weights, const struct dropout *dropout)
{
    struct mat kept = mat_view(hidden->kept, d->n_rows, d->n_cols);
    struct mat normalized = mat_view(hidden->normalized, d->n_rows, d->n_cols);

    activation_back(d, &kept, hidden->spec->activation, dropout, hidden->bits);
    kernel_column_sums(d_weights->b, d);
    if (hidden->spec->batch_norm)
        batchnorm_back(d, d_weights->gamma, d_weights->b, &normalized, hidden->inverse,
                       weights->gamma);
}

/* ---- memory ---- */

static int take_hidden(struct pass *pass, int32_t capacity, struct arena *scratch)
{
    size_t n_hidden = (size_t)pass->n_hidden;
    size_t size = (size_t)capacity * (size_t)pass->spec->hidden_size;
    bool drops = !dropout_is_off(&pass->dropout);

    pass->hidden = arena_take_zeroed(scratch, n_hidden, sizeof *pass->hidden);
    pass->p = arena_take_zeroed(scratch, n_hidden, sizeof *pass->p);
    if (!pass->hidden || !pass->p)
        return -1;
    for (size_t l = 0; l < n_hidden; l++) {
        pass->p[l] = arena_take(scratch, size, sizeof(float));
        if (!pass->p[l] ||
            hidden_init(&pass->hidden[l], pass->spec, (int32_t)l, capacity, drops, scratch))
            return -1;
    }
    if (!pass->spec->residual)
        return 0;
    pass->skipped = arena_take(scratch, size, sizeof(float));
    return pass->skipped ? 0 : -1;
}

static bool pools(const struct pass *pass)
{
    return pass->spec->pool != POOL_NONE;
}

/* A batch has at most as many graphs as nodes. */
static int take_pooled(struct pass *pass, int32_t capacity, struct arena *scratch)
{
    size_t size = (size_t)capacity * (size_t)pass->spec->hidden_size;

    if (!pools(pass))
        return 0;
    pass->pooled = arena_take(scratch, size, sizeof *pass->pooled);
    if (pass->spec->pool == POOL_MAX)
        pass->winner = arena_take(scratch, size, sizeof *pass->winner);
    return pass->pooled && (pass->winner || pass->spec->pool != POOL_MAX) ? 0 : -1;
}

int pass_init(struct pass *pass, const struct gcn_spec *spec, const struct gcn_inputs *inputs,
              int32_t n_train, int32_t capacity, struct model *model, struct hash key,
              struct arena *scratch, struct err *err)
{
    size_t n = (size_t)capacity * (size_t)model_width(model);

    *pass = (struct pass){
        .spec = spec, .inputs = inputs, .model = model, .n_hidden = model->n_layers - 1};
    dropout_init(&pass->dropout, spec->dropout, key, RNG_DROPOUT);
    if (first_layer_init(&pass->first, spec, inputs, n_train, capacity, model->layer[0].w.n_cols,
                         key, scratch, err))
        return -1;
    pass->z = arena_take(scratch, n, sizeof(float));
    pass->t = arena_take(scratch, n, sizeof(float));
    pass->d = arena_take(scratch, n, sizeof(float));
    if (!pass->z || !pass->t || !pass->d || take_hidden(pass, capacity, scratch) ||
        take_pooled(pass, capacity, scratch))
        return err_nomem(err, "activations", 3 * n * sizeof(float));
    return 0;
}

static uint32_t layer_step(const struct pass *pass, uint32_t step, int32_t layer)
{
    return step * (uint32_t)pass->model->n_layers + (uint32_t)layer;
}

static const struct dropout *dropout_of(const struct pass *pass, bool is_training)
{
    return is_training && !dropout_is_off(&pass->dropout) ? &pass->dropout : NULL;
}

static void activate(struct pass *pass, const struct receptive_field *field, int32_t layer,
                     const struct mat *z, const int32_t *z_rows, bool is_training, uint32_t step)
{
    struct mat y = mat_view(pass->z, field->level[layer + 1].n, z->n_cols);
    struct mat below = {0};
    struct hidden_pass through = {
        .field = field,
        .weights = &pass->model->layer[layer],
        .dropout = dropout_of(pass, is_training),
        .step = layer_step(pass, step, layer),
        .below = &below,
        .is_training = is_training,
    };

    if (layer > 0)
        below = hidden_view(&pass->hidden[layer - 1], field);
    hidden_forward(&pass->hidden[layer], &through, z, z_rows, &y);
}

static bool propagates_first(const struct receptive_field *field, int32_t layer,
                             const struct mat *w)
{
    struct layer_shape shape = {
        .below = field->level[layer].n,
        .above = field->level[layer + 1].n,
        .entries = (double)field->level[layer + 1].entries,
        .n_in = w->n_rows,
        .n_out = w->n_cols,
    };

    return product_order_propagates_first(&shape);
}

static struct mat neighbourhood_view(const struct pass *pass, const struct receptive_field *field,
                                     int32_t layer)
{
    return mat_view(pass->p[layer - 1], field->level[layer + 1].n, pass->spec->hidden_size);
}

static double propagation_flops(const struct receptive_field *field, int32_t layer, int32_t width)
{
    return 2.0 * width * (double)field->level[layer + 1].entries;
}

/* z = A^ h w, from level `layer` to level `layer + 1`. */
static void propagate(struct mat *z, struct pass *pass, const struct receptive_field *field,
                      int32_t layer)
{
    const struct csr *a_hat = &pass->inputs->a_hat;
    const struct mat *w = &pass->model->layer[layer].w;
    const int32_t *rows = receptive_field_rows(field, layer + 1),
                  *pos = receptive_field_pos(field, layer);
    struct mat h = hidden_view(&pass->hidden[layer - 1], field);
    bool is_first = propagates_first(field, layer, w);
    struct mat t =
        is_first ? neighbourhood_view(pass, field, layer) : mat_view(pass->t, h.n_rows, w->n_cols);

    if (is_first) {
        spmm(&t, a_hat, rows, &h, pos);
        gemm(z, 1, &t, w, 0);
    } else {
        gemm(&t, 1, &h, w, 0);
        spmm(z, a_hat, rows, &t, pos);
    }
    pass->flops += 2.0 * t.n_rows * (double)mat_size(w) +
                   propagation_flops(field, layer, is_first ? w->n_rows : w->n_cols);
}

static struct mat pooled_view(const struct pass *pass, const struct receptive_field *field)
{
    return mat_view(pass->pooled, field->n_graphs, pass->spec->hidden_size);
}

static struct mat readout_forward(struct pass *pass, const struct receptive_field *field)
{
    const struct layer *readout = &pass->model->layer[pass->n_hidden];
    struct mat h = hidden_view(&pass->hidden[pass->n_hidden - 1], field);
    struct mat pooled = pooled_view(pass, field);
    struct mat logits = mat_view(pass->z, field->n_graphs, readout->w.n_cols);

    pool_forward(&pooled, pass->winner, &h, field->start, pass->spec->pool);
    gemm(&logits, 1, &pooled, &readout->w, 0);
    kernel_rows(&logits, &logits, NULL, readout->b);
    pass->flops += 2.0 * pooled.n_rows * (double)mat_size(&readout->w);
    return logits;
}

struct mat pass_forward(struct pass *pass, const struct receptive_field *field,
                        const struct mat *z1, const int32_t *z1_rows, bool is_training,
                        uint32_t step)
{
    int32_t last = pass->spec->layers - 1;
    struct mat z = mat_view(pass->z, field->level[1].n, pass->model->layer[0].w.n_cols);
    struct mat logits;

    if (!z1) {
        first_layer_forward(&z, &pass->first, field, &pass->model->layer[0].w, is_training, step);
        z1 = &z;
        z1_rows = NULL;
    }
    for (int32_t l = 0; l < pass->n_hidden; l++) {
        activate(pass, field, l, l == 0 ? z1 : &z, l == 0 ? z1_rows : NULL, is_training, step);
        if (l == last)
            return readout_forward(pass, field);
        z = mat_view(pass->z, field->level[l + 2].n, pass->model->layer[l + 1].w.n_cols);
        propagate(&z, pass, field, l + 1);
    }
    logits = mat_view(pass->z, field->level[last + 1].n, pass->model->layer[last].w.n_cols);
    kernel_rows(&logits, last == 0 ? z1 : &z, last == 0 ? z1_rows : NULL,
                pass->model->layer[last].b);
    return logits;
}

struct mat pass_gradient(struct pass *pass, const struct receptive_field *field)
{
    int32_t last = pass->model->n_layers - 1;
    int32_t n = pools(pass) ? field->n_graphs : field->level[last + 1].n;

    return mat_view(pass->d, n, pass->model->layer[last].w.n_cols);
}

/* d in: gradient by the layer's product; out: by the h below. */
static void propagate_back(struct mat *d, struct pass *pass, const struct receptive_field *field,
                           int32_t layer)
{
    const struct csr *a_hat = &pass->inputs->a_hat;
    const struct mat *w = &pass->model->layer[layer].w;
    struct mat *dw = &pass->model->d_layer[layer].w;
    const int32_t *rows = receptive_field_rows(field, layer),
                  *pos = receptive_field_pos(field, layer + 1);
    struct mat h = hidden_view(&pass->hidden[layer - 1], field);
    struct mat d_below = mat_view(pass->d, h.n_rows, h.n_cols);
    bool is_first = propagates_first(field, layer, w);
    struct mat t =
        is_first ? mat_view(pass->t, d->n_rows, w->n_rows) : mat_view(pass->t, h.n_rows, w->n_cols);

    if (is_first) {
        struct mat p = neighbourhood_view(pass, field, layer);

        gemm_tn(dw, 1, &p, d, 0);
        gemm_nt(&t, 1, d, w, 0);
        spmm(&d_below, a_hat, rows, &t, pos);
    } else {
        spmm(&t, a_hat, rows, d, pos);
        gemm_tn(dw, 1, &h, &t, 0);
        gemm_nt(&d_below, 1, &t, w, 0);
    }
    pass->flops += 4.0 * t.n_rows * (double)mat_size(w) +
                   propagation_flops(field, layer, is_first ? w->n_rows : w->n_cols);
    *d = d_below;
}

/* d is the gradient by the h below. */
static void skip_back(struct mat *d, const struct pass *pass, const struct receptive_field *field,
                      int32_t layer)
{
    struct mat skipped = mat_view(pass->skipped, field->level[layer + 1].n, d->n_cols);

    if (layer < pass->n_hidden && pass->hidden[layer].has_skip)
        kernel_scatter_add(d, &skipped, receptive_field_rows(field, layer + 1),
                           receptive_field_pos(field, layer));
}

/* d in: gradient by h; out: by its product. */
static void through_hidden(struct mat *d, struct pass *pass, int32_t layer)
{
    struct mat skipped = mat_view(pass->skipped, d->n_rows, d->n_cols);

    if (pass->hidden[layer].has_skip)
        kernel_rows(&skipped, d, NULL, NULL);
    hidden_back(&pass->hidden[layer], d, &pass->model->d_layer[layer], &pass->model->layer[layer],
                dropout_of(pass, true));
}

/* d in: gradient by the logits; out: by the h below. */
static void readout_back(struct mat *d, struct pass *pass, const struct receptive_field *field)
{
    const struct mat *w = &pass->model->layer[pass->n_hidden].w;
    struct mat pooled = pooled_view(pass, field);
    struct mat d_pooled = mat_view(pass->t, pooled.n_rows, pooled.n_cols);
    struct mat d_below = mat_view(pass->d, field->start[field->n_graphs], pooled.n_cols);

    gemm_tn(&pass->model->d_layer[pass->n_hidden].w, 1, &pooled, d, 0);
    gemm_nt(&d_pooled, 1, d, w, 0);
    pool_backward(&d_below, &d_pooled, pass->winner, field->start, pass->spec->pool);
    pass->flops += 4.0 * pooled.n_rows * (double)mat_size(w);
    *d = d_below;
}

void pass_backward(struct pass *pass, const struct receptive_field *field, struct mat *d,
                   uint32_t step)
{
    struct model *model = pass->model;

    kernel_column_sums(model->d_layer[pass->n_hidden].b, d);
    if (pools(pass)) {
        readout_back(d, pass, field);
        through_hidden(d, pass, pass->n_hidden - 1);
    }
    for (int32_t l = pass->spec->layers - 1; l > 0; l--) {
        propagate_back(d, pass, field, l);
        skip_back(d, pass, field, l);
        through_hidden(d, pass, l - 1);
    }
    first_layer_backward(&model->d_layer[0].w, &pass->first, field, d, step);
}
