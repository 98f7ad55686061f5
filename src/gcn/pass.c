/* SPDX-License-Identifier: BSD-3-Clause */
#include "gcn/pass.h"

#include <math.h>

#include "gcn/cost.h"
#include "gcn/product_order.h"
#include "tensor/batchnorm.h"
#include "tensor/gemm.h"
#include "tensor/kernel.h"

struct hidden {
    bool has_skip;
    float *h;          /* (capacity, H); common memory if rows of nodes are divided */
    float *kept;       /* (capacity, H) for activation_back(); may be h */
    float *a_h;        /* (capacity, H) A^ h for the layer above; NULL if never made */
    uint16_t *bits;    /* dropout decisions */
    float *normalized; /* (capacity, H) BN without scale; with batch normalisation, like the rest */
    float *mean;       /* [H] subtracted */
    float *inverse;    /* [H] 1 / sqrt(variance + epsilon) */
    float *slopes;     /* [2 H] gradients by bias and gamma, of the batch */
};

/* Rows of a product: row i is z[rows[i]] (NULL: z[i]). */
struct product {
    struct mat z;
    const int32_t *rows;
};

static bool pools(const struct pass *pass)
{
    return pass->spec->pool != POOL_NONE;
}

/* ---- memory ---- */

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

/* shares: whose workers read each other's rows; or NULL. -1 and err: the crew's memory is short. */
static int take_hidden(struct pass *pass, int32_t l, const struct division *shares,
                       struct arena *scratch, struct err *err)
{
    const struct gcn_spec *spec = pass->spec;
    const struct pass_counted *c = pass->counted;
    struct hidden *hidden = &pass->hidden[l];
    size_t width = (size_t)spec->hidden_size, n = rows_of(pass, l + 1, IN_STEPS);
    size_t size = rows_of(pass, l + 1, IN_STEPS | IN_SCORING) * width;
    bool scores = needs_neighbourhood(pass, l + 1, c ? c->n_scored : 0);
    bool keeps_slope = activation_keeps_slope(spec->activation);

    hidden->has_skip = spec->residual && l > 0;
    hidden->h = shares ? shares->crew->calls->take_common(shares->crew, size, err)
                       : arena_take(scratch, size, sizeof(float));
    if (shares && !hidden->h)
        return -1;
    hidden->kept = hidden->h;
    if (keeps_slope || hidden->has_skip)
        hidden->kept = arena_take(scratch, keeps_slope ? n * width : size, sizeof(float));
    if (scores || needs_neighbourhood(pass, l + 1, c ? c->n_batch : 0))
        hidden->a_h =
            arena_take(scratch, rows_of(pass, l + 2, scores ? IN_STEPS | IN_SCORING : IN_STEPS),
                       width * sizeof(float));
    if (!dropout_is_off(&pass->dropout))
        hidden->bits =
            arena_take(scratch, n * (size_t)dropout_stride(spec->hidden_size), sizeof(uint16_t));
    if (spec->batch_norm) {
        hidden->normalized = arena_take(scratch, n * width, sizeof(float));
        hidden->mean = arena_take(scratch, width, sizeof(float));
        hidden->inverse = arena_take(scratch, width, sizeof(float));
        hidden->slopes = arena_take(scratch, 2 * width, sizeof(float));
    }
    return 0;
}

/* Memory that only some settings need. */
static void take_options(struct pass *pass, struct arena *scratch)
{
    const struct gcn_spec *spec = pass->spec;
    int32_t n = pass->inputs->data->n_samples;
    size_t width = (size_t)spec->hidden_size;
    size_t n_own = pass->division ? (size_t)pass->division->crew->n : 1;
    /* A batch has at most as many graphs as nodes. */
    size_t n_graphs = (size_t)(n < pass->capacity ? n : pass->capacity);

    if (spec->residual)
        pass->skipped = arena_take(scratch, rows_of(pass, spec->layers > 2 ? 2 : 1, IN_STEPS),
                                   width * sizeof(float));
    if (spec->batch_norm)
        pass->sums = arena_take(scratch, (n_own + 1) * 2 * width, sizeof *pass->sums);
    if (pools(pass))
        pass->pooled = arena_take(scratch, n_graphs * width, sizeof *pass->pooled);
    if (spec->pool == POOL_MAX)
        pass->winner = arena_take(scratch, n_graphs * width, sizeof *pass->winner);
}

