/* SPDX-License-Identifier: BSD-3-Clause */
/* Elementwise work, fused so that a matrix passes through the cache once. Single-threaded,
 * thread-safe. */
#ifndef TENSOR_KERNEL_H
#define TENSOR_KERNEL_H

#include <stdint.h>

#include "tensor/csr.h"
#include "tensor/mat.h"

/* y[i] = x[rows[i]] + bias (rows NULL: i; bias NULL: 0). y may be x if rows is NULL. */
void kernel_rows(struct mat *y, const struct mat *x, const int32_t *rows, const float *bias);

/* Add between two levels of a receptive field; pos NULL: below has every sample.
 *   gather   above[i] += below[pos[rows[i]]]
 *   scatter  below[pos[rows[i]]] += above[i] */
void kernel_gather_add(struct mat *above, const struct mat *below, const int32_t *rows,
                       const int32_t *pos);
void kernel_scatter_add(struct mat *below, const struct mat *above, const int32_t *rows,
                        const int32_t *pos);

/* to = a + b, all [n]. to may be a or b. */
void kernel_add(float *to, const float *a, const float *b, int64_t n);

/* sum out [W], accumulated in double. */
void kernel_column_sums(float *sum, const struct mat *m);

/* z in: logits (n, C); out: log softmax of each row. */
void kernel_log_softmax(struct mat *z);

/* Softmax cross-entropy: sum over rows of logits z (n, C) against label[rows[i]], times the label's
 * weight [C] (NULL: 1).
 *   d  out (n, C)  gradient times scale; may be NULL */
double kernel_cross_entropy(struct mat *d, const struct mat *z, const int32_t *rows,
                            const int32_t *label, const float *weight, double scale);

/* Sum of (z[i] - target[rows[i]])^2 for z (n, 1); d as above. */
double kernel_squared_error(struct mat *d, const struct mat *z, const int32_t *rows,
                            const float *target, double scale);

/* Standardise columns to mean 0 and population sd 1, in double; constant columns become 0. -1: out
 * of memory. */
int kernel_standardize(struct mat *m);

/* Divide each row by its sum unless that is 0: kernel_add_row_sums() (sum [n_rows] inout) on all panels
 * of a matrix from the left, then kernel_divide_rows(). */
void kernel_add_row_sums(double *sum, const struct mat *m);
void kernel_divide_rows(struct mat *m, const double *sum);
void kernel_normalize_sparse_rows(struct csr *a);

#endif
