/* SPDX-License-Identifier: BSD-3-Clause */
#include "gcn/pass.h"

#include <math.h>

#include "gcn/cost.h"
#include "gcn/first_layer.h"
#include "gcn/model.h"
#include "gcn/product_order.h"
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
    float *h;          /* (capacity, H); common memory if rows of nodes are divided */
    float *kept;       /* (capacity, H) for activation_back(); may be h */
    uint16_t *bits;    /* dropout decisions */
    float *normalized; /* (capacity, H) BN without scale; with batch normalisation, like the rest */
    float *mean;       /* [H] subtracted */
    float *inverse;    /* [H] 1 / sqrt(variance + epsilon) */
    float *slopes;     /* [2 H] gradients by bias and gamma, of the batch */
};

/* dropout: NULL for none. below: h of the hidden layer below, for a skip connection. */
struct hidden_pass {
    const struct receptive_field *field;
    struct layer *weights;
    const struct dropout *dropout;
    uint32_t step;
    const struct mat *below;
    double *sums; /* of struct pass */
    bool is_training;
};

static struct mat view(const struct hidden *hidden, const struct receptive_field *field, float *v)
{
    return mat_view(v, field->level[hidden->layer + 1].n, hidden->spec->hidden_size);
}

static struct mat hidden_view(const struct hidden *hidden, const struct receptive_field *field)
{
    return view(hidden, field, hidden->h);
}

static struct span span_of(const struct hidden *hidden, const struct receptive_field *field,
                           int32_t worker)
{
    return receptive_field_span(field, hidden->layer + 1, worker);
}

/* Rows of a product: row i is z[rows[i]] (NULL: z[i]). */
struct product {
    struct mat z;
    const int32_t *rows;
};

static struct product product_rows(const struct product *product, struct span span)
{
    if (product->rows)
        return (struct product){product->z, product->rows + span.begin};
    return (struct product){division_rows(&product->z, span), NULL};
}

static float inverse_of(double variance)
{
    return (float)(1 / sqrt(variance + BATCHNORM_EPSILON));
}

/* out [H]: means of the batch, or its mean squared differences from `mean`. */
static void measure(double *out, const struct hidden *hidden, const struct hidden_pass *pass,
                    const struct product *product, const double *mean)
{
    const struct receptive_field *field = pass->field;
    int32_t width = hidden->spec->hidden_size, n = field->level[hidden->layer + 1].n;
    double *sum = pass->sums;

    for (int32_t w = division_begin(field); w < division_end(field); w++, sum += width) {
        struct span span = span_of(hidden, field, w);
        struct product own = product_rows(product, span);

        if (mean)
            batchnorm_squares(sum, mean, &own.z, own.rows, span.n);
        else
            batchnorm_sums(sum, &own.z, own.rows, span.n);
    }
    division_sum(out, field, pass->sums, (size_t)width);
    for (int32_t j = 0; j < width; j++)
        out[j] /= n;
}

/* The row of pass->sums after those of the workers. */
static double *totals(const struct hidden *hidden, const struct hidden_pass *pass)
{
    int32_t n_own = division_end(pass->field) - division_begin(pass->field);

    return pass->sums + (ptrdiff_t)n_own * 2 * hidden->spec->hidden_size;
}

static void measure_batch(struct hidden *hidden, const struct hidden_pass *pass,
                          const struct product *product)
{
    struct layer *weights = pass->weights;
    int32_t width = hidden->spec->hidden_size, n = pass->field->level[hidden->layer + 1].n;
    double *mean = totals(hidden, pass), *variance = mean + width;

    measure(mean, hidden, pass, product, NULL);
    measure(variance, hidden, pass, product, mean);
    batchnorm_remember(weights->mean, weights->variance, mean, variance, n, width);
    for (int32_t j = 0; j < width; j++) {
        hidden->mean[j] = (float)mean[j];
        hidden->inverse[j] = inverse_of(variance[j]);
    }
}

