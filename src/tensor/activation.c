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

INLINE void gelu_row(float *h, float *restrict slope, const float *z, const float *restrict bias,
                     int64_t n)
{
    const float density0 = (float)(0.5 * M_2_SQRTPI * M_SQRT1_2); /* 1 / sqrt(2 pi) */

    if (!slope) {
#pragma omp simd
        for (int64_t j = 0; j < n; j++) {
            float u = z[j] + bias[j];

            h[j] = 0.5f * u * (1 + erff(u * (float)M_SQRT1_2));
        }
        return;
    }
#pragma omp simd
    for (int64_t j = 0; j < n; j++) {
        float u = z[j] + bias[j];
        float share = 0.5f * (1 + erff(u * (float)M_SQRT1_2));

        slope[j] = share + u * (density0 * expf(-0.5f * u * u));
        h[j] = u * share;
    }
}

INLINE void forward_row(float *h, float *slope, const float *z, const float *restrict bias,
                        int64_t n, enum activation activation)
{
    switch (activation) {
    case ACTIVATION_RELU: /* `v > 0 ? v : 0` would turn NaN into 0 */
#pragma omp simd
        for (int64_t j = 0; j < n; j++)
            h[j] = z[j] + bias[j] < 0 ? 0 : z[j] + bias[j];
        break;
    case ACTIVATION_TANH:
#pragma omp simd
        for (int64_t j = 0; j < n; j++)
            h[j] = tanhf(z[j] + bias[j]);
        break;
    case ACTIVATION_ELU:
#pragma omp simd
        for (int64_t j = 0; j < n; j++) {
            float u = z[j] + bias[j];
            float below = expm1f(u);

            h[j] = u > 0 ? u : below;
        }
        break;
    case ACTIVATION_GELU:
        gelu_row(h, slope, z, bias, n);
        break;
    }
}

CLONES void activation_forward(struct mat *h, struct mat *slope, const struct mat *z,
                               const int32_t *rows, const float *bias, enum activation activation,
                               const struct dropout *dropout, const uint16_t *bits)
{
    int64_t stride = dropout_stride(h->n_cols);

    assert(h->n_cols == z->n_cols);
    for (int32_t i = 0; i < h->n_rows; i++) {
        float *by = slope ? mat_row(slope, i) : NULL;

        forward_row(mat_row(h, i), by, mat_row(z, rows ? rows[i] : i), bias, h->n_cols, activation);
        if (dropout)
            drop_row(mat_row(h, i), dropout, bits + i * stride, h->n_cols);
        if (dropout && by)
            drop_row(by, dropout, bits + i * stride, h->n_cols);
    }
}

INLINE void back_row(float *restrict d, const float *restrict kept, int64_t n,
                     enum activation activation, float scale)
{
    float undo = 1 / scale;

    switch (activation) {
    case ACTIVATION_RELU: /* dropped and rectified elements are both 0 in h */
        for (int64_t j = 0; j < n; j++)
            d[j] = kept[j] > 0 ? scale * d[j] : 0;
        break;
    case ACTIVATION_TANH:
        for (int64_t j = 0; j < n; j++)
            d[j] *= 1 - undo * kept[j] * (undo * kept[j]);
        break;
    case ACTIVATION_ELU: /* below 0 the slope is the output + 1 */
        for (int64_t j = 0; j < n; j++)
            d[j] *= kept[j] > 0 ? 1 : undo * kept[j] + 1;
        break;
    case ACTIVATION_GELU:
        for (int64_t j = 0; j < n; j++)
            d[j] *= kept[j];
        break;
    }
}

CLONES void activation_back(struct mat *d, const struct mat *kept, enum activation activation,
                            const struct dropout *dropout, const uint16_t *bits)
{
    /* tanh(0) = 0 has a slope, so only the bits identify dropped elements */
    bool drops = dropout && (activation == ACTIVATION_TANH || activation == ACTIVATION_ELU);
    int64_t stride = dropout_stride(d->n_cols);

    assert(d->n_rows == kept->n_rows && d->n_cols == kept->n_cols);
    for (int32_t i = 0; i < d->n_rows; i++) {
        back_row(mat_row(d, i), mat_row(kept, i), d->n_cols, activation,
                 dropout ? dropout->scale : 1);
        if (drops)
            drop_row(mat_row(d, i), dropout, bits + i * stride, d->n_cols);
    }
}
