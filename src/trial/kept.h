/* SPDX-License-Identifier: BSD-3-Clause */
/* A trained model as it is kept: a safetensors file (base/safetensors.h) with the weights of the
 * best epoch and all that is needed to use them without the data.
 *
 *   layers.0.weight ...  F32  what model_tensor() lists (gcn/model.h), by the features as scaled
 *   features.mean        F64 [F]  where they are standardised: (x - mean) x factor;
 *   features.factor      F64 [F]  1 / sd, or 0 for a constant feature
 *   features.fill        F32 [markers]  where they are dosages: in the place of a missing one
 *   features.names       U8  one after another, each with a NUL behind it
 *   features.alleles     U8  likewise, where they are known: "CHROM\tPOS\tREF\tALT" or nothing
 *   features.ids         U8  likewise, where the file has them: what it calls each marker
 *   classes              U8  likewise
 *
 * Its metadata are texts: format, espalier, blas, key, data_digest, settings (JSON), task, outputs,
 * samples, features, markers (so many features come first, the rest are covariates), replicate,
 * fold, best_epoch, value, target_mean, target_sd, trait.
 *
 * Of a trial with reduced features, layers.0.xw (N, H) stands for layers.0.weight and the
 * features.*: what layer 1 makes of each sample before the graph. It is the same model on any
 * machine, takes no more room than the weights of the reduction, and the weights by features follow
 * from it and the data: kept_complete(). doc/decisions/0029 says why. */
#ifndef TRIAL_KEPT_H
#define TRIAL_KEPT_H

#include "gcn/outcome.h"
#include "gcn/reducer.h"
#include "grid/settings.h"

/* In the order of the choices of `keep`. */
enum keep { KEEP_BEST, KEEP_ALL, KEEP_NONE };
enum keep keep_of(const struct settings *s);

/* SQLite takes no larger blob unless it is told to. */
#define KEPT_MAX_BYTES ((size_t)1000000000 - (1 << 20))

/* What scaling learnt of the columns; made when it is first asked for, and again for another scale.
 * Release takes a zeroed one. */
struct kept_scaling {
    bool is_there;
    struct scaling scaling;
};
void kept_scaling_release(struct kept_scaling *scaling);

/* All borrowed. */
struct kept_trial {
    const struct settings *settings; /* resolved */
    const struct dataset *data;
    const struct mat *coordinates; /* L (N, rank), where the weights are by reduced features; else
                                    * NULL */
    const struct gcn_outcome *outcome;
    struct hash key;
    int32_t replicate, fold;
};

/* Memory that a model takes from training to the commit, 0 where none is kept. n_inputs: columns
 * that its weights are by. */
double kept_bytes(const struct settings *s, const struct dataset *data, int32_t n_inputs);

/* Append the file of a trial that is done. Nothing where it has no weights. Where it would be
 * larger than KEPT_MAX_BYTES, only *bytes says how large. -1 and err when memory is short. */
int kept_write(struct buf *out, size_t *bytes, const struct kept_trial *trial,
               struct kept_scaling *scaling, struct err *err);

/* Whether a file has all that it needs. */
bool kept_is_complete(const void *file, size_t bytes);

/* What stands for the first layer, F32 in two dimensions: its weights, or layers.0.xw. -1: there is
 * neither. */
struct safetensor;
int kept_first(struct safetensor *out, const void *file, size_t bytes);

/* An array of the network, F32 in the shape that it must have. -1: there is none such. */
struct model_tensor;
int kept_tensor(struct safetensor *out, const void *file, size_t bytes,
                const struct model_tensor *like);

/* Products of all pairs of samples, most of what kept_complete() costs, for the models of one
 * configuration; made when they are first needed. Zero to begin. */
struct kept_products {
    bool is_there;
    struct reducer reducer;
};
void kept_products_release(struct kept_products *products); /* takes a zeroed one */

/* Append the file with weights by features, from the data and the settings of its trial. Cost: that
 * of the reduction. products: of these data and this configuration. -1 and err: memory is short, or
 * the file is no such one. */
int kept_complete(struct buf *out, const void *file, size_t bytes, const struct dataset *data,
                  const struct settings *settings, struct kept_products *products, struct err *err);

#endif
