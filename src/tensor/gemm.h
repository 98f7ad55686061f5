/* SPDX-License-Identifier: BSD-3-Clause */
/* Dense products: the only user of cblas.h. Shapes are asserted; c must not overlap a or b. Thread-safe
 * except beside gemm_set_threads(). Costs 2 M N K flop. */
#ifndef TENSOR_GEMM_H
#define TENSOR_GEMM_H

#include <stdbool.h>

#include "tensor/mat.h"

/* c (M, N) = a (M, K) b (K, N) */
void gemm(struct mat *c, const struct mat *a, const struct mat *b);
/* c (M, N) = a^T b, a (K, M), b (K, N); added to c if adds */
void gemm_tn(struct mat *c, const struct mat *a, const struct mat *b, bool adds);
/* c (M, N) = a b^T, a (M, K), b (N, K) */
void gemm_nt(struct mat *c, const struct mat *a, const struct mat *b);

/* True if this processor has the kernels for large matrices times matrices this wide (AVX-512), which
 * the functions above use. They read the large matrix in place: 545 us for
 * (1058, 984) by (984, 64) on a Zen 5, OpenBLAS 640 us. They add in ascending order of K: a row's result
 * depends on neither other rows nor threads. */
bool gemm_tall_is_able(int32_t width);

/* c += a a^T, or a^T a if transposed. Costs n^2 K flop.
 *   c  inout (n, n)  lower triangle
 *   a  in    (n, K), or (K, n) if transposed */
void gemm_gram(double *c, int32_t n, const double *a, int32_t k, bool is_transposed);

/* Set the threads of all products, before the first. */
void gemm_set_threads(int n);
int gemm_threads(void);

int gemm_library_threads(void);

/* BLAS library with version, and its kernel for this processor. Static. */
const char *gemm_library(void);
const char *gemm_kernel(void);

/* Return the kernel that suits this processor better than `kernel`, or NULL. OpenBLAS takes its kernel
 * of 2004 (Prescott) for processors that are newer than the library, which multiplies four to eight times
 * slower. The better one is what OpenBLAS takes for older processors with the same instructions;
 * OPENBLAS_CORETYPE asks for it when the library is loaded, so main() starts itself again. */
const char *gemm_better_kernel(const char *kernel);

#endif
