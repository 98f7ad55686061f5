/* SPDX-License-Identifier: BSD-3-Clause */
/* The weights of a graph convolutional network. */
#ifndef GCN_MODEL_H
#define GCN_MODEL_H

#include "base/arena.h"
#include "base/err.h"
#include "base/hash.h"
#include "gcn/spec.h"

/* Layer l = 0, 1, ...: act(A^ H w + b), or for a hidden layer with batch normalisation act(BN(A^ H
 * w) + b) with scale gamma. BN would cancel a bias before it, so b follows. Views into a vector of
 * the model. */
struct layer {
    struct mat w;           /* (in, out) */
    float *b;               /* [out] */
    float *gamma;           /* [out]; NULL without batch normalisation, like the next two */
    float *mean, *variance; /* [out] running statistics, used in evaluation */
};

/* If samples are graphs, all spec->layers convolutions are hidden layers. The last layer is then
 * the readout P w + b; P has a row for each graph, its pooled nodes. */
enum model_array {
    MODEL_WEIGHT,
    MODEL_BIAS,
    MODEL_GAMMA,
    MODEL_MEAN,
    MODEL_VARIANCE,
    MODEL_ARRAY_COUNT
};

/* An array of the vector. Names follow PyTorch:
 *     layers.0.weight  (in, out), not PyTorch's (out, in)
 *     layers.0.bias    [out]; with batch normalisation norms.0.bias
 *     layers.L.weight  (in, out) and layers.L.bias: the readout after L convolutions
 *     norms.0.weight   [out], norms.0.running_mean, norms.0.running_var: hidden layers with
 *                      batch normalisation (tensor/batchnorm.h: the epsilon) */
struct model_tensor {
    char name[40];
    int32_t n_dims; /* 1 or 2 */
    int32_t shape[2];
    int64_t n;     /* elements */
    int64_t begin; /* place in the vector */
    int32_t layer; /* from 0 */
    enum model_array array;
};

/* Weights in one vector: weight, bias and gamma of each layer; then running mean and variance of
 * each hidden layer, which training computes and the optimiser skips. */
struct model {
    int32_t n_layers, n_tensors; /* layers include the readout */
    int64_t n_weights;
    int64_t n_trained;           /* the first n_trained have a gradient */
    float *weights;              /* [n_weights] */
    float *gradient;             /* [n_weights] */
    struct layer *layer;         /* [n_layers] views into weights */
    struct layer *d_layer;       /* [n_layers] views into gradient */
    struct model_tensor *tensor; /* [n_tensors] in vector order */
};

/* Draw initial weights; biases and running means 0, scales and running variances 1. Element i of
 * layer l is number (l, i) of key's RNG_WEIGHTS stream. Takes memory from scratch.
 *   fan_in  of layer 1: the original features, also if they were reduced to n_inputs. Rows of L
 *           are as long as rows of X, and only this length decides the spread of hidden units,
 *           so they start as without a reduction.
 * Source: Glorot & Bengio 2010, eq. 16 (uniform). */
int model_init(struct model *model, const struct gcn_spec *spec, int32_t n_inputs, int32_t fan_in,
               int32_t n_outputs, struct hash key, struct arena *scratch, struct err *err);

/* Array i of a model with these shapes, in vector order. False: i is too large. */
bool model_tensor(struct model_tensor *out, const struct gcn_spec *spec, int32_t n_inputs,
                  int32_t n_outputs, int32_t i);

/* Convolutions, plus the readout if there is one. */
int32_t model_layers(const struct gcn_spec *spec);

/* Columns of the widest layer. */
int32_t model_width(const struct model *model);

#endif
