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
