/* SPDX-License-Identifier: BSD-3-Clause */
/* Forward and backward through a receptive field.
 *
 * Layer l of L computes, with H^0 = X, over the rows of its level only:
 *
 *     Z^l    = A^ H^(l-1) W^l          the first layer: first_layer.h
 *     logits = Z^L + b^L
 *
 * Hidden layer l = 1 .. L - 1 (where samples are graphs: 1 .. L, model.h) makes H^l of Z^l:
 *
 *     U^l = Z^l + b^l                  without batch normalisation
 *     U^l = BN(Z^l) + b^l              with
 *     H^l = dropout(act(U^l)) + S^l
 *     S^l = H^(l-1)                    for l >= 2 with residual; otherwise 0
 *
 * S^l is a skip connection around each hidden layer whose input is a hidden layer, which is as wide.
 * There is none around layer 1, whose input is features, nor around one whose output is C wide; so a
 * network has L - 2 of them, L - 1 where samples are graphs. The sum is after the activation (Kipf &
 * Welling 2017, arXiv:1609.02907, appendix B), and what skips is not dropped once more.
 *
 * BN normalises each column (tensor/batchnorm.h). In training it does so by mean and variance of the
 * rows of the layer's level in the batch's receptive field: every sample whose H^l the batch's
 * logits depend on, each once, and no other (but all where a level was rounded up to all samples,
 * receptive_field.h). In full batch these are the training nodes and their neighbours up to L - l
 * steps away. A mini-batch is thus normalised by other numbers than a full one, and its gradient is
 * exact for its own loss, statistics included. In evaluation BN takes the running ones, which every
 * training pass moves.
 *
 * Backward, with D^l the gradient by Z^l (A^ is symmetric) and G^l that by H^l, goes one of two
 * ways, whichever product_order.h finds cheaper for the field:
 *
 *     A^ (H W)   T = A^ D^l,        dW^l = H^(l-1)^T T,  G^(l-1) = T W^l^T
 *     (A^ H) W   P = A^ H^(l-1),    dW^l = P^T D^l,      G^(l-1) = A^ (D^l W^l^T)
 *
 * A skip connection around layer l adds G^l to G^(l-1). D^(l-1) follows from G^(l-1) through
 * dropout, activation and BN.
 *
 * Where samples are graphs layer L is a hidden layer too, and with P the pooled rows of H^L
 * (tensor/pool.h)
 *
 *     logits = P W + b, a row for each graph of the batch
 *
 * All memory is taken by pass_init(). */
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
    struct hidden *hidden;  /* [n_hidden] what they computed is kept for the way back */
    float **p;              /* [n_hidden] (capacity, H) A^ h, where that was made first */
    float *z;               /* (capacity, width) */
    float *t;               /* (capacity, width) */
    float *d;               /* (capacity, width) */
    float *skipped;         /* (capacity, H) with residual: G of a layer, for the one below */
    float *pooled;          /* (capacity, H) P; NULL where samples are nodes */
    int32_t *winner;        /* (capacity, H) of POOL_MAX */
    int32_t n_hidden;       /* L - 1, L where samples are graphs */
    double flops;           /* done so far, without the first layer's */
};

/* capacity: most nodes in a level of a field. -1 and err when scratch memory is short. */
int pass_init(struct pass *pass, const struct gcn_spec *spec, const struct gcn_inputs *inputs,
              int32_t n_train, int32_t capacity, struct model *model, struct hash key,
              struct arena *scratch, struct err *err);

/* Logits (n, C) of the samples the field was built for: a view, valid until the next call.
 *   z1           the first layer's product, made before; NULL: made here
 *   z1_rows      where its rows for level 1 are; NULL: row i
 *   is_training  with dropout, addressed by step, and the batch's statistics */
struct mat pass_forward(struct pass *pass, const struct receptive_field *field,
                        const struct mat *z1, const int32_t *z1_rows, bool is_training,
                        uint32_t step);

/* The gradient of the model, from that by the logits, after pass_forward() in training. d is a
 * matrix from pass_gradient() and is overwritten. */
void pass_backward(struct pass *pass, const struct receptive_field *field, struct mat *d,
                   uint32_t step);

/* Where the gradient by the logits goes. */
struct mat pass_gradient(struct pass *pass, const struct receptive_field *field);

#endif
