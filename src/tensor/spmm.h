/* SPDX-License-Identifier: BSD-3-Clause */
/* Products of sparse and dense matrices; no allocation. spmm() uses gemm_threads(), with the same
 * result for any number; spmm_tn() uses one thread.
 *
 * A receptive field holds some rows of a larger matrix. Row i of the small matrix is row rows[i] of
 * the large one; `pos` is the inverse, -1 for a row not held. Because A^ is symmetric, the product
 * with rows and pos exchanged carries gradients back. */
#ifndef TENSOR_SPMM_H
#define TENSOR_SPMM_H

#include <stdint.h>

#include "tensor/csr.h"
#include "tensor/mat.h"

/* y[i] = sum over entries (rows[i], j) of a: a_ij x[pos[j]]; skips pos[j] < 0.
 *   y     out  (n, W)  caller-allocated, must not overlap x
 *   rows  in   [n]     rows of a; NULL: all
 *   x     in   (m, W)
 *   pos   in   [a->n_cols] rows of x; NULL: row j
 * Costs 2 W flop an entry. */
void spmm(struct mat *y, const struct csr *a, const int32_t *rows, const struct mat *x,
          const int32_t *pos);

/* y = (listed rows of a) transposed times x: y[j] = sum over i of a_(rows[i], j) x[i].
 *   y     out  (a->n_cols, W)
 *   rows  in   [n]; NULL: all
 *   x     in   (n, W) */
void spmm_tn(struct mat *y, const struct csr *a, const int32_t *rows, const struct mat *x);

/* rows NULL: the first n. */
int64_t spmm_count(const struct csr *a, const int32_t *rows, int32_t n);

#endif
