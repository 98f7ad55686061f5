#include "tensor/kernel.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clones.h"

/* The vector forms that glibc has of it (libmvec, 2.35 and later) are within 4 units of the last
 * place, as its scalar one is; without them a hidden layer's tanh takes as long as its products. */
#ifdef HAVE_SIMD_TANHF
#pragma omp declare simd notinbranch
extern float tanhf(float);
#endif

#define INLINE static inline __attribute__((always_inline))
#define BLOCK 16 /* columns in the unrolled part of a row: one AVX-512 register */

/* Not `v > 0 ? v : 0`, which would turn NaN into 0. */
INLINE float relu(float v)
{
    return v < 0 ? 0 : v;
}

INLINE void relu_row(float *h, const float *z, const float *restrict bias, int64_t n)
{
    int64_t j = 0;

    for (; j + BLOCK <= n; j += BLOCK)
#pragma omp simd
        for (int64_t k = j; k < j + BLOCK; k++)
            h[k] = relu(z[k] + bias[k]);
    for (; j < n; j++)
        h[j] = relu(z[j] + bias[j]);
}

INLINE void relu_dropout_row(float *h, const float *z, const float *restrict bias,
                             const uint16_t *restrict bits, int64_t n, uint16_t threshold,
                             float scale)
{
    int64_t j = 0;

    for (; j + BLOCK <= n; j += BLOCK)
#pragma omp simd
        for (int64_t k = j; k < j + BLOCK; k++)
            h[k] = (bits[k] >= threshold ? scale : 0) * relu(z[k] + bias[k]);
    for (; j < n; j++)
        h[j] = (bits[j] >= threshold ? scale : 0) * relu(z[j] + bias[j]);
}

CLONES static void activate_relu(struct mat *h, const struct mat *z, const int32_t *rows,
                                 const float *bias, const struct dropout *dropout,
                                 const uint16_t *bits)
{
    int64_t stride = dropout_stride(h->n_cols);

    for (int32_t i = 0; i < h->n_rows; i++) {
        const float *from = mat_row(z, rows ? rows[i] : i);

        if (dropout)
            relu_dropout_row(mat_row(h, i), from, bias, bits + i * stride, h->n_cols,
                             dropout->threshold, dropout->scale);
        else
            relu_row(mat_row(h, i), from, bias, h->n_cols);
    }
}

INLINE float keep(const struct dropout *dropout, uint16_t bits)
{
    return bits >= dropout->threshold ? dropout->scale : 0;
}

CLONES static void activate_tanh(struct mat *h, const struct mat *z, const int32_t *rows,
                                 const float *bias, const struct dropout *dropout,
                                 const uint16_t *bits)
{
    int64_t stride = dropout_stride(h->n_cols);

    for (int32_t i = 0; i < h->n_rows; i++) {
        const float *from = mat_row(z, rows ? rows[i] : i);
        float *to = mat_row(h, i);

#pragma omp simd
        for (int32_t j = 0; j < h->n_cols; j++)
            to[j] = tanhf(from[j] + bias[j]);
        for (int32_t j = 0; dropout && j < h->n_cols; j++)
            to[j] *= keep(dropout, bits[i * stride + j]);
    }
}

void kernel_activate(struct mat *h, const struct mat *z, const int32_t *rows, const float *bias,
                     enum activation activation, const struct dropout *dropout,
                     const uint16_t *bits)
{
    assert(h->n_cols == z->n_cols);
    if (activation == ACTIVATION_RELU)
        activate_relu(h, z, rows, bias, dropout, bits);
    else
        activate_tanh(h, z, rows, bias, dropout, bits);
}

/* What was dropped is 0 in h, and so is what was rectified: one comparison serves both. */
CLONES static void relu_back(float *restrict d, const float *restrict h, int64_t n, float scale)
{
    for (int64_t i = 0; i < n; i++)
        d[i] = h[i] > 0 ? scale * d[i] : 0;
}

/* tanh(0) is 0 too but has a slope, so that dropped elements are told by their bits. */
CLONES static void tanh_back(struct mat *d, const struct mat *h, const struct dropout *dropout,
                             const uint16_t *bits)
{
    int64_t stride = dropout_stride(h->n_cols);
    float undo = dropout ? 1 / dropout->scale : 1;

    for (int32_t i = 0; i < h->n_rows; i++) {
        const float *out = mat_row(h, i);
        float *slope = mat_row(d, i);

        for (int32_t j = 0; j < h->n_cols; j++)
            slope[j] *= 1 - undo * out[j] * (undo * out[j]);
        for (int32_t j = 0; dropout && j < h->n_cols; j++)
            slope[j] *= keep(dropout, bits[i * stride + j]);
    }
}

void kernel_activate_back(struct mat *d, const struct mat *h, enum activation activation,
                          const struct dropout *dropout, const uint16_t *bits)
{
    assert(d->n_rows == h->n_rows && d->n_cols == h->n_cols);
    if (activation == ACTIVATION_RELU)
        relu_back(d->v, h->v, mat_size(h), dropout ? dropout->scale : 1);
    else
        tanh_back(d, h, dropout, bits);
}

CLONES void kernel_rows(struct mat *y, const struct mat *x, const int32_t *rows, const float *bias)
{
    assert(y->n_cols == x->n_cols);
    for (int32_t i = 0; i < y->n_rows; i++) {
        const float *from = mat_row(x, rows ? rows[i] : i);
        float *to = mat_row(y, i);

        if (!bias)
            memmove(to, from, (size_t)y->n_cols * sizeof *to);
        for (int32_t j = 0; bias && j < y->n_cols; j++)
            to[j] = from[j] + bias[j];
    }
}

