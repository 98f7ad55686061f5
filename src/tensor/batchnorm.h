/* SPDX-License-Identifier: BSD-3-Clause */
/* Batch normalisation of columns, and its gradient: y = gamma (z - mean) / sqrt(variance +
 * BATCHNORM_EPSILON); the activation's bias is the shift. Sums in double, rows in order.
 * Single-threaded, thread-safe.
 * Source: Ioffe & Szegedy 2015, arXiv:1502.03167, algorithm 1; running statistics as in
 * torch.nn.BatchNorm1d. */
#ifndef TENSOR_BATCHNORM_H
#define TENSOR_BATCHNORM_H

#include <stdint.h>

#include "tensor/mat.h"

/* As in PyTorch. */
#define BATCHNORM_EPSILON 1e-5
#define BATCHNORM_MOMENTUM 0.1 /* weight of the batch in the running statistics */

/* sum out [W]: of each column over rows[0 .. n - 1] of z (NULL: 0 .. n - 1), or with mean [W] of its
 * squared difference from that. Divided by the rows of the batch, these are mean and variance. */
void batchnorm_sums(double *sum, const double *mean, const struct mat *z, const int32_t *rows,
                    int32_t n);

/* Update the running statistics, inout [W]. Their variance is the population's: n / (n - 1) times
 * the batch's; with n = 1 it stays. */
void batchnorm_remember(float *running_mean, float *running_variance, const double *mean,
                        const double *variance, int32_t n, int32_t width);

/* y[i] = gamma (z[rows[i]] - mean) inverse
 *   y           out  (n, W)  may be z if rows is NULL
 *   normalized  out  (n, W)  y without gamma; may be NULL
 *   inverse     in   [W]     1 / sqrt(variance + BATCHNORM_EPSILON) */
void batchnorm_apply(struct mat *y, struct mat *normalized, const struct mat *z,
                     const int32_t *rows, const float *mean, const float *inverse,
                     const float *gamma);

/* sum out [W]: of each column of d times normalized, the gradient by gamma. */
void batchnorm_products(double *sum, const struct mat *d, const struct mat *normalized);

/* d inout (n, W): gradient by y, then by z, with mean and variance as functions of z.
 *   d_gamma  in  [W]  batchnorm_products() over the whole batch
 *   d_sum    in  [W]  column sums of d, likewise
 *   n_batch  rows of the batch */
void batchnorm_back(struct mat *d, const float *d_gamma, const float *d_sum, int32_t n_batch,
                    const struct mat *normalized, const float *inverse, const float *gamma);

#endif
