/* Elementwise work, fused so that a matrix passes through the cache once.
 *
 * Single-threaded, thread-safe. The plain twins are in tests/unit/kernel.c. */
#ifndef TENSOR_KERNEL_H
#define TENSOR_KERNEL_H

#include <stdint.h>

#include "tensor/csr.h"
#include "tensor/dropout.h"
#include "tensor/mat.h"

enum activation { ACTIVATION_RELU, ACTIVATION_TANH };

/* h[i] = dropout(act(z[rows[i]] + bias))
 *   h        out  (n, W)  may be z itself where rows is NULL
 *   z        in   (m, W)
 *   rows     in   [n]  NULL: row i
 *   bias     in   [W]
 *   dropout  in   NULL: none
 *   bits     in   [n][dropout_stride(W)] as dropout_bits() gives; unused without dropout
 * A NaN stays one: divergence must not be rectified away. */
void kernel_activate(struct mat *h, const struct mat *z, const int32_t *rows, const float *bias,
                     enum activation activation, const struct dropout *dropout,
                     const uint16_t *bits);

/* d in: gradient by h; out: gradient by z + bias. h, dropout, bits as above. */
void kernel_activate_back(struct mat *d, const struct mat *h, enum activation activation,
                          const struct dropout *dropout, const uint16_t *bits);

/* y[i] = x[rows[i]] + bias (rows NULL: row i; bias NULL: none). y may be x where rows is NULL. */
void kernel_rows(struct mat *y, const struct mat *x, const int32_t *rows, const float *bias);

/* sum out [W]: of each column, accumulated in double. */
void kernel_column_sums(float *sum, const struct mat *m);

/* z in: logits (n, C); out: log softmax of each row. */
void kernel_log_softmax(struct mat *z);

/* Softmax cross-entropy: the sum over rows, of logits z (n, C) against labels label[rows[i]].
 * d out (n, C): scale times its gradient; NULL: not wanted. */
double kernel_cross_entropy(struct mat *d, const struct mat *z, const int32_t *rows,
                            const int32_t *label, double scale);

/* Sum of squared differences of z (n, 1) from target[rows[i]], and its gradient likewise. */
double kernel_squared_error(struct mat *d, const struct mat *z, const int32_t *rows,
                            const float *target, double scale);

/* One step on n weights w with gradient g. l2 is added to the gradient as l2 w; shrink is what w
 * is multiplied by first (1 - learning rate x decoupled decay; 1: nothing). */
struct adam_step {
    float l2;
    float shrink;
    float beta1, beta2;
    float rest1, rest2; /* 1 - beta, rounded once: 1 - (float)0.999 is off by 1e-5 of itself */
    float step_size;    /* learning rate / (1 - beta1^t) */
    float root_scale;   /* 1 / sqrt(1 - beta2^t) */
    float epsilon;
};

/* Kingma & Ba 2015, arXiv:1412.6980, algorithm 1; decoupled decay: Loshchilov & Hutter 2019,
 * arXiv:1711.05101, algorithm 2. m, v: inout [n], zero before the first step. */
void kernel_adam(float *w, float *m, float *v, const float *g, int64_t n,
                 const struct adam_step *step);

/* Momentum as PyTorch has it: m = momentum m + (g + l2 w); w -= rate m. m inout [n]. */
void kernel_sgd(float *w, float *m, const float *g, int64_t n, float rate, float momentum,
                float l2);

/* Each column to mean 0 and population standard deviation 1; constant columns to 0. In double.
 * The only one here that allocates: -1 when memory is short. */
int kernel_standardize(struct mat *m);

/* Each row divided by its sum, where that is not 0. */
void kernel_normalize_rows(struct mat *m);
void kernel_normalize_sparse_rows(struct csr *a);

#endif
