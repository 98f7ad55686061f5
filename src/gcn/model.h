/* SPDX-License-Identifier: BSD-3-Clause */
/* Weights of a graph convolutional network. */
#ifndef GCN_MODEL_H
#define GCN_MODEL_H

#include "base/arena.h"
#include "base/err.h"
#include "base/hash.h"
#include "gcn/spec.h"

/* Layer l = 0, 1, ...: act(A^ H w + b), or for a hidden layer with batch normalisation act(BN(A^ H
 * w) + b), BN with scale gamma. If samples are graphs, the last layer is the readout P w + b
 * (pass.h). */
struct layer {
    struct mat w;           /* (in, out) */
    float *b;               /* [out] */
    float *gamma;           /* [out]; like the next two NULL without batch normalisation */
    float *mean, *variance; /* [out] running statistics */
};

enum model_array {
    MODEL_WEIGHT,
    MODEL_BIAS,
    MODEL_GAMMA,
    MODEL_MEAN,
    MODEL_VARIANCE,
    MODEL_ARRAY_COUNT
};

/* Names follow PyTorch:
 *     layers.0.weight  (in, out), not PyTorch's (out, in)
 *     layers.0.bias    [out]; with batch normalisation norms.0.bias
 *     layers.L.weight  (in, out) and layers.L.bias: the readout after L convolutions
 *     norms.0.weight   [out], norms.0.running_mean, norms.0.running_var (tensor/batchnorm.h) */
struct model_tensor {
    char name[40];
    int32_t n_dims; /* 1 or 2 */
    int32_t shape[2];
    int64_t n;     /* elements */
    int64_t begin; /* in the vector */
    int32_t layer;
    enum model_array array;
};

/* One vector has weight, bias and gamma of each layer, then running means and variances, which the
 * optimiser skips. */
struct model {
    int32_t n_layers, n_tensors; /* layers include the readout */
    int64_t n_weights;
    int64_t n_trained;           /* the first n_trained have a gradient */
    float *weights;              /* [n_weights] */
    float *gradient;             /* [n_weights] */
    struct layer *layer;         /* [n_layers] views into weights */
    struct layer *d_layer;       /* [n_layers] views into gradient (model_direct_gradient()) */
    struct model_tensor *tensor; /* [n_tensors] in vector order */
};

/* Draw initial weights; biases and running means are 0, scales and running variances 1. Element i
 * of layer l is number (l, i) of key's RNG_WEIGHTS stream. Takes memory from scratch.
 *   fan_in  of layer 1: the original features, also after a reduction (doc/decisions/0010)
 * Source: Glorot & Bengio 2010, eq. 16 (uniform). */
int model_init(struct model *model, const struct gcn_spec *spec, int32_t n_inputs, int32_t fan_in,
               int32_t n_outputs, struct hash key, struct arena *scratch, struct err *err);

/* Let d_layer view `vector` [n_weights], borrowed, in place of gradient. */
void model_direct_gradient(struct model *model, float *vector);

/* Describe array i of the vector; false: there is none. */
bool model_tensor(struct model_tensor *out, const struct gcn_spec *spec, int32_t n_inputs,
                  int32_t n_outputs, int32_t i);

#endif
