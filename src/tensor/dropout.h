/* SPDX-License-Identifier: BSD-3-Clause */
/* Inverted dropout with addressed random numbers (doc/decisions/0001).
 *
 * 16 bits of a Philox block decide whether element (i, j) is kept. The block's address is (key,
 * stream, step, i, j / 8); the bits are half j % 8, low half of each word first. The probability is
 * rounded to a multiple of 2^-16, and the scale follows the rounded value.
 * Source: Srivastava et al. 2014, JMLR 15:1929. */
#ifndef TENSOR_DROPOUT_H
#define TENSOR_DROPOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/rng.h"
#include "tensor/csr.h"
#include "tensor/mat.h"

struct dropout {
    struct rng rng;
    uint16_t threshold; /* least bits of kept elements */
    float scale;        /* of kept elements */
};

/* probability in [0, 1). */
void dropout_init(struct dropout *dropout, double probability, struct hash key,
                  enum rng_stream stream);
bool dropout_is_off(const struct dropout *dropout);

/* Return width rounded up to whole blocks. */
int32_t dropout_stride(int32_t width);

/* bits out [n][dropout_stride(width)]: decisions for rows rows[i] (NULL: i). */
void dropout_bits(uint16_t *bits, const struct dropout *dropout, uint32_t step, const int32_t *rows,
                  int32_t n, int32_t width);

/* y (n, W) = dropout of rows rows[i] (NULL: i) of x. */
void dropout_rows(struct mat *y, const struct dropout *dropout, uint32_t step, const struct mat *x,
                  const int32_t *rows);

/* val out [nnz]: dropout of a's values in the listed rows (NULL: the first n). Entry e of row r
 * uses block row_start[r] / 8 + r + (its place in the row) / 8. */
void dropout_entries(float *val, const struct dropout *dropout, uint32_t step, const struct csr *a,
                     const int32_t *rows, int32_t n);

#endif