int pass_init(struct pass *pass, int32_t n_train, struct hash key, struct arena *scratch,
              struct err *err)
{
    const struct division *shares = pools(pass) ? NULL : pass->division;
    const struct gcn_outline outline =
        pass->counted ? *pass->counted->outline : gcn_outline_of(pass->inputs);
    int32_t rows[2] = {(int32_t)rows_of(pass, 0, IN_STEPS),
                       (int32_t)rows_of(pass, 1, IN_STEPS | IN_SCORING)};
    size_t width = 0, z;

    pass->n_hidden = pass->model->n_layers - 1;
    for (int32_t l = 0; l <= pass->n_hidden; l++)
        if ((size_t)pass->model->layer[l].w.n_cols > width)
            width = (size_t)pass->model->layer[l].w.n_cols;
    dropout_init(&pass->dropout, pass->spec->dropout, key, RNG_DROPOUT);
    pass->hidden = arena_take_real(scratch, (size_t)pass->n_hidden, sizeof *pass->hidden);
    if (!pass->hidden)
        return err_nomem(err, "layers", (size_t)pass->n_hidden * sizeof *pass->hidden);
    /* A whole matrix is not copied. */
    if (pass->counted && !pools(pass) && rows[1] == outline.data->n_nodes)
        rows[1] = 0;
    if (first_layer_init(&pass->first, pass->spec, pass->inputs,
                         gcn_first_form(pass->spec, &outline, n_train), rows, key, scratch, err) ||
        row_buffers_init(&pass->buffers, shares, buffer_rows(pass) * width, scratch, err))
        return -1;
    for (int32_t l = 0; l < pass->n_hidden; l++)
        if (take_hidden(pass, l, shares, scratch, err))
            return -1;
    z = rows_of(pass, 1, IN_STEPS | IN_SCORING) * width;
    pass->z = arena_take(scratch, z, sizeof(float));
    take_options(pass, scratch);
    return scratch->is_short ? err_nomem(err, "activations", z * sizeof(float)) : 0;
}

/* ---- rows of a level ---- */

/* Level layers + 1 has the graphs. */
static struct span span_of(const struct pass *pass, int32_t level, int32_t worker)
{
    return level > pass->spec->layers ? receptive_field_samples_span(pass->field, worker)
                                      : receptive_field_span(pass->field, level, worker);
}

static int32_t n_rows(const struct pass *pass, int32_t level)
{
    return level > pass->spec->layers ? pass->field->n_graphs : pass->field->level[level].n;
}

/* An array of hidden layer l. */
static struct mat hidden_view(const struct pass *pass, int32_t l, float *v)
{
    return mat_view(v, n_rows(pass, l + 1), pass->spec->hidden_size);
}

static struct product product_rows(const struct product *product, struct span span)
{
    if (product->rows)
        return (struct product){product->z, product->rows + span.begin};
    return (struct product){division_rows(&product->z, span), NULL};
}

/* out = a w, or a w^T if turned, in this rank's rows of a level. */
static void multiply(struct mat *out, const struct pass *pass, int32_t level, const struct mat *a,
                     const struct mat *w, bool is_turned)
{
    for (int32_t i = division_begin(pass->field); i < division_end(pass->field); i++) {
        struct span span = span_of(pass, level, i);
        struct mat own = division_rows(out, span), own_a = division_rows(a, span);

        (is_turned ? gemm_nt : gemm)(&own, &own_a, w);
    }
}

/* The gradient by w of a layer with the product a w, d by the product. */
static void put_d_weights(const struct pass *pass, int32_t layer, int32_t level,
                          const struct mat *a, const struct mat *d)
{
    for (int32_t i = division_begin(pass->field); i < division_end(pass->field); i++) {
        struct span span = span_of(pass, level, i);
        struct mat own_a = division_rows(a, span), own_d = division_rows(d, span);

        gemm_tn(&division_gradient(pass->model, pass->field, i)[layer].w, &own_a, &own_d, false);
    }
}

/* ---- a hidden layer ---- */

