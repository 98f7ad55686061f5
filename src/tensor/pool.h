/* SPDX-License-Identifier: BSD-3-Clause */
/* One row for each graph from the rows of its nodes. */
#ifndef TENSOR_POOL_H
#define TENSOR_POOL_H

#include "tensor/mat.h"

enum pool { POOL_NONE, POOL_MEAN, POOL_SUM, POOL_MAX };

/* out (G, H): mean, sum or greatest of the rows start[g] .. start[g + 1] - 1 of h, at least one,
 * column by column.
 *   start    [G + 1] ascending from 0
 *   winner   out (G, H) of POOL_MAX: the row of h that each greatest came from, the first of equal
 *            ones; where one is not a number, that is what comes out. Not touched by the others
 * Allocates nothing, thread-safe. */
void pool_forward(struct mat *out, int32_t *winner, const struct mat *h, const int32_t *start,
                  enum pool pool);

/* dh (n, H) out: gradient by h, from d (G, H), that by the result. winner: from pool_forward(). */
void pool_backward(struct mat *dh, const struct mat *d, const int32_t *winner, const int32_t *start,
                   enum pool pool);

#endif
