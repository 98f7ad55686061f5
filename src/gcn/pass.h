/* SPDX-License-Identifier: BSD-3-Clause */
/* Forward and backward passes over a receptive field. doc/decisions/0026 and 0027 give the reasons.
 *
 * Layer l of L computes, with H^0 = X, only the rows of its level:
 *
 *     Z^l    = A^ H^(l-1) W^l          the first layer: first_layer.h
 *     logits = Z^L + b^L               or P W + b with the pooled rows P of H^L (tensor/pool.h)
 *
 * Hidden layer l = 1 .. L - 1 (1 .. L if samples are graphs):
 *
 *     U^l = Z^l + b^l, or BN(Z^l) + b^l
 *     H^l = dropout(act(U^l)) + S^l
 *     S^l = H^(l-1) for l >= 2 with residual (skip connection); otherwise 0
 *
 * BN normalises columns (tensor/batchnorm.h): in training over the layer's level of the batch's
 * receptive field, in evaluation with the running statistics, which every training pass updates.
 *
 * The backward pass has gradients D^l by Z^l and G^l by H^l. Since A^ is symmetric, each product
 * has two orders; product_order.h chooses the cheaper one for the field:
 *
 *     A^ (H W)   T = A^ D^l,        dW^l = H^(l-1)^T T,  G^(l-1) = T W^l^T
 *     (A^ H) W   P = A^ H^(l-1),    dW^l = P^T D^l,      G^(l-1) = A^ (D^l W^l^T)
 *
 * A skip connection adds G^l to G^(l-1). pass_init() takes all memory.
 *
 * In a divided field (division.h) each rank computes the rows of its workers: in the first order
 * T or H W are shared, in the second H and D W^T; in the first layer X W and D, if its form needs
 * them. Statistics and their gradients are those of the whole batch. The gradient is a part for
 * each worker. */
#ifndef GCN_PASS_H
#define GCN_PASS_H

#include "gcn/division.h"
#include "gcn/first_layer.h"
#include "gcn/model.h"
#include "gcn/receptive_field.h"

struct pass {
    /* Set by the caller before pass_init(); borrowed. */
    const struct gcn_spec *spec;
    const struct gcn_inputs *inputs;
    struct model *model;
    int32_t capacity;                   /* most nodes on a level */
    const struct division *division;    /* of all divided fields; NULL if there are none */
    const struct pass_counted *counted; /* NULL unless scratch counts */

    struct first_layer first;
    struct dropout dropout; /* of hidden units */
    struct hidden *hidden;  /* [n_hidden] state for the backward pass */
    float *z;               /* (capacity, width) products and, in the backward pass, scratch */
    struct row_buffers buffers;
    int d_buffer;     /* of the gradient, in the backward pass */
    double *sums;     /* (workers of this rank + 1, 2 H) for batch normalisation */
    float *skipped;   /* (capacity, H) with residual: G of the layer above */
    float *pooled;    /* (graphs, H) P; NULL if samples are nodes */
    int32_t *winner;  /* (graphs, H) for POOL_MAX */
    int32_t n_hidden; /* L - 1, or L if samples are graphs */
    double flops;     /* sum so far, of all workers, without the first layer */

    /* Set by the last pass_forward(). */
    const struct receptive_field *field;
    bool is_training;
    uint32_t step;
};

/* For an arena that counts (base/arena.h): only rows that are written count, because other pages take
 * no memory. */
struct pass_counted {
    const struct gcn_outline *outline; /* of the inputs (cost.h) */
    double n_batch, n_scored;          /* samples in a step, and scored together */
    double own;                        /* of the rows of a level: the share that the rank writes */
};

/* Takes memory from scratch, and from the division's crew. */
int pass_init(struct pass *pass, int32_t n_train, struct hash key, struct arena *scratch,
              struct err *err);

/* Expected rows of a level, of n samples. */
double pass_counted_rows(const struct pass *pass, double n, int32_t level);

/* Logits (n, C) of the field's samples, or of this rank's: a view, valid until the next call.
 *   z1           the first layer's product in evaluation; NULL: computed here
 *   z1_rows      its rows for level 1; NULL: row i
 *   is_training  dropout, addressed by step, and the batch's statistics */
struct mat pass_forward(struct pass *pass, const struct receptive_field *field,
                        const struct mat *z1, const int32_t *z1_rows, bool is_training,
                        uint32_t step);

/* The model's gradient, after pass_forward() in training. d: gradient by the logits, in the matrix
 * of pass_gradient(); overwritten. */
void pass_backward(struct pass *pass, struct mat *d);

struct mat pass_gradient(struct pass *pass);

#endif