/* out [H]: means of the batch, or its mean squared differences from `mean`. */
static void measure(double *out, const struct pass *pass, int32_t l, const struct product *product,
                    const double *mean)
{
    int32_t width = pass->spec->hidden_size;
    double *sum = pass->sums;

    for (int32_t w = division_begin(pass->field); w < division_end(pass->field); w++) {
        struct span span = span_of(pass, l + 1, w);
        struct product own = product_rows(product, span);

        batchnorm_sums(sum, mean, &own.z, own.rows, span.n);
        sum += width;
    }
    division_sum(out, pass->field, pass->sums, (size_t)width);
    for (int32_t j = 0; j < width; j++)
        out[j] /= n_rows(pass, l + 1);
}

/* The row of pass->sums after those of the workers. */
static double *totals(const struct pass *pass)
{
    int32_t n_own = division_end(pass->field) - division_begin(pass->field);

    return pass->sums + (ptrdiff_t)n_own * 2 * pass->spec->hidden_size;
}

/* y out (n, H); may be the product's z if its rows are NULL. */
static void normalize(struct mat *y, struct pass *pass, int32_t l, const struct product *product)
{
    const struct layer *weights = &pass->model->layer[l];
    struct hidden *hidden = &pass->hidden[l];
    struct mat normalized = hidden_view(pass, l, hidden->normalized);
    double *mean = totals(pass), *variance = mean + y->n_cols;

    if (pass->is_training) {
        measure(mean, pass, l, product, NULL);
        measure(variance, pass, l, product, mean);
        batchnorm_remember(weights->mean, weights->variance, mean, variance, y->n_rows, y->n_cols);
    }
    for (int32_t j = 0; j < y->n_cols; j++) {
        double here = pass->is_training ? variance[j] : (double)weights->variance[j];

        hidden->mean[j] = pass->is_training ? (float)mean[j] : weights->mean[j];
        hidden->inverse[j] = (float)(1 / sqrt(here + BATCHNORM_EPSILON));
    }
    for (int32_t w = division_begin(pass->field); w < division_end(pass->field); w++) {
        struct span span = span_of(pass, l + 1, w);
        struct product own = product_rows(product, span);
        struct mat own_y = division_rows(y, span), kept = division_rows(&normalized, span);

        batchnorm_apply(&own_y, pass->is_training ? &kept : NULL, &own.z, own.rows, hidden->mean,
                        hidden->inverse, weights->gamma);
    }
}

static const struct dropout *dropout_of(const struct pass *pass)
{
    return pass->is_training && !dropout_is_off(&pass->dropout) ? &pass->dropout : NULL;
}

static uint16_t *bits_of(const struct pass *pass, int32_t l, struct span span)
{
    uint16_t *bits = pass->hidden[l].bits;

    return bits ? bits + (int64_t)span.begin * dropout_stride(pass->spec->hidden_size) : NULL;
}

/* With a skip connection, the gradient may need the values before the sum, in kept. */
static void activate(struct pass *pass, int32_t l, struct product product)
{
    const struct hidden *hidden = &pass->hidden[l];
    bool keeps_slope = activation_keeps_slope(pass->spec->activation);
    const struct dropout *dropout = dropout_of(pass);
    uint32_t step = pass->step * (uint32_t)pass->model->n_layers + (uint32_t)l;
    struct mat all_h = hidden_view(pass, l, hidden->h);
    struct mat all_kept = hidden_view(pass, l, hidden->kept);

    if (pass->spec->batch_norm) {
        struct mat y = hidden_view(pass, l, pass->z);

        normalize(&y, pass, l, &product);
        product = (struct product){y, NULL};
    }
    for (int32_t w = division_begin(pass->field); w < division_end(pass->field); w++) {
        struct span span = span_of(pass, l + 1, w);
        struct mat h = division_rows(&all_h, span), kept = division_rows(&all_kept, span);
        struct mat *out = keeps_slope ? &h : &kept;
        struct product own = product_rows(&product, span);
        uint16_t *bits = bits_of(pass, l, span);

        if (dropout)
            dropout_bits(bits, dropout, step, span.rows, h.n_rows, h.n_cols);
        activation_forward(out, keeps_slope && pass->is_training ? &kept : NULL, &own.z, own.rows,
                           pass->model->layer[l].b, pass->spec->activation, dropout, bits);
        if (hidden->has_skip) {
            struct mat below = hidden_view(pass, l - 1, hidden[-1].h);

            if (out == &kept)
                kernel_rows(&h, &kept, NULL, NULL);
            kernel_gather_add(&h, &below, span.rows, receptive_field_pos(pass->field, l));
        }
    }
}