/* y out (n, H). */
static void normalize(struct hidden *hidden, const struct hidden_pass *pass,
                      const struct product *product, struct mat *y)
{
    const struct receptive_field *field = pass->field;
    const struct layer *weights = pass->weights;
    struct mat normalized = view(hidden, field, hidden->normalized);

    if (pass->is_training)
        measure_batch(hidden, pass, product);
    for (int32_t j = 0; j < y->n_cols && !pass->is_training; j++)
        hidden->inverse[j] = inverse_of((double)weights->variance[j]);
    for (int32_t w = division_begin(field); w < division_end(field); w++) {
        struct span span = span_of(hidden, field, w);
        struct product own = product_rows(product, span);
        struct mat own_y = division_rows(y, span), kept = division_rows(&normalized, span);

        batchnorm_apply(&own_y, pass->is_training ? &kept : NULL, &own.z, own.rows,
                        pass->is_training ? hidden->mean : weights->mean, hidden->inverse,
                        weights->gamma);
    }
}

static uint16_t *bits_of(const struct hidden *hidden, struct span span)
{
    if (!hidden->bits)
        return NULL;
    return hidden->bits + (int64_t)span.begin * dropout_stride(hidden->spec->hidden_size);
}

/* With a skip connection, the gradient may need the values before the sum, in kept. */
static void activate_rows(struct hidden *hidden, const struct hidden_pass *pass,
                          const struct product *product, struct span span)
{
    bool keeps_slope = activation_keeps_slope(hidden->spec->activation);
    struct mat all_h = hidden_view(hidden, pass->field);
    struct mat all_kept = view(hidden, pass->field, hidden->kept);
    struct mat h = division_rows(&all_h, span), kept = division_rows(&all_kept, span);
    struct mat *out = keeps_slope ? &h : &kept;
    struct product own = product_rows(product, span);
    uint16_t *bits = bits_of(hidden, span);

    if (pass->dropout)
        dropout_bits(bits, pass->dropout, pass->step, span.rows, h.n_rows, h.n_cols);
    activation_forward(out, keeps_slope && pass->is_training ? &kept : NULL, &own.z, own.rows,
                       pass->weights->b, hidden->spec->activation, pass->dropout, bits);
    if (!hidden->has_skip)
        return;
    if (out == &kept)
        kernel_rows(&h, &kept, NULL, NULL);
    kernel_gather_add(&h, pass->below, span.rows, receptive_field_pos(pass->field, hidden->layer));
}

/* y: scratch (n, H), or the product's z if its rows are NULL. */
static void hidden_forward(struct hidden *hidden, const struct hidden_pass *pass,
                           const struct product *product, struct mat *y)
{
    struct product normalized = {*y, NULL};

    if (hidden->spec->batch_norm) {
        normalize(hidden, pass, product, y);
        product = &normalized;
    }
    for (int32_t w = division_begin(pass->field); w < division_end(pass->field); w++)
        activate_rows(hidden, pass, product, span_of(hidden, pass->field, w));
}

static void to_floats(float *out, const double *v, int32_t n)
{
    for (int32_t j = 0; j < n; j++)
        out[j] = (float)v[j];
}

/* d in: gradient by normalized and scaled rows; out: by the product. */
static void normalize_back(const struct hidden *hidden, const struct hidden_pass *pass,
                           struct mat *d, struct model *model)
{
    const struct receptive_field *field = pass->field;
    struct mat normalized = view(hidden, field, hidden->normalized);
    int32_t width = d->n_cols;
    double *sum = pass->sums, *total = totals(hidden, pass);

    for (int32_t w = division_begin(field); w < division_end(field); w++, sum += 2 * width) {
        struct span span = span_of(hidden, field, w);
        struct mat own = division_rows(d, span), x = division_rows(&normalized, span);
        struct layer *gradient = division_gradient(model, field, w) + hidden->layer;

        batchnorm_sums(sum, &own, NULL, span.n);
        batchnorm_products(sum + width, &own, &x);
        to_floats(gradient->b, sum, width);
        to_floats(gradient->gamma, sum + width, width);
    }
    division_sum(total, field, pass->sums, 2 * (size_t)width);
    to_floats(hidden->slopes, total, 2 * width);
    for (int32_t w = division_begin(field); w < division_end(field); w++) {
        struct span span = span_of(hidden, field, w);
        struct mat own = division_rows(d, span), x = division_rows(&normalized, span);

        batchnorm_back(&own, hidden->slopes + width, hidden->slopes, d->n_rows, &x, hidden->inverse,
                       pass->weights->gamma);
    }
}

