/* Forward and backward through a receptive field.
 *
 * Layer l of L computes, with H^0 = X:
 *     Z^l = A^ H^(l-1) W^l,  H^l = dropout(act(Z^l + b^l)) for l < L,  logits = Z^L + b^L
 * over the rows of its level only. The first layer is first.h's. Backward, with D^l the gradient
 * by Z^l (A^ is symmetric) and db^l the column sums of D^l, one of two ways, as association.h
 * finds cheaper for the field:
 *     A^ (H W)   T = A^ D^l,        dW^l = H^(l-1)^T T,  D^(l-1) = (T W^l^T) * slope of H^(l-1)
 *     (A^ H) W   P = A^ H^(l-1),    dW^l = P^T D^l,      D^(l-1) = (A^ (D^l W^l^T)) * slope
 * All memory is taken by pass_init(). */
#ifndef GCN_PASS_H
#define GCN_PASS_H

#include "gcn/field.h"
#include "gcn/first.h"
#include "gcn/model.h"

struct pass {
    const struct gcn_spec *spec; /* borrowed, like the next two */
    const struct gcn_inputs *inputs;
    struct model *model;
    struct first first;
    struct dropout dropout; /* of hidden units */
    float **h;              /* [L - 1] (N, H) activations, kept for the way back */
    float **p;              /* [L - 1] (N, H) A^ h, where that was made first */
    uint16_t **bits;        /* [L - 1] decisions of dropout */
    float *z;               /* (N, width) */
    float *t;               /* (N, width) */
    float *d;               /* (N, width) */
    double flops;           /* done so far, without the first layer's */
};

/* -1 and err when scratch memory is short. */
int pass_init(struct pass *pass, const struct gcn_spec *spec, const struct gcn_inputs *inputs,
              int32_t n_train, struct model *model, struct hash key, struct arena *scratch,
              struct err *err);

/* Logits (n of level L, C) of the field's nodes: a view, valid until the next call.
 *   z1           the first layer's product, made before; NULL: made here
 *   z1_rows      where its rows for level 1 are; NULL: row i
 *   is_training  with dropout, addressed by step */
struct mat pass_forward(struct pass *pass, const struct field *field, const struct mat *z1,
                        const int32_t *z1_rows, bool is_training, uint32_t step);

/* The gradient of the model, from that by the logits, after pass_forward() in training. d is a
 * matrix from pass_gradient() and is overwritten. */
void pass_backward(struct pass *pass, const struct field *field, struct mat *d, uint32_t step);

/* Where the gradient by the logits goes. */
struct mat pass_gradient(struct pass *pass, const struct field *field);

#endif
