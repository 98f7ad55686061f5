/* Products of a large matrix with a narrow one, c = a b or a^T b, on processors with AVX-512.
 *
 * A training run multiplies the same features by a few weights in every step. A general library
 * first copies both sides into its own layout, which is a fifth of the time when one side has
 * only 64 columns. Here a is read in place. Measured beside OpenBLAS 0.3.21 on a Zen 5, (1058,
 * 984) by (984, 64): 545 us against 640 us. gemm.h decides when to use it. */
#ifndef TENSOR_TALL_H
#define TENSOR_TALL_H

#include <stdbool.h>

#include "tensor/mat.h"

/* Whether this processor can, for a product `width` columns wide. */
bool tall_is_able(int32_t width);

/* c (M, W) = a b, plus c where it accumulates.
 *   a  (M, K), or (K, M) where it is transposed
 *   b  (K, W)  with tall_is_able(W)
 * Every element is summed in ascending order of K whatever M is: a row's result does not depend
 * on which other rows are computed, nor on the threads. */
void tall_product(struct mat *c, const struct mat *a, bool is_transposed, const struct mat *b,
                  bool accumulates, int threads);

#endif
