/* SPDX-License-Identifier: BSD-3-Clause */
#include "tensor/kernel.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpu.h"

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

static int32_t below_row(int32_t i, const int32_t *rows, const int32_t *pos)
{
    int32_t sample = rows ? rows[i] : i;

    return pos ? pos[sample] : sample;
}

void kernel_gather_add(struct mat *above, const struct mat *below, const int32_t *rows,
                       const int32_t *pos)
{
    assert(above->n_cols == below->n_cols);
    for (int32_t i = 0; i < above->n_rows; i++)
        kernel_add(mat_row(above, i), mat_row(above, i), mat_row(below, below_row(i, rows, pos)),
                   above->n_cols);
}

void kernel_scatter_add(struct mat *below, const struct mat *above, const int32_t *rows,
                        const int32_t *pos)
{
    assert(above->n_cols == below->n_cols);
    for (int32_t i = 0; i < above->n_rows; i++)
        kernel_add(mat_row(below, below_row(i, rows, pos)), mat_row(below, below_row(i, rows, pos)),
                   mat_row(above, i), above->n_cols);
}

CLONES void kernel_add(float *to, const float *a, const float *b, int64_t n)
{
#pragma omp simd
    for (int64_t i = 0; i < n; i++)
        to[i] = a[i] + b[i];
}

/* A tile's double sums fit the first-level cache. */
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
                            const int32_t *label, const float *weight, double scale)
{
    double loss = 0;

    for (int32_t i = 0; i < z->n_rows; i++) {
        const float *row = mat_row(z, i);
        double total = log_sum_exp(row, z->n_cols);
        int32_t truth = label[rows[i]];
        double own = weight ? (double)weight[truth] : 1;
        float slope = (float)(own * scale);

        loss += own * (total - (double)row[truth]);
        if (!d)
            continue;
        for (int32_t j = 0; j < z->n_cols; j++)
            mat_row(d, i)[j] = slope * expf((float)((double)row[j] - total));
        mat_row(d, i)[truth] -= slope;
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

            /* Rounding may move the mean of a constant column. */
            *x = square[j] > 1e-12 * mean[j] * mean[j]
                     ? (float)(((double)*x - mean[j]) / sqrt(square[j]))
                     : 0;
        }
    free(mean);
    return 0;
}

static double add_up(double sum, const float *v, int64_t n)
{
    for (int64_t j = 0; j < n; j++)
        sum += (double)v[j];
    return sum;
}

static void divide(float *v, int64_t n, double sum)
{
    for (int64_t j = 0; sum != 0 && j < n; j++)
        v[j] = (float)((double)v[j] / sum);
}

void kernel_add_row_sums(double *sum, const struct mat *m)
{
    for (int32_t i = 0; i < m->n_rows; i++)
        sum[i] = add_up(sum[i], mat_row(m, i), m->n_cols);
}

void kernel_divide_rows(struct mat *m, const double *sum)
{
    for (int32_t i = 0; i < m->n_rows; i++)
        divide(mat_row(m, i), m->n_cols, sum[i]);
}

void kernel_normalize_sparse_rows(struct csr *a)
{
    for (int32_t r = 0; r < a->n_rows; r++) {
        float *v = a->val + a->row_start[r];
        int64_t n = a->row_start[r + 1] - a->row_start[r];

        divide(v, n, add_up(0, v, n));
    }
}
