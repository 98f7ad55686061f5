/* SPDX-License-Identifier: BSD-3-Clause */
/* Elementwise work, fused so that a matrix passes through the cache once.
 *
 * Single-threaded, thread-safe. The plain twins are in tests/unit/kernel.c. */
#ifndef TENSOR_KERNEL_H
#define TENSOR_KERNEL_H

#include <stdint.h>

#include "tensor/csr.h"
#include "tensor/mat.h"

/* y[i] = x[rows[i]] + bias (rows NULL: row i; bias NULL: none). y may be x where rows is NULL. */
void kernel_rows(struct mat *y, const struct mat *x, const int32_t *rows, const float *bias);

/* Between two levels of a receptive field, row i of the upper one being row pos[rows[i]] of the
 * lower one (NULL: every sample is there). gather: above[i] += below[...]; scatter: the way back.
 */
void kernel_gather_add(struct mat *above, const struct mat *below, const int32_t *rows,
                       const int32_t *pos);
void kernel_scatter_add(struct mat *below, const struct mat *above, const int32_t *rows,
                        const int32_t *pos);

/* Euclidean norm of v [n], in double, in one order of summation for all processors. */
double kernel_norm(const float *v, int64_t n);
void kernel_scale(float *v, int64_t n, float by);

/* sum out [W]: of each column, accumulated in double. */
void kernel_column_sums(float *sum, const struct mat *m);

/* z in: logits (n, C); out: log softmax of each row. */
void kernel_log_softmax(struct mat *z);

/* Softmax cross-entropy: the sum over rows, of logits z (n, C) against labels label[rows[i]], each
 * times the weight of its label, weight [C] (NULL: 1).
 * d out (n, C): scale times its gradient; NULL: not wanted. */
double kernel_cross_entropy(struct mat *d, const struct mat *z, const int32_t *rows,
                            const int32_t *label, const float *weight, double scale);

/* Sum of squared differences of z (n, 1) from target[rows[i]], and its gradient likewise. */
double kernel_squared_error(struct mat *d, const struct mat *z, const int32_t *rows,
                            const float *target, double scale);

/* One step on n weights w with gradient g. l2 is added to the gradient as l2 w; shrink is what w
 * is multiplied by first (1 - learning rate x decoupled decay; 1: nothing). */
struct adam_step {
    float l2;
    float shrink;
    float beta1, beta2;
    float rest1, rest2; /* 1 - beta, rounded once: 1 - (float)0.999 is off by 1e-5 of itself */
    float step_size;    /* learning rate / (1 - beta1^t) */
    float root_scale;   /* 1 / sqrt(1 - beta2^t) */
    float epsilon;
};

/* Kingma & Ba 2015, arXiv:1412.6980, algorithm 1; decoupled decay: Loshchilov & Hutter 2019,
 * arXiv:1711.05101, algorithm 2. m, v: inout [n], zero before the first step. */
void kernel_adam(float *w, float *m, float *v, const float *g, int64_t n,
                 const struct adam_step *step);

/* Momentum as PyTorch has it: m = momentum m + (g + l2 w); w -= rate m. m inout [n]. */
void kernel_sgd(float *w, float *m, const float *g, int64_t n, float rate, float momentum,
                float l2);

/* Each column to mean 0 and population standard deviation 1; constant columns to 0. In double.
 * The only one here that allocates: -1 when memory is short. */
int kernel_standardize(struct mat *m);

/* Each row divided by its sum, where that is not 0; or in two steps, for rows that come in pieces,
 * with the same bits: sum [n_rows], inout, takes in the pieces from left to right. */
void kernel_normalize_rows(struct mat *m);
void kernel_add_row_sums(double *sum, const struct mat *m);
void kernel_divide_rows(struct mat *m, const double *sum);
void kernel_normalize_sparse_rows(struct csr *a);

#endif
