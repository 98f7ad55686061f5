/* Dense products: the only user of cblas.h.
 *
 * c = alpha op(a) op(b) + beta c. Shapes are asserted; c must not overlap a or b. Thread-safe as
 * long as nobody calls gemm_set_threads() meanwhile. Cost 2 M N K flop. */
#ifndef TENSOR_GEMM_H
#define TENSOR_GEMM_H

#include "tensor/mat.h"

/* c (M, N) = alpha a (M, K) b (K, N) + beta c */
void gemm(struct mat *c, float alpha, const struct mat *a, const struct mat *b, float beta);
/* c (M, N) = alpha a^T b + beta c, a (K, M), b (K, N) */
void gemm_tn(struct mat *c, float alpha, const struct mat *a, const struct mat *b, float beta);
/* c (M, N) = alpha a b^T + beta c, a (M, K), b (N, K) */
void gemm_nt(struct mat *c, float alpha, const struct mat *a, const struct mat *b, float beta);

/* Threads of one product, process-wide; OpenBLAS never guesses. Call before the first product. */
void gemm_set_threads(int n);

/* What does the work, for records and reports: library version and the kernel it picked on this
 * processor. Static text. */
const char *gemm_library(void);
const char *gemm_kernel(void);

#endif