/* Columns in tiles: the double sums of a tile stay in the first-level cache. */
CLONES void kernel_column_sums(float *sum, const struct mat *m)
{
    enum { TILE = 64 };
    double wide[TILE];

    for (int32_t begin = 0; begin < m->n_cols; begin += TILE) {
        int32_t n = m->n_cols - begin < TILE ? m->n_cols - begin : TILE;

        memset(wide, 0, sizeof wide);
        for (int32_t i = 0; i < m->n_rows; i++) {
            const float *row = mat_row(m, i) + begin;

            for (int32_t j = 0; j < n; j++)
                wide[j] += (double)row[j];
        }
        for (int32_t j = 0; j < n; j++)
            sum[begin + j] = (float)wide[j];
    }
}

/* log of the sum of exponentials of z [n], without overflow. */
static double log_sum_exp(const float *z, int32_t n)
{
    float top = z[0];
    float sum = 0;

    assert(n > 0);
    for (int32_t j = 1; j < n; j++)
        if (z[j] > top)
            top = z[j];
    for (int32_t j = 0; j < n; j++)
        sum += expf(z[j] - top);
    return (double)top + log((double)sum);
}

void kernel_log_softmax(struct mat *z)
{
    for (int32_t i = 0; i < z->n_rows; i++) {
        float *row = mat_row(z, i);
        double total = log_sum_exp(row, z->n_cols);

        for (int32_t j = 0; j < z->n_cols; j++)
            row[j] = (float)((double)row[j] - total);
    }
}

double kernel_cross_entropy(struct mat *d, const struct mat *z, const int32_t *rows,
                            const int32_t *label, double scale)
{
    double loss = 0;

    for (int32_t i = 0; i < z->n_rows; i++) {
        const float *row = mat_row(z, i);
        double total = log_sum_exp(row, z->n_cols);
        int32_t truth = label[rows[i]];

        loss += total - (double)row[truth];
        if (!d)
            continue;
        for (int32_t j = 0; j < z->n_cols; j++)
            mat_row(d, i)[j] = (float)scale * expf((float)((double)row[j] - total));
        mat_row(d, i)[truth] -= (float)scale;
    }
    return loss;
}

double kernel_squared_error(struct mat *d, const struct mat *z, const int32_t *rows,
                            const float *target, double scale)
{
    double loss = 0;

    assert(z->n_cols == 1);
    for (int32_t i = 0; i < z->n_rows; i++) {
        double difference = (double)z->v[i] - (double)target[rows[i]];

        loss += difference * difference;
        if (d)
            d->v[i] = (float)(2 * scale * difference);
    }
    return loss;
}

CLONES void kernel_adam(float *restrict w, float *restrict m, float *restrict v,
                        const float *restrict g, int64_t n, const struct adam_step *step)
{
    const struct adam_step s = *step;

    for (int64_t i = 0; i < n; i++) {
        float weight = s.shrink * w[i];
        float gradient = g[i] + s.l2 * weight;

        m[i] = s.beta1 * m[i] + s.rest1 * gradient;
        v[i] = s.beta2 * v[i] + s.rest2 * gradient * gradient;
        w[i] = weight - s.step_size * m[i] / (sqrtf(v[i]) * s.root_scale + s.epsilon);
    }
}

CLONES void kernel_sgd(float *restrict w, float *restrict m, const float *restrict g, int64_t n,
                       float rate, float momentum, float l2)
{
    for (int64_t i = 0; i < n; i++) {
        m[i] = momentum * m[i] + (g[i] + l2 * w[i]);
        w[i] -= rate * m[i];
    }
}

int kernel_standardize(struct mat *m)
{
    double *mean = calloc(2 * (size_t)m->n_cols + 1, sizeof *mean);
    double *square;

    if (!mean)
        return -1;
    square = mean + m->n_cols;
    for (int32_t i = 0; i < m->n_rows; i++)
        for (int32_t j = 0; j < m->n_cols; j++)
            mean[j] += (double)mat_row(m, i)[j] / m->n_rows;
    for (int32_t i = 0; i < m->n_rows; i++)
        for (int32_t j = 0; j < m->n_cols; j++) {
            double difference = (double)mat_row(m, i)[j] - mean[j];

            square[j] += difference * difference / m->n_rows;
        }
    for (int32_t i = 0; i < m->n_rows; i++)
        for (int32_t j = 0; j < m->n_cols; j++) {
            float *x = &mat_row(m, i)[j];

            /* A constant column's mean may miss its value by a rounding. */
            *x = square[j] > 1e-12 * mean[j] * mean[j]
                     ? (float)(((double)*x - mean[j]) / sqrt(square[j]))
                     : 0;
        }
    free(mean);
    return 0;
}

static void divide_by_sum(float *v, int64_t n)
{
    double sum = 0;

    for (int64_t j = 0; j < n; j++)
        sum += (double)v[j];
    for (int64_t j = 0; sum != 0 && j < n; j++)
        v[j] = (float)((double)v[j] / sum);
}

void kernel_normalize_rows(struct mat *m)
{
    for (int32_t i = 0; i < m->n_rows; i++)
        divide_by_sum(mat_row(m, i), m->n_cols);
}

void kernel_normalize_sparse_rows(struct csr *a)
{
    for (int32_t r = 0; r < a->n_rows; r++)
        divide_by_sum(a->val + a->row_start[r], a->row_start[r + 1] - a->row_start[r]);
}