/* d in: gradient by h; out: by the product. The caller handles the skip connection. */
static void hidden_back(const struct hidden *hidden, const struct hidden_pass *pass, struct mat *d,
                        struct model *model)
{
    const struct receptive_field *field = pass->field;
    struct mat all_kept = view(hidden, field, hidden->kept);

    for (int32_t w = division_begin(field); w < division_end(field); w++) {
        struct span span = span_of(hidden, field, w);
        struct mat own = division_rows(d, span), kept = division_rows(&all_kept, span);

        activation_back(&own, &kept, hidden->spec->activation, pass->dropout,
                        bits_of(hidden, span));
        if (!hidden->spec->batch_norm)
            kernel_column_sums(division_gradient(model, field, w)[hidden->layer].b, &own);
    }
    if (hidden->spec->batch_norm)
        normalize_back(hidden, pass, d, model);
}

/* ---- memory ---- */

static bool pools(const struct pass *pass)
{
    return pass->spec->pool != POOL_NONE;
}

double pass_counted_rows(const struct pass *pass, double n, int32_t level)
{
    const struct gcn_outline *o = pass->counted->outline;
    double n_nodes = o->data->n_nodes;

    if (pools(pass))
        return fmin(pass->capacity, n * n_nodes / o->data->n_samples);
    return receptive_field_expected_rows(n_nodes, (double)o->entries_a / n_nodes, n,
                                         pass->spec->layers, level);
}

enum { IN_STEPS = 1, IN_SCORING = 2 };

/* Rows of a level that have memory; if they are counted, those that are written. */
static size_t rows_of(const struct pass *pass, int32_t level, int when)
{
    const struct pass_counted *c = pass->counted;
    double n = 0;

    if (!c)
        return (size_t)pass->capacity;
    if (when & IN_STEPS)
        n = pass_counted_rows(pass, c->n_batch, level);
    if (when & IN_SCORING)
        n = fmax(n, pass_counted_rows(pass, c->n_scored, level));
    return (size_t)ceil(n * c->own);
}

/* True if A^ H of a layer above the first is made for n samples. */
static bool needs_neighbourhood(const struct pass *pass, int32_t layer, double n)
{
    const struct gcn_outline *o = pass->counted ? pass->counted->outline : NULL;
    const struct mat *w = &pass->model->layer[layer].w;
    struct layer_shape shape = {.n_in = w->n_rows, .n_out = w->n_cols};

    if (layer >= pass->spec->layers || pools(pass)) /* graphs have equal levels and widths */
        return false;
    if (!o)
        return true;
    shape.below = pass_counted_rows(pass, n, layer);
    shape.above = pass_counted_rows(pass, n, layer + 1);
    shape.entries = shape.above * (double)o->entries_a / o->data->n_nodes;
    return product_order_propagates_first(&shape);
}

/* Rows of the buffers, which have products A^ (H W) before A^, and gradients. */
static size_t buffer_rows(const struct pass *pass)
{
    bool drops = !dropout_is_off(&pass->first.dropout);
    size_t n = rows_of(pass, 1, pass->spec->layers > 2 ? IN_STEPS | IN_SCORING : IN_STEPS);
    size_t first = first_layer_propagates(&pass->first, drops)
                       ? rows_of(pass, 0, drops ? IN_STEPS : IN_STEPS | IN_SCORING)
                       : 0;

    return first > n ? first : n;
}

static int take_norm(struct hidden *hidden, size_t n, size_t width, struct arena *scratch)
{
    hidden->normalized = arena_take(scratch, n * width, sizeof(float));
    hidden->mean = arena_take(scratch, width, sizeof(float));
    hidden->inverse = arena_take(scratch, width, sizeof(float));
    hidden->slopes = arena_take(scratch, 2 * width, sizeof(float));
    return hidden->normalized && hidden->mean && hidden->inverse && hidden->slopes ? 0 : -1;
}

/* h: see struct hidden. */
static int hidden_init(struct hidden *hidden, const struct pass *pass, int32_t layer, float *h,
                       struct arena *scratch)
{
    const struct gcn_spec *spec = pass->spec;
    size_t n = rows_of(pass, layer + 1, IN_STEPS), width = (size_t)spec->hidden_size;
    size_t stride = (size_t)dropout_stride(spec->hidden_size);
    bool keeps_slope = activation_keeps_slope(spec->activation);
    bool drops = !dropout_is_off(&pass->dropout);

