/* SPDX-License-Identifier: BSD-3-Clause */
/* Dense products: the only user of cblas.h.
 *
 * c = alpha op(a) op(b) + beta c. Shapes are asserted; c must not overlap a or b. Thread-safe as
 * long as nobody calls gemm_set_threads() meanwhile. Cost 2 M N K flop. */
#ifndef TENSOR_GEMM_H
#define TENSOR_GEMM_H

#include <stdbool.h>

#include "tensor/mat.h"

/* c (M, N) = alpha a (M, K) b (K, N) + beta c */
void gemm(struct mat *c, float alpha, const struct mat *a, const struct mat *b, float beta);

/* c (M, N) = alpha a^T b + beta c, a (K, M), b (K, N) */
void gemm_tn(struct mat *c, float alpha, const struct mat *a, const struct mat *b, float beta);

/* c (M, N) = alpha a b^T + beta c, a (M, K), b (N, K) */
void gemm_nt(struct mat *c, float alpha, const struct mat *a, const struct mat *b, float beta);

/* Products of a large matrix with a narrow one, c = a b or a^T b, on processors with AVX-512.
 *
 * A training run multiplies the same features by a few weights in every step. A general library
 * first copies both sides into its own layout, which is a fifth of the time when one side has
 * only 64 columns. Here a is read in place. Measured beside OpenBLAS 0.3.21 on a Zen 5, (1058,
 * 984) by (984, 64): 545 us against 640 us. The products above use it where it applies. */

/* Whether this processor can, for a product `width` columns wide. */
bool gemm_tall_is_able(int32_t width);

/* c (M, W) = a b, plus c where it accumulates.
 *   a  (M, K), or (K, M) where it is transposed
 *   b  (K, W)  with gemm_tall_is_able(W)
 * Every element is summed in ascending order of K whatever M is: a row's result does not depend
 * on which other rows are computed, nor on the threads. */
void gemm_tall_product(struct mat *c, const struct mat *a, bool is_transposed, const struct mat *b,
                       bool accumulates, int threads);

/* Products of all pairs of rows of a matrix, or of columns, added up over the panels it comes in:
 * c += a a^T or a^T a, in double. Cost n^2 K flop, half of a general product.
 *   c  inout (n, n)  its lower triangle
 *   a  in    (n, K), or (K, n) where it is transposed */
void gemm_gram(double *c, int32_t n, const double *a, int32_t k, bool is_transposed);

/* Threads of one product, of whatever module, process-wide; OpenBLAS never guesses. Call before
 * the first product. */
void gemm_set_threads(int n);
int gemm_threads(void);

/* Threads that OpenBLAS uses now, also where nobody has set them. */
int gemm_library_threads(void);

/* What does the work, for records and reports: library version and the kernel it picked on this
 * processor. Static text. */
const char *gemm_library(void);
const char *gemm_kernel(void);

#endif
