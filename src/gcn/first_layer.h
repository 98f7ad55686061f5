/* SPDX-License-Identifier: BSD-3-Clause */
/* The first layer's product Z = A^ X W, which takes nearly all of a training's time.
 *
 * product_order.h chooses the form. With input dropout the product is A^ (X' W), with a new X' =
 * dropout(X) in every step. Panels of copied dense rows limit memory. Workers of a divided field
 * compute their own rows. */
#ifndef GCN_FIRST_LAYER_H
#define GCN_FIRST_LAYER_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/err.h"
#include "gcn/division.h"
#include "gcn/inputs.h"
#include "gcn/receptive_field.h"
#include "gcn/spec.h"
#include "tensor/dropout.h"

struct first_layer {
    const struct gcn_inputs *inputs; /* borrowed */
    enum first_form form;            /* without input dropout */
    struct dropout dropout;          /* of features */
    bool drops;                      /* in this pass */
    uint32_t step;                   /* addresses dropout */
    float *panel;                    /* (panel_rows, F) copied features */
    int32_t panel_rows;
    const struct receptive_field *panel_field; /* the panel has its rows from panel_begin */
    int32_t panel_begin, panel_n;
    float *dropped; /* [nnz] sparse features after dropout */
    double flops;   /* sum so far, of all workers */
};

/* Take memory from scratch, unless `form` takes none.
 *   rows  most rows of levels 0 and 1 that are copied */
int first_layer_init(struct first_layer *first, const struct gcn_spec *spec,
                     const struct gcn_inputs *inputs, enum first_form form, const int32_t rows[2],
                     struct hash key, struct arena *scratch, struct err *err);

/* True if the product is A^ (X' W): X' W goes through a buffer, and the backward pass needs the
 * rows of all workers. */
bool first_layer_propagates(const struct first_layer *first, bool is_training);

/* z out (n of level 1, H). step addresses dropout, which applies if is_training. */
void first_layer_forward(struct mat *z, struct first_layer *first,
                         const struct receptive_field *field, const struct mat *w,
                         struct row_buffers *buffers, bool is_training, uint32_t step);

/* The gradient by w (F, H) into the model or the parts of workers. Call it right after this step's
 * forward pass, unless that was given the product.
 *   dz    in  (n of level 1, H)
 *   room      (n of level 0, H) scratch */
void first_layer_backward(struct model *model, struct first_layer *first,
                          const struct receptive_field *field, const struct mat *dz, float *room);

/* Call after rebuilding a field. */
void first_layer_forget(struct first_layer *first);

#endif