    *hidden = (struct hidden){.spec = spec, .layer = layer, .h = h, .kept = h};
    hidden->has_skip = spec->residual && layer > 0;
    if (keeps_slope || hidden->has_skip)
        hidden->kept = arena_take(
            scratch,
            keeps_slope ? n * width : rows_of(pass, layer + 1, IN_STEPS | IN_SCORING) * width,
            sizeof(float));
    if (drops)
        hidden->bits = arena_take(scratch, n * stride, sizeof(uint16_t));
    if (!hidden->kept || (drops && !hidden->bits))
        return -1;
    return spec->batch_norm ? take_norm(hidden, n, width, scratch) : 0;
}

/* (capacity, H) of a hidden layer; its rows may be shared. NULL and err. */
static float *take_h(const struct division *division, size_t size, struct arena *scratch,
                     struct err *err)
{
    float *h;

    if (division)
        return division->crew->calls->take_common(division->crew, size, err);
    h = arena_take(scratch, size, sizeof *h);
    if (!h)
        err_nomem(err, "activations", size * sizeof *h);
    return h;
}

static int take_hidden(struct pass *pass, const struct division *division, struct arena *scratch,
                       struct err *err)
{
    const struct pass_counted *c = pass->counted;
    size_t n_hidden = (size_t)pass->n_hidden, width = (size_t)pass->spec->hidden_size;

    pass->hidden = arena_take_real(scratch, n_hidden, sizeof *pass->hidden);
    pass->p = arena_take_real(scratch, n_hidden, sizeof *pass->p);
    if (!pass->hidden || !pass->p)
        return err_nomem(err, "layers", n_hidden * sizeof *pass->hidden);
    for (int32_t l = 0; l < pass->n_hidden; l++) {
        bool scores = needs_neighbourhood(pass, l + 1, c ? c->n_scored : 0);
        bool makes_p = scores || needs_neighbourhood(pass, l + 1, c ? c->n_batch : 0);
        size_t size = rows_of(pass, l + 1, IN_STEPS | IN_SCORING) * width;
        size_t p_rows = rows_of(pass, l + 2, scores ? IN_STEPS | IN_SCORING : IN_STEPS);
        float *h = take_h(division, size, scratch, err);

        if (!h)
            return -1;
        if (makes_p)
            pass->p[l] = arena_take(scratch, p_rows * width, sizeof(float));
        if ((makes_p && !pass->p[l]) || hidden_init(&pass->hidden[l], pass, l, h, scratch))
            return err_nomem(err, "activations", size * sizeof(float));
    }
    return 0;
}

/* A batch has at most as many graphs as nodes. */
static int take_pooled(struct pass *pass, struct arena *scratch)
{
    int32_t n = pass->inputs->data->n_samples, capacity = pass->capacity;
    size_t size = (size_t)(n < capacity ? n : capacity) * (size_t)pass->spec->hidden_size;

    if (!pools(pass))
        return 0;
    pass->pooled = arena_take(scratch, size, sizeof *pass->pooled);
    if (pass->spec->pool == POOL_MAX)
        pass->winner = arena_take(scratch, size, sizeof *pass->winner);
    return pass->pooled && (pass->winner || pass->spec->pool != POOL_MAX) ? 0 : -1;
}

/* Memory that only some settings need. */
static int take_options(struct pass *pass, int32_t n_own, struct arena *scratch)
{
    size_t width = (size_t)pass->spec->hidden_size;
    size_t n = rows_of(pass, pass->spec->layers > 2 ? 2 : 1, IN_STEPS);

    if (pass->spec->residual) {
        pass->skipped = arena_take(scratch, n * width, sizeof *pass->skipped);
        if (!pass->skipped)
            return -1;
    }
    if (pass->spec->batch_norm) {
        pass->sums = arena_take(scratch, ((size_t)n_own + 1) * 2 * width, sizeof *pass->sums);
        if (!pass->sums)
            return -1;
    }
    return take_pooled(pass, scratch);
}

