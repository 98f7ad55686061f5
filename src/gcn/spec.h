/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings of one training. */
#ifndef GCN_SPEC_H
#define GCN_SPEC_H

#include <stdbool.h>
#include <stdint.h>

#include "gcn/metric.h"
#include "tensor/activation.h"
#include "tensor/pool.h"

/* Rows of optimizer.c, in the order of the choices of train.optimizer. OR stands between two. */
#define OPTIMIZERS(X, OR)            \
    X(ADAM, adam) OR X(ADAMW, adamw) \
    OR X(SGD, sgd)
#define OPTIMIZER_NAME(id, name) #name
#define OPTIMIZER_CHOICES OPTIMIZERS(OPTIMIZER_NAME, "|")
/* The optimisers that use the setting. */
#define OPTIMIZERS_MOMENTUM "sgd"

#define OPTIMIZER_ID(id, name) OPTIMIZER_##id,
enum optimizer { OPTIMIZERS(OPTIMIZER_ID, ) OPTIMIZER_COUNT };
#undef OPTIMIZER_ID

enum decay_scope { DECAY_ALL, DECAY_FIRST };            /* on W of which layers */
enum schedule { SCHEDULE_CONSTANT, SCHEDULE_COSINE };   /* optimizer.h */
enum class_weights { CLASSES_ALIKE, CLASSES_BALANCED }; /* loss.h */
enum choose_epoch { CHOOSE_LOSS, CHOOSE_OBJECTIVE };

struct gcn_spec {
    int32_t layers; /* graph convolutions, >= 1 */
    int32_t hidden_size;
    enum activation activation;
    enum pool pool; /* POOL_NONE: samples are nodes */
    bool residual;
    bool batch_norm;
    double dropout;       /* of hidden units, in [0, 1) */
    double input_dropout; /* of features, in [0, 1) */
    int32_t epochs;
    enum optimizer optimizer;
    double learning_rate;
    enum schedule schedule;
    double weight_decay; /* not on biases */
    enum decay_scope decay_scope;
    double momentum;
    int32_t batch_size; /* training samples of a worker in a step; 0: all */
    int32_t workers;    /* batches in a step (trainer.h); 0 is 1 */
    enum choose_epoch choose_epoch;
    int32_t patience;                 /* epochs without a better one; 0: no limit */
    enum class_weights class_weights; /* classification */
    enum metric objective;
    bool maximize;
};

#endif
