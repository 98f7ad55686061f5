/* SPDX-License-Identifier: BSD-3-Clause */
#include "tensor/activation.h"

#include <assert.h>
#include <math.h>

#include "base/cpu.h"

bool activation_keeps_slope(enum activation activation)
{
    return activation == ACTIVATION_GELU;
}

/* glibc 2.35 has vector forms of these (libmvec). Scalar calls would take as long as the products
 * of a hidden layer. */
#ifdef HAVE_SIMD_TANHF
#pragma omp declare simd notinbranch
extern float tanhf(float);
#pragma omp declare simd notinbranch
extern float expf(float);
#pragma omp declare simd notinbranch
extern float expm1f(float);
#pragma omp declare simd notinbranch
extern float erff(float);
#endif

#define INLINE static inline __attribute__((always_inline))
#define BLOCK 16

/* `v > 0 ? v : 0` would turn NaN into 0. */
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

CLONES static void forward_relu(struct mat *h, const struct mat *z, const int32_t *rows,
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

/* A plain loop over elements of both widths took 160 us for (984, 64); blocks take 2 us. */
INLINE void drop_row(float *v, const struct dropout *dropout, const uint16_t *restrict bits,
                     int64_t n)
{
    const uint16_t threshold = dropout->threshold;
    const float scale = dropout->scale;
    int64_t j = 0;

    for (; j + BLOCK <= n; j += BLOCK)
#pragma omp simd
        for (int64_t k = j; k < j + BLOCK; k++)
            v[k] *= bits[k] >= threshold ? scale : 0;
    for (; j < n; j++)
        v[j] *= bits[j] >= threshold ? scale : 0;
}

CLONES static void forward_tanh(struct mat *h, const struct mat *z, const int32_t *rows,
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
        if (dropout)
            drop_row(to, dropout, bits + i * stride, h->n_cols);
    }
}

CLONES static void forward_elu(struct mat *h, const struct mat *z, const int32_t *rows,
                               const float *bias, const struct dropout *dropout,
                               const uint16_t *bits)
{
    int64_t stride = dropout_stride(h->n_cols);

    for (int32_t i = 0; i < h->n_rows; i++) {
        const float *from = mat_row(z, rows ? rows[i] : i);
        float *to = mat_row(h, i);

#pragma omp simd
        for (int32_t j = 0; j < h->n_cols; j++) {
            float u = from[j] + bias[j];
            float below = expm1f(u);

            to[j] = u > 0 ? u : below;
        }
        if (dropout)
            drop_row(to, dropout, bits + i * stride, h->n_cols);
    }
}

INLINE void gelu_row(float *h, const float *z, const float *restrict bias, int64_t n)
{
#pragma omp simd
    for (int64_t j = 0; j < n; j++) {
        float u = z[j] + bias[j];

        h[j] = 0.5f * u * (1 + erff(u * (float)M_SQRT1_2));
    }
}

INLINE void gelu_slope_row(float *h, float *restrict slope, const float *z,
                           const float *restrict bias, int64_t n)
{
    const float density0 = (float)(0.5 * M_2_SQRTPI * M_SQRT1_2); /* 1 / sqrt(2 pi) */

#pragma omp simd
    for (int64_t j = 0; j < n; j++) {
        float u = z[j] + bias[j];
        float share = 0.5f * (1 + erff(u * (float)M_SQRT1_2));

        slope[j] = share + u * (density0 * expf(-0.5f * u * u));
        h[j] = u * share;
    }
}

CLONES static void forward_gelu(struct mat *h, struct mat *slope, const struct mat *z,
                                const int32_t *rows, const float *bias,
                                const struct dropout *dropout, const uint16_t *bits)
{
    int64_t stride = dropout_stride(h->n_cols);

    for (int32_t i = 0; i < h->n_rows; i++) {
        const float *from = mat_row(z, rows ? rows[i] : i);
        float *to = mat_row(h, i);
        float *by = slope ? mat_row(slope, i) : NULL;

        if (by)
            gelu_slope_row(to, by, from, bias, h->n_cols);
        else
            gelu_row(to, from, bias, h->n_cols);
        if (dropout)
            drop_row(to, dropout, bits + i * stride, h->n_cols);
        if (dropout && by)
            drop_row(by, dropout, bits + i * stride, h->n_cols);
    }
}

void activation_forward(struct mat *h, struct mat *slope, const struct mat *z, const int32_t *rows,
                        const float *bias, enum activation activation,
                        const struct dropout *dropout, const uint16_t *bits)
{
    assert(h->n_cols == z->n_cols);
    if (activation == ACTIVATION_RELU)
        forward_relu(h, z, rows, bias, dropout, bits);
    else if (activation == ACTIVATION_TANH)
        forward_tanh(h, z, rows, bias, dropout, bits);
    else if (activation == ACTIVATION_ELU)
        forward_elu(h, z, rows, bias, dropout, bits);
    else
        forward_gelu(h, slope, z, rows, bias, dropout, bits);
}

/* Dropped and rectified elements are both 0 in h. */
CLONES static void relu_back(float *restrict d, const float *restrict h, int64_t n, float scale)
{
    for (int64_t i = 0; i < n; i++)
        d[i] = h[i] > 0 ? scale * d[i] : 0;
}

/* tanh(0) = 0 has a slope, so only the bits identify dropped elements. */
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
        if (dropout)
            drop_row(slope, dropout, bits + i * stride, h->n_cols);
    }
}

/* Below 0 the slope of elu is its output + 1. */
CLONES static void elu_back(struct mat *d, const struct mat *h, const struct dropout *dropout,
                            const uint16_t *bits)
{
    int64_t stride = dropout_stride(h->n_cols);
    float undo = dropout ? 1 / dropout->scale : 1;

    for (int32_t i = 0; i < h->n_rows; i++) {
        const float *out = mat_row(h, i);
        float *slope = mat_row(d, i);

        for (int32_t j = 0; j < h->n_cols; j++)
            slope[j] *= out[j] > 0 ? 1 : undo * out[j] + 1;
        if (dropout)
            drop_row(slope, dropout, bits + i * stride, h->n_cols);
    }
}

CLONES static void multiply(float *restrict d, const float *restrict slope, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        d[i] *= slope[i];
}

void activation_back(struct mat *d, const struct mat *kept, enum activation activation,
                     const struct dropout *dropout, const uint16_t *bits)
{
    assert(d->n_rows == kept->n_rows && d->n_cols == kept->n_cols);
    if (activation == ACTIVATION_RELU)
        relu_back(d->v, kept->v, mat_size(kept), dropout ? dropout->scale : 1);
    else if (activation == ACTIVATION_TANH)
        tanh_back(d, kept, dropout, bits);
    else if (activation == ACTIVATION_ELU)
        elu_back(d, kept, dropout, bits);
    else
        multiply(d->v, kept->v, mat_size(kept));
}
