/* SPDX-License-Identifier: BSD-3-Clause */
/* Activations of hidden units and their gradients, fused with bias and dropout so that a matrix
 * passes through the cache once. Single-threaded, thread-safe. */
#ifndef TENSOR_ACTIVATION_H
#define TENSOR_ACTIVATION_H

#include <stdbool.h>
#include <stdint.h>

#include "tensor/dropout.h"
#include "tensor/mat.h"

enum activation {
    ACTIVATION_RELU,
    ACTIVATION_TANH,
    ACTIVATION_ELU,  /* u > 0 ? u : exp(u) - 1. Clevert et al. 2016, arXiv:1511.07289, alpha = 1 */
    ACTIVATION_GELU, /* u (1 + erf(u / sqrt 2)) / 2. Hendrycks & Gimpel 2016, arXiv:1606.08415 */
};

/* True if activation_back() needs the slope, not h. */
bool activation_keeps_slope(enum activation activation);

/* h[i] = dropout(act(z[rows[i]] + bias)). NaN stays NaN, so that a diverged training is noticed.
 *   h        out  (n, W)  may be z if rows is NULL
 *   slope    out  (n, W)  dh/dz, for activation_keeps_slope(); may be NULL
 *   z        in   (m, W)
 *   rows     in   [n]  NULL: row i
 *   bias     in   [W]
 *   dropout  in   NULL: none
 *   bits     in   [n][dropout_stride(W)] from dropout_bits() */
void activation_forward(struct mat *h, struct mat *slope, const struct mat *z, const int32_t *rows,
                        const float *bias, enum activation activation,
                        const struct dropout *dropout, const uint16_t *bits);

/* d in: gradient by h; out: gradient by z + bias. kept: h or slope. */
void activation_back(struct mat *d, const struct mat *kept, enum activation activation,
                     const struct dropout *dropout, const uint16_t *bits);

#endif