static void to_floats(float *out, const double *v, int32_t n)
{
    for (int32_t j = 0; j < n; j++)
        out[j] = (float)v[j];
}

/* d in: gradient by normalized and scaled rows; out: by the product. */
static void normalize_back(struct mat *d, const struct pass *pass, int32_t l)
{
    const struct hidden *hidden = &pass->hidden[l];
    struct mat normalized = hidden_view(pass, l, hidden->normalized);
    int32_t width = d->n_cols;
    double *sum = pass->sums, *total = totals(pass);

    for (int32_t w = division_begin(pass->field); w < division_end(pass->field); w++) {
        struct span span = span_of(pass, l + 1, w);
        struct mat own = division_rows(d, span), x = division_rows(&normalized, span);
        struct layer *gradient = division_gradient(pass->model, pass->field, w) + l;

        batchnorm_sums(sum, NULL, &own, NULL, span.n);
        batchnorm_products(sum + width, &own, &x);
        to_floats(gradient->b, sum, width);
        to_floats(gradient->gamma, sum + width, width);
        sum += 2 * width;
    }
    division_sum(total, pass->field, pass->sums, 2 * (size_t)width);
    to_floats(hidden->slopes, total, 2 * width);
    for (int32_t w = division_begin(pass->field); w < division_end(pass->field); w++) {
        struct span span = span_of(pass, l + 1, w);
        struct mat own = division_rows(d, span), x = division_rows(&normalized, span);

        batchnorm_back(&own, hidden->slopes + width, hidden->slopes, d->n_rows, &x, hidden->inverse,
                       pass->model->layer[l].gamma);
    }
}

/* d in: gradient by h; out: by its product. Keeps the former for skip_back(). */
static void activate_back(struct mat *d, const struct pass *pass, int32_t l)
{
    const struct hidden *hidden = &pass->hidden[l];
    struct mat all_kept = hidden_view(pass, l, hidden->kept);
    struct mat skipped = hidden_view(pass, l, pass->skipped);

    for (int32_t w = division_begin(pass->field); w < division_end(pass->field); w++) {
        struct span span = span_of(pass, l + 1, w);
        struct mat own = division_rows(d, span), kept = division_rows(&all_kept, span);

        if (hidden->has_skip) {
            struct mat copy = division_rows(&skipped, span);

            kernel_rows(&copy, &own, NULL, NULL);
        }
        activation_back(&own, &kept, pass->spec->activation, dropout_of(pass),
                        bits_of(pass, l, span));
        if (!pass->spec->batch_norm)
            kernel_column_sums(division_gradient(pass->model, pass->field, w)[l].b, &own);
    }
    if (pass->spec->batch_norm)
        normalize_back(d, pass, l);
}

/* Adds the gradient that hidden layer l passes on unchanged to d, that by the h below. */
static void skip_back(struct mat *d, const struct pass *pass, int32_t l)
{
    struct mat skipped = hidden_view(pass, l, pass->skipped);

    for (int32_t w = division_begin(pass->field); w < division_end(pass->field); w++) {
        struct span span = span_of(pass, l + 1, w);
        struct mat own = division_rows(&skipped, span);

        kernel_scatter_add(d, &own, span.rows, receptive_field_pos(pass->field, l));
    }
}

/* ---- from a hidden layer to the next product ---- */

/* A matrix in the buffer of gradients. */
static struct mat gradient_view(const struct pass *pass, int32_t n, int32_t width)
{
    return mat_view(pass->buffers.v[pass->d_buffer], n, width);
}

/* True if layer l is (A^ h) w. Counts the flops of its product with A^, and n_products with w. */
static bool choose_order(struct pass *pass, int32_t l, double n_products)
{
    const struct level *below = &pass->field->level[l], *above = below + 1;
    const struct mat *w = &pass->model->layer[l].w;
    struct layer_shape shape = {below->n, above->n, (double)above->entries, w->n_rows, w->n_cols};
    bool is_first = product_order_propagates_first(&shape);

    pass->flops += 2.0 * n_products * (is_first ? above : below)->n * (double)mat_size(w) +
                   2.0 * (is_first ? w->n_rows : w->n_cols) * (double)above->entries;
    return is_first;
}

