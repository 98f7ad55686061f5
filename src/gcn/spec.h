/* SPDX-License-Identifier: BSD-3-Clause */
/* The settings of one training. */
#ifndef GCN_SPEC_H
#define GCN_SPEC_H

#include <stdbool.h>
#include <stdint.h>

#include "gcn/metric.h"
#include "tensor/activation.h"
#include "tensor/pool.h"

enum optimizer { OPTIMIZER_ADAM, OPTIMIZER_ADAMW, OPTIMIZER_SGD };
enum decay_scope { DECAY_ALL, DECAY_FIRST }; /* weight decay on every layer's W, or the first's */
enum schedule { SCHEDULE_CONSTANT, SCHEDULE_COSINE, SCHEDULE_STEP }; /* optimizer.h */
enum class_weights { CLASSES_ALIKE, CLASSES_BALANCED };              /* loss.h */
enum choose_epoch { CHOOSE_LOSS, CHOOSE_OBJECTIVE }; /* what the best epoch is best by */

struct gcn_spec {
    int32_t layers; /* graph convolutions, >= 1 */
    int32_t hidden_size;
    enum activation activation;
    enum pool pool;       /* of the nodes of a graph; POOL_NONE: samples are nodes */
    bool residual;        /* skip connections, pass.h */
    bool batch_norm;      /* of hidden units, pass.h */
    double dropout;       /* of hidden units, in [0, 1) */
    double input_dropout; /* of features, in [0, 1) */
    int32_t epochs;
    enum optimizer optimizer;
    double learning_rate;
    enum schedule schedule;
    int32_t step_size; /* epochs, >= 1, and their factor: of SCHEDULE_STEP */
    double step_gamma;
    int32_t warmup_epochs;
    double clip_norm;    /* most length of a gradient; 0: any */
    double weight_decay; /* never on biases */
    enum decay_scope decay_scope;
    double momentum;                  /* sgd */
    double beta1, beta2, epsilon;     /* adam, adamw */
    int32_t batch_size;               /* training samples in a step; 0: all */
    enum choose_epoch choose_epoch;   /* the smallest loss, or the best value of objective */
    int32_t patience;                 /* epochs without a better one by choose_epoch; 0: never */
    enum class_weights class_weights; /* of the loss; for classification */
    enum metric objective;
    bool maximize;
};

#endif
