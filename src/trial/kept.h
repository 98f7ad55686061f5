/* SPDX-License-Identifier: BSD-3-Clause */
/* The file of a trained model: safetensors (base/safetensors.h) with the weights of the best epoch
 * and all that is needed to use them without the data (doc/decisions/0029).
 * doc/manual/reference/model-files.md describes its tensors and metadata.
 *
 * With reduced features, layers.0.xw (N, H) replaces layers.0.weight and features.*: layer 1's
 * output for each sample before the graph. */
#ifndef TRIAL_KEPT_H
#define TRIAL_KEPT_H

#include "gcn/outcome.h"
#include "gcn/reducer.h"
#include "grid/settings.h"

/* In the order of the choices of `keep`. */
enum keep { KEEP_BEST, KEEP_ALL, KEEP_NONE };
enum keep keep_of(const union value v[P_MAX]);

/* SQLite's default limit of a blob, less metadata. */
#define KEPT_MAX_BYTES ((size_t)1000000000 - (1 << 20))

/* Scaling of the columns, learned on first use. */
struct kept_scaling {
    bool is_there;
    struct scaling scaling;
};
void kept_scaling_release(struct kept_scaling *scaling);

/* All members are borrowed. */
struct kept_trial {
    const struct settings *settings;
    const struct dataset *data;
    /* L (N, rank), if the weights are by reduced features. */
    const struct mat *coordinates;
    const struct gcn_outcome *outcome;
    struct hash key;
    int32_t replicate, fold;
};

/* Bytes of a model, and of all its copies from training to the commit; 0: none is kept. n_inputs: of
 * layer 1. */
double kept_model_bytes(const struct settings *s, const struct dataset *data, int32_t n_inputs);
double kept_bytes(const struct settings *s, const struct dataset *data, int32_t n_inputs);

/* Append the file of a done trial, if it has weights. If it would exceed KEPT_MAX_BYTES, only
 * *bytes is set, to its size. */
int kept_write(struct buf *out, size_t *bytes, const struct kept_trial *trial,
               struct kept_scaling *scaling, struct err *err);

/* True if the file needs no kept_complete(). */
bool kept_is_complete(const void *file, size_t bytes);

/* Find the first layer's weights, or layers.0.xw. -1: neither exists. */
struct safetensor;
int kept_first(struct safetensor *out, const void *file, size_t bytes);

/* The fixed effects (q, C) of a model in the target's units; with fixed.bias [C] they add
 * bias + x b to its predictions, for classes before softmax. */
#define KEPT_FIXED "fixed.weight"

/* View these effects of the data's columns. n = 0: the model has none. -1 and err: they are of other
 * columns, or damaged. */
int kept_fixed(struct fixed_effects *out, const struct dataset *data, int32_t n_outputs,
               const void *file, size_t bytes, struct err *err);

/* Find an array of the network with the required shape. -1: not found. */
struct model_tensor;
int kept_tensor(struct safetensor *out, const void *file, size_t bytes,
                const struct model_tensor *like);

/* Products of all pairs of samples, for the models of one configuration. Zero at first. */
struct kept_products {
    bool is_there;
    struct reducer reducer;
};
void kept_products_release(struct kept_products *products);

/* Append the file with weights by features, from the data and settings of its trial. Costs as much
 * as the reduction. -1 and err: out of memory, or not such a file. */
int kept_complete(struct buf *out, const void *file, size_t bytes, const struct dataset *data,
                  const struct settings *settings, struct kept_products *products, struct err *err);

#endif
