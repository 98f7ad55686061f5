/* The weights of a graph convolutional network. */
#ifndef GCN_MODEL_H
#define GCN_MODEL_H

#include "base/arena.h"
#include "gcn/train.h"

/* Layer l of the network, l = 0, 1, ...: act(A^ H w + b). Views into a vector of the model. */
struct layer {
    struct mat w; /* (in, out) */
    float *b;     /* [out] */
};

/* Weights in one vector: w and b of the first layer, of the second, ... */
struct model {
    int32_t n_layers;
    int64_t n_weights;
    float *weights;        /* [n_weights] */
    float *gradient;       /* [n_weights] */
    struct layer *layer;   /* [n_layers] views into weights */
    struct layer *d_layer; /* [n_layers] views into gradient */
};

/* Glorot & Bengio 2010, eq. 16 (uniform), biases 0; element i of layer l is number (l, i) of the
 * RNG_WEIGHTS stream of key. Memory from scratch. -1 and err when it is short.
 *   fan_in  of layer 1 in that equation: n_inputs, or the features that were reduced to them. Rows
 *           of L are as long as those of X, and products with weights of equal variance depend on
 *           that length alone: hidden units begin as they would on X. */
int model_init(struct model *model, const struct gcn_spec *spec, int32_t n_inputs, int32_t fan_in,
               int32_t n_outputs, struct hash key, struct arena *scratch, struct err *err);

/* Columns of the widest layer. */
int32_t model_width(const struct model *model);

#endif