static int take_first(struct pass *pass, int32_t n_train, struct hash key, struct arena *scratch,
                      struct err *err)
{
    const struct pass_counted *c = pass->counted;
    const struct gcn_outline outline = c ? *c->outline : gcn_outline_of(pass->inputs);
    int32_t rows[2] = {(int32_t)rows_of(pass, 0, IN_STEPS),
                       (int32_t)rows_of(pass, 1, IN_STEPS | IN_SCORING)};

    /* A whole matrix is not copied. */
    if (c && !pools(pass) && rows[1] == outline.data->n_nodes)
        rows[1] = 0;
    return first_layer_init(&pass->first, pass->spec, pass->inputs,
                            gcn_first_form(pass->spec, &outline, n_train), rows, key, scratch, err);
}

int pass_init(struct pass *pass, const struct gcn_spec *spec, const struct gcn_inputs *inputs,
              int32_t n_train, int32_t capacity, struct model *model,
              const struct division *division, const struct pass_counted *counted, struct hash key,
              struct arena *scratch, struct err *err)
{
    const struct division *shares = spec->pool == POOL_NONE ? division : NULL;
    size_t width = (size_t)model_width(model), z;

    *pass = (struct pass){.spec = spec,
                          .inputs = inputs,
                          .model = model,
                          .n_hidden = model->n_layers - 1,
                          .capacity = capacity,
                          .counted = counted};
    dropout_init(&pass->dropout, spec->dropout, key, RNG_DROPOUT);
    if (take_first(pass, n_train, key, scratch, err))
        return -1;
    if (row_buffers_init(&pass->buffers, shares, buffer_rows(pass) * width, scratch, err) ||
        take_hidden(pass, shares, scratch, err))
        return -1;
    z = rows_of(pass, 1, IN_STEPS | IN_SCORING) * width;
    pass->z = arena_take(scratch, z, sizeof(float));
    if (!pass->z || take_options(pass, division ? division->crew->n : 1, scratch))
        return err_nomem(err, "activations", z * sizeof(float));
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

static struct hidden_pass hidden_pass_of(const struct pass *pass,
                                         const struct receptive_field *field, int32_t layer,
                                         bool is_training)
{
    return (struct hidden_pass){
        .field = field,
        .weights = &pass->model->layer[layer],
        .dropout = dropout_of(pass, is_training),
        .sums = pass->sums,
        .is_training = is_training,
    };
}

static void activate(struct pass *pass, const struct receptive_field *field, int32_t layer,
                     const struct product *product, bool is_training, uint32_t step)
{
    struct mat y = mat_view(pass->z, field->level[layer + 1].n, product->z.n_cols);
    struct mat below = {0};
    struct hidden_pass through = hidden_pass_of(pass, field, layer, is_training);

    through.step = layer_step(pass, step, layer);
    through.below = &below;
    if (layer > 0)
        below = hidden_view(&pass->hidden[layer - 1], field);
    hidden_forward(&pass->hidden[layer], &through, product, &y);
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

/* z = (A^ h) w */
static void propagate_h(struct mat *z, struct pass *pass, const struct receptive_field *field,
                        int32_t layer)
{
    const struct mat *w = &pass->model->layer[layer].w;
    struct mat h = hidden_view(&pass->hidden[layer - 1], field);
    struct mat p = neighbourhood_view(pass, field, layer);

    division_share(field, layer, &h);
    for (int32_t i = division_begin(field); i < division_end(field); i++) {
        struct span span = receptive_field_span(field, layer + 1, i);
        struct mat own_p = division_rows(&p, span), own_z = division_rows(z, span);

        spmm(&own_p, &pass->inputs->a_hat, span.rows, &h, receptive_field_pos(field, layer));
        gemm(&own_z, 1, &own_p, w, 0);
    }
}

/* z = A^ (h w) */
static void propagate_product(struct mat *z, struct pass *pass, const struct receptive_field *field,
                              int32_t layer)
{
    const struct mat *w = &pass->model->layer[layer].w;
    struct mat h = hidden_view(&pass->hidden[layer - 1], field);
    int buffer = row_buffers_free(&pass->buffers, -1);
    struct mat t = mat_view(pass->buffers.v[buffer], h.n_rows, w->n_cols);

    for (int32_t i = division_begin(field); i < division_end(field); i++) {
        struct span span = receptive_field_span(field, layer, i);
        struct mat own_t = division_rows(&t, span), own_h = division_rows(&h, span);

        gemm(&own_t, 1, &own_h, w, 0);
    }
    row_buffers_share(&pass->buffers, buffer, field, layer, &t);
    for (int32_t i = division_begin(field); i < division_end(field); i++) {
        struct span span = receptive_field_span(field, layer + 1, i);
        struct mat own = division_rows(z, span);

        spmm(&own, &pass->inputs->a_hat, span.rows, &t, receptive_field_pos(field, layer));
    }
}

/* z = A^ h w, from level `layer` to level `layer + 1`. */
static void propagate(struct mat *z, struct pass *pass, const struct receptive_field *field,
                      int32_t layer)
{
    const struct mat *w = &pass->model->layer[layer].w;
    bool is_first = propagates_first(field, layer, w);

    if (is_first)
        propagate_h(z, pass, field, layer);
    else
        propagate_product(z, pass, field, layer);
    pass->flops += 2.0 * field->level[layer + is_first].n * (double)mat_size(w) +
                   propagation_flops(field, layer, is_first ? w->n_rows : w->n_cols);
}

static struct mat pooled_view(const struct pass *pass, const struct receptive_field *field)
{
    return mat_view(pass->pooled, field->n_graphs, pass->spec->hidden_size);
}

/* The rows of the nodes of a worker's graphs. */
static struct span graphs_nodes(const struct receptive_field *field, struct span graphs)
{
    int32_t begin = field->start[graphs.begin];

    return (struct span){begin, field->start[graphs.begin + graphs.n] - begin, NULL};
}

static int32_t *winner_of(const struct pass *pass, struct span graphs)
{
    if (!pass->winner)
        return NULL;
    return pass->winner + (int64_t)graphs.begin * pass->spec->hidden_size;
}

static struct mat readout_forward(struct pass *pass, const struct receptive_field *field)
{
    const struct layer *readout = &pass->model->layer[pass->n_hidden];
    struct mat h = hidden_view(&pass->hidden[pass->n_hidden - 1], field);
    struct mat pooled = pooled_view(pass, field);
    struct mat logits = mat_view(pass->z, field->n_graphs, readout->w.n_cols);

    for (int32_t i = division_begin(field); i < division_end(field); i++) {
        struct span span = receptive_field_samples_span(field, i);
        struct mat own_h = division_rows(&h, graphs_nodes(field, span));
        struct mat own_pooled = division_rows(&pooled, span);
        struct mat own = division_rows(&logits, span);

        pool_forward(&own_pooled, winner_of(pass, span), &own_h, field->start + span.begin,
                     pass->spec->pool);
        gemm(&own, 1, &own_pooled, &readout->w, 0);
        kernel_rows(&own, &own, NULL, readout->b);
    }
    pass->flops += 2.0 * pooled.n_rows * (double)mat_size(&readout->w);
    return logits;
}

void pass_first(struct mat *z, struct pass *pass, const struct receptive_field *field,
                bool is_training, uint32_t step)
{
    first_layer_forward(z, &pass->first, field, &pass->model->layer[0].w, &pass->buffers,
                        is_training, step);
}

static struct mat add_bias(struct pass *pass, const struct receptive_field *field,
                           const struct product *product)
{
    int32_t last = pass->spec->layers - 1;
    const struct layer *layer = &pass->model->layer[last];
    struct mat logits = mat_view(pass->z, field->level[last + 1].n, layer->w.n_cols);

    for (int32_t i = division_begin(field); i < division_end(field); i++) {
        struct span span = receptive_field_span(field, last + 1, i);
        struct product from = product_rows(product, span);
        struct mat own = division_rows(&logits, span);

        kernel_rows(&own, &from.z, from.rows, layer->b);
    }
    return logits;
}

struct mat pass_forward(struct pass *pass, const struct receptive_field *field,
                        const struct mat *z1, const int32_t *z1_rows, bool is_training,
                        uint32_t step)
{
    int32_t last = pass->spec->layers - 1;
    struct product product = {mat_view(pass->z, field->level[1].n, pass->model->layer[0].w.n_cols),
                              NULL};

    if (z1)
        product = (struct product){*z1, z1_rows};
    else
        pass_first(&product.z, pass, field, is_training, step);
    for (int32_t l = 0; l < pass->n_hidden; l++) {
        activate(pass, field, l, &product, is_training, step);
        if (l == last)
            return readout_forward(pass, field);
        product = (struct product){
            mat_view(pass->z, field->level[l + 2].n, pass->model->layer[l + 1].w.n_cols), NULL};
        propagate(&product.z, pass, field, l + 1);
    }
    return add_bias(pass, field, &product);
}

/* ---- backward ---- */

/* A matrix of a level in the buffer of gradients. */
static struct mat gradient_view(const struct pass *pass, int32_t n, int32_t width)
{
    return mat_view(pass->buffers.v[pass->d_buffer], n, width);
}

struct mat pass_gradient(struct pass *pass, const struct receptive_field *field)
{
    int32_t last = pass->model->n_layers - 1;
    int32_t n = pools(pass) ? field->n_graphs : field->level[last + 1].n;

    pass->d_buffer = row_buffers_free(&pass->buffers, 0);
    return gradient_view(pass, n, pass->model->layer[last].w.n_cols);
}

static struct mat *d_weights(struct pass *pass, const struct receptive_field *field, int32_t layer,
                             int32_t worker)
{
    return &division_gradient(pass->model, field, worker)[layer].w;
}

/* The backward pass of z = (A^ h) w. */
static void propagate_h_back(struct mat *d, struct pass *pass, const struct receptive_field *field,
                             int32_t layer)
{
    const struct mat *w = &pass->model->layer[layer].w;
    struct mat p = neighbourhood_view(pass, field, layer);
    int buffer = row_buffers_free(&pass->buffers, pass->d_buffer);
    struct mat t = mat_view(pass->buffers.v[buffer], d->n_rows, w->n_rows);
    struct mat d_below = gradient_view(pass, field->level[layer].n, w->n_rows);

    for (int32_t i = division_begin(field); i < division_end(field); i++) {
        struct span span = receptive_field_span(field, layer + 1, i);
        struct mat own_d = division_rows(d, span), own_p = division_rows(&p, span);
        struct mat own_t = division_rows(&t, span);

        gemm_tn(d_weights(pass, field, layer, i), 1, &own_p, &own_d, 0);
        gemm_nt(&own_t, 1, &own_d, w, 0);
    }
    row_buffers_share(&pass->buffers, buffer, field, layer + 1, &t);
    for (int32_t i = division_begin(field); i < division_end(field); i++) {
        struct span span = receptive_field_span(field, layer, i);
        struct mat own = division_rows(&d_below, span);

        spmm(&own, &pass->inputs->a_hat, span.rows, &t, receptive_field_pos(field, layer + 1));
    }
    *d = d_below;
}

/* The backward pass of z = A^ (h w). */
static void propagate_product_back(struct mat *d, struct pass *pass,
                                   const struct receptive_field *field, int32_t layer)
{
    const struct mat *w = &pass->model->layer[layer].w;
    struct mat h = hidden_view(&pass->hidden[layer - 1], field);
    struct mat t = mat_view(pass->z, h.n_rows, w->n_cols), d_below;

    row_buffers_share(&pass->buffers, pass->d_buffer, field, layer + 1, d);
    for (int32_t i = division_begin(field); i < division_end(field); i++) {
        struct span span = receptive_field_span(field, layer, i);
        struct mat own_t = division_rows(&t, span), own_h = division_rows(&h, span);

        spmm(&own_t, &pass->inputs->a_hat, span.rows, d, receptive_field_pos(field, layer + 1));
        gemm_tn(d_weights(pass, field, layer, i), 1, &own_h, &own_t, 0);
    }
    if (division_has_shares(field))
        pass->d_buffer = row_buffers_free(&pass->buffers, pass->d_buffer);
    d_below = gradient_view(pass, h.n_rows, h.n_cols);
    for (int32_t i = division_begin(field); i < division_end(field); i++) {
        struct span span = receptive_field_span(field, layer, i);
        struct mat own = division_rows(&d_below, span), own_t = division_rows(&t, span);

        gemm_nt(&own, 1, &own_t, w, 0);
    }
    *d = d_below;
}

/* d in: gradient by the layer's product; out: by the h below. */
static void propagate_back(struct mat *d, struct pass *pass, const struct receptive_field *field,
                           int32_t layer)
{
    const struct mat *w = &pass->model->layer[layer].w;
    bool is_first = propagates_first(field, layer, w);

    if (is_first)
        propagate_h_back(d, pass, field, layer);
    else
        propagate_product_back(d, pass, field, layer);
    pass->flops += 4.0 * field->level[layer + is_first].n * (double)mat_size(w) +
                   propagation_flops(field, layer, is_first ? w->n_rows : w->n_cols);
}

/* d is the gradient by the h below. */
static void skip_back(struct mat *d, const struct pass *pass, const struct receptive_field *field,
                      int32_t layer)
{
    struct mat skipped = mat_view(pass->skipped, field->level[layer + 1].n, d->n_cols);

    if (layer >= pass->n_hidden || !pass->hidden[layer].has_skip)
        return;
    for (int32_t i = division_begin(field); i < division_end(field); i++) {
        struct span span = receptive_field_span(field, layer + 1, i);
        struct mat own = division_rows(&skipped, span);

        kernel_scatter_add(d, &own, span.rows, receptive_field_pos(field, layer));
    }
}

/* d in: gradient by h; out: by its product. */
static void through_hidden(struct mat *d, struct pass *pass, const struct receptive_field *field,
                           int32_t layer)
{
    struct mat skipped = mat_view(pass->skipped, d->n_rows, d->n_cols);
    struct hidden_pass through = hidden_pass_of(pass, field, layer, true);

    for (int32_t i = division_begin(field); i < division_end(field) && pass->hidden[layer].has_skip;
         i++) {
        struct span span = receptive_field_span(field, layer + 1, i);
        struct mat own = division_rows(d, span), copy = division_rows(&skipped, span);

        kernel_rows(&copy, &own, NULL, NULL);
    }
    hidden_back(&pass->hidden[layer], &through, d, pass->model);
}

/* d in: gradient by the logits; out: by the h below. */
static void readout_back(struct mat *d, struct pass *pass, const struct receptive_field *field)
{
    const struct mat *w = &pass->model->layer[pass->n_hidden].w;
    struct mat pooled = pooled_view(pass, field);
    struct mat d_pooled = mat_view(pass->z, pooled.n_rows, pooled.n_cols);
    struct mat d_below = gradient_view(pass, field->start[field->n_graphs], pooled.n_cols);

    for (int32_t i = division_begin(field); i < division_end(field); i++) {
        struct span span = receptive_field_samples_span(field, i);
        struct mat own_d = division_rows(d, span), own_pooled = division_rows(&pooled, span);
        struct mat own = division_rows(&d_pooled, span);

        gemm_tn(d_weights(pass, field, pass->n_hidden, i), 1, &own_pooled, &own_d, 0);
        gemm_nt(&own, 1, &own_d, w, 0);
    }
    for (int32_t i = division_begin(field); i < division_end(field); i++) {
        struct span span = receptive_field_samples_span(field, i);
        struct mat own = division_rows(&d_pooled, span);
        struct mat own_below = division_rows(&d_below, graphs_nodes(field, span));

        pool_backward(&own_below, &own, winner_of(pass, span), field->start + span.begin,
                      pass->spec->pool);
    }
    pass->flops += 4.0 * pooled.n_rows * (double)mat_size(w);
    *d = d_below;
}

void pass_backward(struct pass *pass, const struct receptive_field *field, struct mat *d,
                   uint32_t step)
{
    struct model *model = pass->model;

    for (int32_t i = division_begin(field); i < division_end(field); i++) {
        struct mat own = division_rows(d, receptive_field_samples_span(field, i));

        kernel_column_sums(division_gradient(model, field, i)[pass->n_hidden].b, &own);
    }
    if (pools(pass)) {
        readout_back(d, pass, field);
        through_hidden(d, pass, field, pass->n_hidden - 1);
    }
    for (int32_t l = pass->spec->layers - 1; l > 0; l--) {
        propagate_back(d, pass, field, l);
        skip_back(d, pass, field, l);
        through_hidden(d, pass, field, l - 1);
    }
    if (first_layer_propagates(&pass->first, true))
        row_buffers_share(&pass->buffers, pass->d_buffer, field, 1, d);
    first_layer_backward(model, &pass->first, field, d, pass->z, step);
}
