/* SPDX-License-Identifier: BSD-3-Clause */
/* Pooling: one row for each graph from the rows of its nodes. */
#ifndef TENSOR_POOL_H
#define TENSOR_POOL_H

#include "tensor/mat.h"

enum pool { POOL_NONE, POOL_MEAN, POOL_SUM, POOL_MAX };

/* out (G, H): mean, sum or maximum, by column, of the rows of h with numbers start[g] ..
 * start[g + 1] - 1, at least one. Thread-safe.
 *   h       row i has number start[0] + i
 *   start   [G + 1] ascending
 *   winner  out (G, H), POOL_MAX only: the row of each maximum, the first of equal ones. NaN is
 *           larger than any number. */
void pool_forward(struct mat *out, int32_t *winner, const struct mat *h, const int32_t *start,
                  enum pool pool);

/* dh (n, H) out: gradient by h. d (G, H): gradient by the result. */
void pool_backward(struct mat *dh, const struct mat *d, const int32_t *winner, const int32_t *start,
                   enum pool pool);

#endif
