/* SPDX-License-Identifier: BSD-3-Clause */
/* Sparse times dense. Allocate nothing. spmm() uses gemm_threads(), with the same result for any
 * number; spmm_tn() one.
 *
 * A receptive field holds some rows of a larger matrix. `rows` lists which (row i of the small
 * one is row rows[i] of the large one), `pos` is the way back (-1 where a row is not held).
 * Because A^ is symmetric, the product that carries activations forward over a field
 * (rows = those of layer l, pos = that of layer l - 1) carries gradients back when the two change
 * places. */
#ifndef TENSOR_SPMM_H
#define TENSOR_SPMM_H

#include <stdint.h>

#include "tensor/csr.h"
#include "tensor/mat.h"

/* y[i] = sum over entries (rows[i], j) of a: a_ij x[pos[j]]; entries with pos[j] < 0 are skipped.
 *   y     out  (n, W)  caller-allocated, must not overlap x
 *   rows  in   [n]     rows of a; NULL: row i of y is row i of a
 *   x     in   (m, W)
 *   pos   in   [a->n_cols] into x; NULL: row j of x belongs to column j
 * Cost 2 W flop an entry. */
void spmm(struct mat *y, const struct csr *a, const int32_t *rows, const struct mat *x,
          const int32_t *pos);

/* y = (the listed rows of a) transposed times x: y[j] = sum over i of a_(rows[i], j) x[i].
 *   y     out  (a->n_cols, W)
 *   rows  in   [n]; NULL: all rows of a
 *   x     in   (n, W) */
void spmm_tn(struct mat *y, const struct csr *a, const int32_t *rows, const struct mat *x);

/* Entries in the listed rows (NULL: the first n). */
int64_t spmm_count(const struct csr *a, const int32_t *rows, int32_t n);

#endif
