/* SPDX-License-Identifier: BSD-3-Clause */
/* The weights of a graph convolutional network. */
#ifndef GCN_MODEL_H
#define GCN_MODEL_H

#include "base/arena.h"
#include "base/err.h"
#include "base/hash.h"
#include "gcn/spec.h"

/* Layer l of the network, l = 0, 1, ...: act(A^ H w + b), or with batch normalisation act(BN(A^ H
 * w) + b) where that comes with an activation. A bias before the normalisation would be taken out
 * again by it, so b is the shift after it, and gamma the scale. Views into a vector of the model.
 */
struct layer {
    struct mat w;           /* (in, out) */
    float *b;               /* [out] */
    float *gamma;           /* [out] NULL without batch normalisation, like the next two */
    float *mean, *variance; /* [out] running statistics: what evaluation normalises by */
};

/* Where samples are graphs, spec->layers convolutions are hidden layers, all of them, and one more
 * layer, the readout, is P w + b with a row of P for each graph: its nodes pooled. */
enum model_array {
    MODEL_WEIGHT,
    MODEL_BIAS,
    MODEL_GAMMA,
    MODEL_MEAN,
    MODEL_VARIANCE,
    MODEL_ARRAY_COUNT
};

/* One array of the vector, for those who keep a model or show it. Names are PyTorch's, for a
 * model of `layers` and `norms`:
 *     layers.0.weight  (in, out), not PyTorch's (out, in)
 *     layers.0.bias    [out]; with batch normalisation norms.0.bias
 *     layers.L.weight  (in, out) and its bias: of the readout after L convolutions
 *     norms.0.weight   [out], and norms.0.running_mean, norms.0.running_var: hidden layers with
 *                      batch normalisation (tensor/batchnorm.h: the epsilon) */
struct model_tensor {
    char name[40];
    int32_t n_dims; /* 1 or 2 */
    int32_t shape[2];
    int64_t n;     /* elements */
    int64_t begin; /* the first one's place in the vector */
    int32_t layer; /* from 0 */
    enum model_array array;
};

/* Weights in one vector: weight, bias and gamma of the first layer, of the second, ...; then the
 * running mean and variance of the first hidden layer, of the second, ..., which training
 * computes and the optimiser leaves alone. */
struct model {
    int32_t n_layers, n_tensors; /* layers: convolutions, and the readout where there is one */
    int64_t n_weights;
    int64_t n_trained;           /* of them, from the first on: what has a gradient */
    float *weights;              /* [n_weights] */
    float *gradient;             /* [n_weights] */
    struct layer *layer;         /* [n_layers] views into weights */
    struct layer *d_layer;       /* [n_layers] views into gradient */
    struct model_tensor *tensor; /* [n_tensors] the arrays, in the order of the vector */
};

/* Glorot & Bengio 2010, eq. 16 (uniform), biases 0; element i of layer l is number (l, i) of the
 * RNG_WEIGHTS stream of key. Scales and running variances 1, running means 0. Memory from scratch.
 * -1 and err when it is short.
 *   fan_in  of layer 1 in that equation: n_inputs, or the features that were reduced to them. Rows
 *           of L are as long as those of X, and products with weights of equal variance depend on
 *           that length alone: hidden units begin as they would on X. */
int model_init(struct model *model, const struct gcn_spec *spec, int32_t n_inputs, int32_t fan_in,
               int32_t n_outputs, struct hash key, struct arena *scratch, struct err *err);

/* Array i, in the order of the vector, of a model with these shapes. False: there are not so
 * many. */
bool model_tensor(struct model_tensor *out, const struct gcn_spec *spec, int32_t n_inputs,
                  int32_t n_outputs, int32_t i);

/* Layers of a model: its convolutions, and the readout where samples are graphs. */
int32_t model_layers(const struct gcn_spec *spec);

/* Columns of the widest layer. */
int32_t model_width(const struct model *model);

#endif