/* z = A^ h w, from level l to level l + 1. */
static void propagate(struct mat *z, struct pass *pass, int32_t l)
{
    const struct receptive_field *field = pass->field;
    const struct csr *a_hat = &pass->inputs->a_hat;
    const struct mat *w = &pass->model->layer[l].w;
    const struct hidden *below = &pass->hidden[l - 1];
    struct mat h = hidden_view(pass, l - 1, below->h);

    if (choose_order(pass, l, 1)) {
        struct mat a_h = hidden_view(pass, l, below->a_h);

        division_share(field, l, &h);
        division_spmm(&a_h, field, l + 1, a_hat, &h, l);
        multiply(z, pass, l + 1, &a_h, w, false);
    } else {
        int buffer = row_buffers_free(&pass->buffers, -1);
        struct mat t = mat_view(pass->buffers.v[buffer], h.n_rows, w->n_cols);

        multiply(&t, pass, l, &h, w, false);
        row_buffers_share(&pass->buffers, buffer, field, l, &t);
        division_spmm(z, field, l + 1, a_hat, &t, l);
    }
}

/* d in: gradient by the layer's product; out: by the h below. */
static void propagate_back(struct mat *d, struct pass *pass, int32_t l)
{
    const struct receptive_field *field = pass->field;
    const struct csr *a_hat = &pass->inputs->a_hat;
    const struct mat *w = &pass->model->layer[l].w;
    const struct hidden *below = &pass->hidden[l - 1];
    struct mat h = hidden_view(pass, l - 1, below->h), d_below;

    if (choose_order(pass, l, 2)) {
        int buffer = row_buffers_free(&pass->buffers, pass->d_buffer);
        struct mat a_h = hidden_view(pass, l, below->a_h);
        struct mat t = mat_view(pass->buffers.v[buffer], d->n_rows, w->n_rows);

        d_below = gradient_view(pass, h.n_rows, w->n_rows);
        put_d_weights(pass, l, l + 1, &a_h, d);
        multiply(&t, pass, l + 1, d, w, true);
        row_buffers_share(&pass->buffers, buffer, field, l + 1, &t);
        division_spmm(&d_below, field, l, a_hat, &t, l + 1);
    } else {
        struct mat t = mat_view(pass->z, h.n_rows, w->n_cols);

        row_buffers_share(&pass->buffers, pass->d_buffer, field, l + 1, d);
        division_spmm(&t, field, l, a_hat, d, l + 1);
        put_d_weights(pass, l, l, &h, &t);
        if (division_has_shares(field))
            pass->d_buffer = row_buffers_free(&pass->buffers, pass->d_buffer);
        d_below = gradient_view(pass, h.n_rows, h.n_cols);
        multiply(&d_below, pass, l, &t, w, true);
    }
    *d = d_below;
}

/* ---- the readout ---- */

/* The rows of the nodes of a worker's graphs. */
static struct span graphs_nodes(const struct receptive_field *field, struct span graphs)
{
    int32_t begin = field->start[graphs.begin];

    return (struct span){begin, field->start[graphs.begin + graphs.n] - begin, NULL};
}

static int32_t *winner_of(const struct pass *pass, struct span graphs)
{
    return pass->winner ? pass->winner + (int64_t)graphs.begin * pass->spec->hidden_size : NULL;
}

/* z = P w */
static void read_out(struct mat *z, struct pass *pass)
{
    const struct receptive_field *field = pass->field;
    const struct mat *w = &pass->model->layer[pass->n_hidden].w;
    struct mat h = hidden_view(pass, pass->n_hidden - 1, pass->hidden[pass->n_hidden - 1].h);
    struct mat pooled = mat_view(pass->pooled, field->n_graphs, h.n_cols);

    for (int32_t i = division_begin(field); i < division_end(field); i++) {
        struct span span = span_of(pass, pass->n_hidden + 1, i);
        struct mat own_h = division_rows(&h, graphs_nodes(field, span));
        struct mat own = division_rows(&pooled, span);

        pool_forward(&own, winner_of(pass, span), &own_h, field->start + span.begin,
                     pass->spec->pool);
    }
    multiply(z, pass, pass->n_hidden + 1, &pooled, w, false);
    pass->flops += 2.0 * pooled.n_rows * (double)mat_size(w);
}

