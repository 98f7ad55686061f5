/* SPDX-License-Identifier: BSD-3-Clause */
/* Forward and backward passes over a receptive field.
 *
 * Layer l of L computes, with H^0 = X, only the rows of its level:
 *
 *     Z^l    = A^ H^(l-1) W^l          the first layer: first_layer.h
 *     logits = Z^L + b^L
 *
 * Hidden layer l = 1 .. L - 1 (1 .. L if samples are graphs, model.h):
 *
 *     U^l = Z^l + b^l                  without batch normalisation
 *     U^l = BN(Z^l) + b^l              with
 *     H^l = dropout(act(U^l)) + S^l
 *     S^l = H^(l-1)                    for l >= 2 with residual; otherwise 0
 *
 * S^l is a skip connection. Layer 1 has none, as its input is features, and an output layer has
 * none, as it is C wide. So a network has L - 2 of them, or L - 1 if samples are graphs. The sum
 * follows the activation (Kipf & Welling 2017, arXiv:1609.02907, appendix B) and the dropout.
 *
 * BN normalises each column (tensor/batchnorm.h). In training it uses mean and variance of the
 * layer's level of the batch's receptive field: each sample whose H^l the batch's logits depend on,
 * once (or all samples, if the level was rounded up: receptive_field.h). In full batch these are
 * the training nodes and their neighbours up to L - l steps away. A mini-batch has other
 * statistics; its gradient is exact for its own loss, statistics included. Evaluation uses the
 * running statistics, which every training pass updates.
 *
 * The backward pass has gradients D^l by Z^l and G^l by H^l. Since A^ is symmetric, each product has
 * two orders; product_order.h chooses the cheaper one for the field:
 *
 *     A^ (H W)   T = A^ D^l,        dW^l = H^(l-1)^T T,  G^(l-1) = T W^l^T
 *     (A^ H) W   P = A^ H^(l-1),    dW^l = P^T D^l,      G^(l-1) = A^ (D^l W^l^T)
 *
 * A skip connection around layer l adds G^l to G^(l-1). D^(l-1) follows from G^(l-1) through
 * dropout, activation and BN.
 *
 * If samples are graphs, with P the pooled rows of H^L (tensor/pool.h),
 *
 *     logits = P W + b, a row for each graph of the batch
 *
 * pass_init() takes all memory. */
#ifndef GCN_PASS_H
#define GCN_PASS_H

#include "gcn/first_layer.h"
#include "gcn/model.h"
#include "gcn/receptive_field.h"

struct pass {
    const struct gcn_spec *spec; /* borrowed, like the next two */
    const struct gcn_inputs *inputs;
    struct model *model;
    struct first_layer first;
    struct dropout dropout; /* of hidden units */
    struct hidden *hidden;  /* [n_hidden] with state for the backward pass */
    float **p;              /* [n_hidden] (capacity, H) A^ h, if computed */
    float *z;               /* (capacity, width) */
    float *t;               /* (capacity, width) */
    float *d;               /* (capacity, width) */
    float *skipped;         /* (capacity, H) with residual: G of the layer above */
    float *pooled;          /* (capacity, H) P; NULL if samples are nodes */
    int32_t *winner;        /* (capacity, H) for POOL_MAX */
    int32_t n_hidden;       /* L - 1, or L if samples are graphs */
    double flops;           /* sum so far, without the first layer */
};

/* capacity: most nodes on a level of a field. Takes memory from scratch. */
int pass_init(struct pass *pass, const struct gcn_spec *spec, const struct gcn_inputs *inputs,
              int32_t n_train, int32_t capacity, struct model *model, struct hash key,
              struct arena *scratch, struct err *err);

/* Logits (n, C) of the field's samples: a view, valid until the next call.
 *   z1           the first layer's product; NULL: computed here
 *   z1_rows      its rows for level 1; NULL: row i
 *   is_training  with dropout, addressed by step, and the batch's statistics */
struct mat pass_forward(struct pass *pass, const struct receptive_field *field,
                        const struct mat *z1, const int32_t *z1_rows, bool is_training,
                        uint32_t step);

/* The model's gradient, after pass_forward() in training. d: gradient by the logits, in a matrix of
 * pass_gradient(); overwritten. */
void pass_backward(struct pass *pass, const struct receptive_field *field, struct mat *d,
                   uint32_t step);

/* Matrix for the gradient by the logits. */
struct mat pass_gradient(struct pass *pass, const struct receptive_field *field);

#endif
