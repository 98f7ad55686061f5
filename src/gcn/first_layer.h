/* SPDX-License-Identifier: BSD-3-Clause */
/* The first layer's product Z = A^ X W, where nearly all of the time goes.
 *
 * It starts as product_order.h finds cheapest for the trial, from a form of A^X or of X; where
 * inputs are dropped in training, X' = dropout(X) is new in every step, and the product is A^ (X'
 * W). Dense rows of a field are picked in panels, so that the copy stays small. */
#ifndef GCN_FIRST_LAYER_H
#define GCN_FIRST_LAYER_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/err.h"
#include "gcn/inputs.h"
#include "gcn/receptive_field.h"
#include "gcn/spec.h"
#include "tensor/dropout.h"

struct first_layer {
    const struct gcn_inputs *inputs; /* borrowed */
    enum first_form form;            /* without dropout */
    struct dropout dropout;          /* of features */
    float *panel;                    /* (panel_rows, F) dense features picked */
    int32_t panel_rows;
    const struct receptive_field *panel_field; /* what the panel holds: rows from panel_begin on */
    int32_t panel_begin;
    float *product; /* (capacity, H) X W, and the gradient by it */
    float *dropped; /* [nnz] values of the sparse features after dropout */
    double flops;   /* done so far */
};

/* Memory from scratch. -1 and err when it is short.
 *   capacity  most rows of a level
 *   width     columns of the layer's result */
int first_layer_init(struct first_layer *first, const struct gcn_spec *spec,
                     const struct gcn_inputs *inputs, int32_t n_train, int32_t capacity,
                     int32_t width, struct hash key, struct arena *scratch, struct err *err);

/* z out (n of level 1, H). step addresses dropout; is_training false: none. */
void first_layer_forward(struct mat *z, struct first_layer *first,
                         const struct receptive_field *field, const struct mat *w, bool is_training,
                         uint32_t step);

/* dw out (F, H), from dz (n of level 1, H). With dropout, of the forward pass just before. */
void first_layer_backward(struct mat *dw, struct first_layer *first,
                          const struct receptive_field *field, const struct mat *dz, uint32_t step);

/* To be called when a field was built anew. */
void first_layer_forget(struct first_layer *first);

#endif
