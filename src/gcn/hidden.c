#include "gcn/hidden.h"

#include <math.h>

#include "tensor/batchnorm.h"
#include "tensor/kernel.h"

static int take_norm(struct hidden *hidden, size_t n, size_t width, struct arena *scratch)
{
    hidden->normalized = arena_take(scratch, n * width, sizeof(float));
    hidden->mean = arena_take(scratch, width, sizeof(float));
    hidden->inverse = arena_take(scratch, width, sizeof(float));
    hidden->moments = arena_take(scratch, 2 * width, sizeof(double));
    return hidden->normalized && hidden->mean && hidden->inverse && hidden->moments ? 0 : -1;
}

int hidden_init(struct hidden *hidden, const struct gcn_spec *spec, int32_t layer, int32_t capacity,
                bool drops, struct arena *scratch)
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

static struct mat view(const struct hidden *hidden, const struct field *field, float *v)
{
    return mat_view(v, field->level[hidden->layer + 1].n, hidden->spec->hidden_size);
}

struct mat hidden_view(const struct hidden *hidden, const struct field *field)
{
    return view(hidden, field, hidden->h);
}

static float inverse_of(double variance)
{
    return (float)(1 / sqrt(variance + BATCHNORM_EPSILON));
}

/* By the batch's statistics, which are remembered. */
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

/* The activation, into h or, where a skip connection adds to it and it is needed alone, beside. */
static void activate(struct hidden *hidden, const struct hidden_pass *pass, const struct mat *z,
                     const int32_t *z_rows)
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
    kernel_gather_add(&h, pass->below, field_rows(pass->field, hidden->layer + 1),
                      field_pos(pass->field, hidden->layer));
}

void hidden_forward(struct hidden *hidden, const struct hidden_pass *pass, const struct mat *z,
                    const int32_t *z_rows, struct mat *y)
{
    if (pass->dropout)
        dropout_bits(hidden->bits, pass->dropout, pass->step,
                     field_rows(pass->field, hidden->layer + 1), y->n_rows, y->n_cols);
    if (hidden->spec->batch_norm) {
        if (pass->is_training)
            normalize_batch(hidden, pass, z, z_rows, y);
        else
            normalize_running(hidden, pass->weights, z, z_rows, y);
        z = y;
        z_rows = NULL;
    }
    activate(hidden, pass, z, z_rows);
}

void hidden_back(const struct hidden *hidden, struct mat *d, struct layer *d_weights,
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
