/* SPDX-License-Identifier: BSD-3-Clause */
#include "tensor/batchnorm.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/cpu.h"

/* A tile's double sums fit the first-level cache. */
enum { TILE = 64 };

static int32_t tile_width(int32_t begin, int32_t width)
{
    return width - begin < TILE ? width - begin : TILE;
}

CLONES static void add_tile(double *restrict sum, const double *restrict mean, const struct mat *z,
                            const int32_t *rows, int32_t n, int32_t begin, int32_t width)
{
    for (int32_t i = 0; i < n; i++) {
        const float *row = mat_row(z, rows ? rows[i] : i) + begin;

        if (!mean)
            for (int32_t j = 0; j < width; j++)
                sum[j] += (double)row[j];
        else
            for (int32_t j = 0; j < width; j++)
                sum[j] += ((double)row[j] - mean[j]) * ((double)row[j] - mean[j]);
    }
}

void batchnorm_sums(double *sum, const double *mean, const struct mat *z, const int32_t *rows,
                    int32_t n)
{
    memset(sum, 0, (size_t)z->n_cols * sizeof *sum);
    for (int32_t begin = 0; begin < z->n_cols; begin += TILE)
        add_tile(sum + begin, mean ? mean + begin : NULL, z, rows, n, begin,
                 tile_width(begin, z->n_cols));
}

void batchnorm_remember(float *running_mean, float *running_variance, const double *mean,
                        const double *variance, int32_t n, int32_t width)
{
    const double share = BATCHNORM_MOMENTUM;

    for (int32_t j = 0; j < width; j++) {
        running_mean[j] = (float)((1 - share) * (double)running_mean[j] + share * mean[j]);
        if (n > 1)
            running_variance[j] = (float)((1 - share) * (double)running_variance[j] +
                                          share * variance[j] * n / (n - 1));
    }
}

CLONES static void apply_row(float *y, const float *z, const float *restrict mean,
                             const float *restrict inverse, const float *restrict gamma, int32_t n)
{
#pragma omp simd
    for (int32_t j = 0; j < n; j++)
        y[j] = gamma[j] * ((z[j] - mean[j]) * inverse[j]);
}

CLONES static void apply_row_kept(float *y, float *restrict normalized, const float *z,
                                  const float *restrict mean, const float *restrict inverse,
                                  const float *restrict gamma, int32_t n)
{
#pragma omp simd
    for (int32_t j = 0; j < n; j++) {
        normalized[j] = (z[j] - mean[j]) * inverse[j];
        y[j] = gamma[j] * normalized[j];
    }
}

void batchnorm_apply(struct mat *y, struct mat *normalized, const struct mat *z,
                     const int32_t *rows, const float *mean, const float *inverse,
                     const float *gamma)
{
    assert(y->n_cols == z->n_cols);
    for (int32_t i = 0; i < y->n_rows; i++) {
        const float *from = mat_row(z, rows ? rows[i] : i);

        if (normalized)
            apply_row_kept(mat_row(y, i), mat_row(normalized, i), from, mean, inverse, gamma,
                           y->n_cols);
        else
            apply_row(mat_row(y, i), from, mean, inverse, gamma, y->n_cols);
    }
}

CLONES static void add_products_tile(double *restrict sum, const struct mat *d, const struct mat *x,
                                     int32_t begin, int32_t width)
{
    for (int32_t i = 0; i < d->n_rows; i++) {
        const float *a = mat_row(d, i) + begin, *b = mat_row(x, i) + begin;

        for (int32_t j = 0; j < width; j++)
            sum[j] += (double)a[j] * (double)b[j];
    }
}

void batchnorm_products(double *sum, const struct mat *d, const struct mat *normalized)
{
    memset(sum, 0, (size_t)d->n_cols * sizeof *sum);
    for (int32_t begin = 0; begin < d->n_cols; begin += TILE)
        add_products_tile(sum + begin, d, normalized, begin, tile_width(begin, d->n_cols));
}

CLONES static void back_row(float *restrict d, const float *restrict x,
                            const float *restrict d_gamma, const float *restrict d_sum,
                            const float *restrict inverse, const float *restrict gamma, float share,
                            int32_t n)
{
    for (int32_t j = 0; j < n; j++)
        d[j] = gamma[j] * inverse[j] * (d[j] - share * (d_sum[j] + x[j] * d_gamma[j]));
}

void batchnorm_back(struct mat *d, const float *d_gamma, const float *d_sum, int32_t n_batch,
                    const struct mat *normalized, const float *inverse, const float *gamma)
{
    for (int32_t i = 0; i < d->n_rows; i++)
        back_row(mat_row(d, i), mat_row(normalized, i), d_gamma, d_sum, inverse, gamma,
                 1 / (float)n_batch, d->n_cols);
}