/* d in: gradient by the logits; out: by the h below. */
static void read_out_back(struct mat *d, struct pass *pass)
{
    const struct receptive_field *field = pass->field;
    const struct mat *w = &pass->model->layer[pass->n_hidden].w;
    struct mat pooled = mat_view(pass->pooled, field->n_graphs, w->n_rows);
    struct mat d_pooled = mat_view(pass->z, field->n_graphs, w->n_rows);
    struct mat d_below = gradient_view(pass, field->start[field->n_graphs], w->n_rows);

    put_d_weights(pass, pass->n_hidden, pass->n_hidden + 1, &pooled, d);
    multiply(&d_pooled, pass, pass->n_hidden + 1, d, w, true);
    for (int32_t i = division_begin(field); i < division_end(field); i++) {
        struct span span = span_of(pass, pass->n_hidden + 1, i);
        struct mat own = division_rows(&d_pooled, span);
        struct mat own_below = division_rows(&d_below, graphs_nodes(field, span));

        pool_backward(&own_below, &own, winner_of(pass, span), field->start + span.begin,
                      pass->spec->pool);
    }
    pass->flops += 4.0 * pooled.n_rows * (double)mat_size(w);
    *d = d_below;
}

/* ---- passes ---- */

struct mat pass_forward(struct pass *pass, const struct receptive_field *field,
                        const struct mat *z1, const int32_t *z1_rows, bool is_training,
                        uint32_t step)
{
    const struct layer *layer = pass->model->layer, *last = &layer[pass->n_hidden];
    struct product product;
    struct mat logits;

    pass->field = field;
    pass->is_training = is_training;
    pass->step = step;
    product = (struct product){mat_view(pass->z, n_rows(pass, 1), layer->w.n_cols), NULL};
    if (z1)
        product = (struct product){*z1, z1_rows};
    else
        first_layer_forward(&product.z, &pass->first, field, &layer->w, &pass->buffers, is_training,
                            step);
    for (int32_t l = 1; l <= pass->n_hidden; l++) {
        activate(pass, l - 1, product);
        product = (struct product){mat_view(pass->z, n_rows(pass, l + 1), layer[l].w.n_cols), NULL};
        if (l < pass->spec->layers)
            propagate(&product.z, pass, l);
        else
            read_out(&product.z, pass);
    }
    logits = mat_view(pass->z, n_rows(pass, pass->n_hidden + 1), last->w.n_cols);
    for (int32_t i = division_begin(field); i < division_end(field); i++) {
        struct span span = span_of(pass, pass->n_hidden + 1, i);
        struct product from = product_rows(&product, span);
        struct mat own = division_rows(&logits, span);

        kernel_rows(&own, &from.z, from.rows, last->b);
    }
    return logits;
}

struct mat pass_gradient(struct pass *pass)
{
    pass->d_buffer = row_buffers_free(&pass->buffers, 0);
    return gradient_view(pass, n_rows(pass, pass->n_hidden + 1),
                         pass->model->layer[pass->n_hidden].w.n_cols);
}

void pass_backward(struct pass *pass, struct mat *d)
{
    const struct receptive_field *field = pass->field;
    struct model *model = pass->model;

    for (int32_t i = division_begin(field); i < division_end(field); i++) {
        struct mat own = division_rows(d, span_of(pass, pass->n_hidden + 1, i));

        kernel_column_sums(division_gradient(model, field, i)[pass->n_hidden].b, &own);
    }
    for (int32_t l = pass->n_hidden; l > 0; l--) {
        if (l < pass->spec->layers)
            propagate_back(d, pass, l);
        else
            read_out_back(d, pass);
        if (l < pass->n_hidden && pass->hidden[l].has_skip)
            skip_back(d, pass, l);
        activate_back(d, pass, l - 1);
    }
    if (first_layer_propagates(&pass->first, true))
        row_buffers_share(&pass->buffers, pass->d_buffer, field, 1, d);
    first_layer_backward(model, &pass->first, field, d, pass->z);
}
