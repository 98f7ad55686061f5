/* SPDX-License-Identifier: BSD-3-Clause */
#include "trial/kept.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/real.h"
#include "base/safetensors.h"
#include "config.h"
#include "gcn/cost.h"
#include "gcn/model.h"
#include "gcn/reducer.h"
#include "tensor/gemm.h"
#include "trial/spec.h"

#define FORMAT "espalier-model-1"
#define PROJECTED "layers.0.xw"
/* Tensors outside the network. */
enum { MOST_OTHERS = 16 };

enum keep keep_of(const union value v[P_MAX])
{
    return (enum keep)v[P_KEEP].i;
}

/* ---- metadata ---- */

static void describe(struct buf *metadata, const struct kept_trial *trial)
{
    const struct dataset *data = trial->data;
    const struct gcn_outcome *outcome = trial->outcome;
    const struct {
        const char *name;
        int64_t value;
    } counts[] = {{"outputs", outcome->n_outputs},
                  {"samples", data->n_samples},
                  {"features", data->n_features},
                  {"ploidy", data->ploidy},
                  {"base", data->base},
                  {"replicate", trial->replicate},
                  {"fold", trial->fold},
                  {"best_epoch", outcome->best_epoch}};
    const struct {
        const char *name;
        double value;
    } reals[] = {{"value", outcome->value},
                 {"target_mean", outcome->target_mean},
                 {"target_sd", outcome->target_sd}};
    const char *trait = trial->settings->v[P_TRAIT].s;
    char hex[HASH_HEX_SIZE], count[32];
    struct buf json = {0}, real = {0};

    safetensors_describe(metadata, "format", FORMAT);
    safetensors_describe(metadata, "espalier", PACKAGE_VERSION);
    safetensors_describe(metadata, "blas", gemm_library());
    safetensors_describe(metadata, "key", hash_hex(trial->key, hex));
    safetensors_describe(metadata, "data_digest", hash_hex(data->digest, hex));
    settings_json_kept(&json, trial->settings);
    safetensors_describe(metadata, "settings", buf_text(&json));
    if (!escape_find_invalid(trait))
        safetensors_describe(metadata, "trait", trait);
    safetensors_describe(metadata, "task", task_name(data->task));
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        snprintf(count, sizeof count, "%" PRId64, counts[i].value);
        safetensors_describe(metadata, counts[i].name, count);
    }
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++) {
        buf_clear(&real);
        real_format(&real, reals[i].value);
        safetensors_describe(metadata, reals[i].name, buf_text(&real));
    }
    metadata->failed |= buf_failed(&json) || buf_failed(&real);
    buf_release(&json);
    buf_release(&real);
}

/* ---- preprocessing ---- */

void kept_scaling_release(struct kept_scaling *scaling)
{
    if (!scaling)
        return;
    scaling_release(&scaling->scaling);
    scaling->is_there = false;
}

static int learn(struct kept_scaling *kept, const struct dataset *data, enum feature_scale scale,
                 struct err *err)
{
    if (kept->is_there && kept->scaling.scale == scale)
        return 0;
    kept_scaling_release(kept);
    /* Row factors belong to samples, not to the model. */
    if (scale == SCALE_STANDARDIZE ? scaling_fit(&kept->scaling, data, scale, err)
                                   : scaling_init(&kept->scaling, data, scale, err))
        return -1;
    kept->is_there = true;
    return 0;
}

static void add(struct safetensor *list, size_t *n, const char *name, enum safetensors_type type,
                int64_t size, const void *data)
{
    struct safetensor *t = &list[(*n)++];

    *t = (struct safetensor){.type = type, .n_dims = 1, .shape = {size}, .data = data};
    snprintf(t->name, sizeof t->name, "%s", name);
}

static void add_classes(struct safetensor *list, size_t *n, const struct dataset *data)
{
    if (data->n_classes)
        add(list, n, "classes", SAFETENSORS_U8, data->class_start[data->n_classes],
            data->const_classes);
}

static void add_features(struct safetensor *list, size_t *n, const struct dataset *data,
                         const struct scaling *scaling)
{
    int32_t f = data->n_features;

    if (scaling->scale == SCALE_STANDARDIZE) {
        add(list, n, "features.mean", SAFETENSORS_F64, f, scaling->column_mean);
        add(list, n, "features.factor", SAFETENSORS_F64, f, scaling->column_factor);
    }
    if (data->fill)
        add(list, n, "features.fill", SAFETENSORS_F32, f, data->fill);
    add(list, n, "features.names", SAFETENSORS_U8, data->feature_start[f], data->const_features);
    if (data->const_alleles)
        add(list, n, "features.alleles", SAFETENSORS_U8, data->allele_start[f],
            data->const_alleles);
    if (data->const_marker_ids)
        add(list, n, "features.ids", SAFETENSORS_U8, data->marker_id_start[f],
            data->const_marker_ids);
}

/* ---- fixed effects ---- */

/* Means of numbers, which replace missing ones; and factors, as numbers that R and Python read. */
static int describe_fixed(double **mean, const struct dataset *data, struct err *err)
{
    int32_t q = data->n_fixed;
    double *all = calloc(2 * (size_t)q + 1, sizeof *all);

    *mean = all;
    if (!all)
        return err_nomem(err, "fixed effects", 2 * (size_t)q * sizeof *all);
    for (int32_t j = 0; j < q; j++) {
        all[q + j] = data->fixed_factor[j];
        for (int32_t i = 0; data->fixed_factor[j] < 0 && i < data->n_samples; i++)
            all[j] += dataset_fixed(data, i)[j] / data->n_samples;
    }
    return 0;
}

static void add_fixed(struct safetensor *list, size_t *n, const struct dataset *data,
                      const struct fixed_effects *fixed, const double *mean)
{
    int32_t q = fixed->n;

    if (!q)
        return;
    list[*n] = (struct safetensor){.name = KEPT_FIXED,
                                   .type = SAFETENSORS_F64,
                                   .n_dims = 2,
                                   .shape = {q, fixed->n_outputs},
                                   .data = fixed->b};
    ++*n;
    add(list, n, "fixed.bias", SAFETENSORS_F64, fixed->n_outputs, fixed->intercept);
    add(list, n, "fixed.mean", SAFETENSORS_F64, q, mean);
    add(list, n, "fixed.factor", SAFETENSORS_F64, q, mean + q);
    add(list, n, "fixed.names", SAFETENSORS_U8, data->fixed_start[q], data->const_fixed);
}

/* ---- weights ---- */

static struct safetensor as_safetensor(const struct model_tensor *t, const float *weights)
{
    struct safetensor out = {.type = SAFETENSORS_F32,
                             .n_dims = t->n_dims,
                             .shape = {t->shape[0], t->n_dims == 2 ? t->shape[1] : 0},
                             .data = weights ? weights + t->begin : NULL};

    snprintf(out.name, sizeof out.name, "%s", t->name);
    return out;
}

static int32_t count_tensors(const struct gcn_spec *spec, int32_t n_inputs, int32_t n_outputs)
{
    struct model_tensor t;
    int32_t n = 0;

    while (model_tensor(&t, spec, n_inputs, n_outputs, n))
        n++;
    return n;
}

static int project(struct mat *xw, struct safetensor *first, const struct mat *coordinates,
                   struct err *err)
{
    struct mat w = mat_view((float *)(uintptr_t)first->data, (int32_t)first->shape[0],
                            (int32_t)first->shape[1]);

    if (mat_init(xw, coordinates->n_rows, w.n_cols, err))
        return -1;
    gemm(xw, coordinates, &w);
    *first = (struct safetensor){.name = PROJECTED,
                                 .type = SAFETENSORS_F32,
                                 .n_dims = 2,
                                 .shape = {xw->n_rows, xw->n_cols},
                                 .data = xw->v};
    return 0;
}

static size_t total_bytes(const struct safetensor *list, size_t n)
{
    size_t bytes = 0;

    for (size_t i = 0; i < n; i++)
        bytes += safetensors_bytes(&list[i]);
    return bytes;
}

/* A file in a growing buffer (two copies), the message, and the scheduler's copy. */
#define COPIES_OF_MODEL 4

double kept_model_bytes(const struct settings *s, const struct dataset *data, int32_t n_inputs)
{
    struct gcn_spec spec;

    if (keep_of(s->v) == KEEP_NONE)
        return 0;
    spec_gcn(&spec, s);
    return sizeof(float) * gcn_weights(&spec, data, n_inputs);
}

double kept_bytes(const struct settings *s, const struct dataset *data, int32_t n_inputs)
{
    return COPIES_OF_MODEL * kept_model_bytes(s, data, n_inputs);
}

int kept_write(struct buf *out, size_t *bytes, const struct kept_trial *trial,
               struct kept_scaling *scaling, struct err *err)
{
    const struct dataset *data = trial->data;
    const struct gcn_outcome *outcome = trial->outcome;
    const struct mat *coordinates = trial->coordinates;
    int32_t n_inputs = coordinates ? coordinates->n_cols : data->n_features;
    struct safetensor *list;
    struct gcn_inputs_spec made;
    struct gcn_spec spec;
    struct model_tensor t;
    struct buf metadata = {0};
    struct mat xw = {0};
    double *means = NULL;
    size_t n = 0;
    int rc = 0;

    *bytes = 0;
    if (!outcome->weights && !outcome->fixed.n)
        return 0;
    spec_gcn(&spec, trial->settings);
    spec_inputs(&made, trial->settings);
    if (!outcome->weights) /* of no use without weights of features */
        made.scale = SCALE_NONE;
    list = calloc((size_t)count_tensors(&spec, n_inputs, outcome->n_outputs) + MOST_OTHERS,
                  sizeof *list);
    if (!list)
        return err_nomem(err, "model", sizeof *list);
    while (outcome->weights && model_tensor(&t, &spec, n_inputs, outcome->n_outputs, (int32_t)n))
        list[n++] = as_safetensor(&t, outcome->weights);
    if (coordinates)
        rc = project(&xw, &list[0], coordinates, err);
    else
        rc = learn(scaling, data, made.scale, err);
    if (!rc && !coordinates)
        add_features(list, &n, data, &scaling->scaling);
    add_classes(list, &n, data);
    if (!rc)
        rc = describe_fixed(&means, data, err);
    if (!rc)
        add_fixed(list, &n, data, &outcome->fixed, means);
    if (!rc)
        *bytes = total_bytes(list, n);
    if (!rc && *bytes <= KEPT_MAX_BYTES) {
        describe(&metadata, trial);
        safetensors_write(out, &metadata, list, n);
        rc = buf_failed(out) ? err_nomem(err, "model", *bytes) : 0;
    }
    buf_release(&metadata);
    mat_release(&xw);
    free(means);
    free(list);
    return rc;
}

/* ---- completing a model ---- */

bool kept_is_complete(const void *file, size_t bytes)
{
    struct safetensor t;

    return safetensors_find(&t, file, bytes, PROJECTED) != 0;
}

int kept_first(struct safetensor *out, const void *file, size_t bytes)
{
    int rc = safetensors_find(out, file, bytes, PROJECTED)
                 ? safetensors_find(out, file, bytes, "layers.0.weight")
                 : 0;

    return rc || !safetensors_is(out, SAFETENSORS_F32, -1, -1) ? -1 : 0;
}

int kept_tensor(struct safetensor *out, const void *file, size_t bytes,
                const struct model_tensor *like)
{
    int64_t cols = like->n_dims == 2 ? like->shape[1] : 0;

    return safetensors_find(out, file, bytes, like->name) ||
                   !safetensors_is(out, SAFETENSORS_F32, like->shape[0], cols)
               ? -1
               : 0;
}

static int damaged(struct err *err)
{
    return err_set(err, "the stored model is damaged");
}

int kept_fixed(struct fixed_effects *out, const struct dataset *data, int32_t n_outputs,
               const void *file, size_t bytes, struct err *err)
{
    struct safetensor b, bias, names;

    *out = (struct fixed_effects){0};
    if (safetensors_find(&b, file, bytes, KEPT_FIXED))
        return data->n_fixed ? damaged(err) : 0;
    if (safetensors_find(&bias, file, bytes, "fixed.bias") ||
        safetensors_find(&names, file, bytes, "fixed.names") || !data->n_fixed ||
        !safetensors_is(&b, SAFETENSORS_F64, data->n_fixed, n_outputs) ||
        !safetensors_is(&bias, SAFETENSORS_F64, n_outputs, 0) ||
        !safetensors_is(&names, SAFETENSORS_U8, data->fixed_start[data->n_fixed], 0) ||
        memcmp(names.data, data->const_fixed, safetensors_bytes(&names)) != 0)
        return damaged(err);
    *out = (struct fixed_effects){.n = data->n_fixed,
                                  .n_outputs = n_outputs,
                                  .b = (double *)(uintptr_t)b.data,
                                  .intercept = (double *)(uintptr_t)bias.data};
    return 0;
}

void kept_products_release(struct kept_products *products)
{
    if (!products)
        return;
    reducer_release(&products->reducer);
    *products = (struct kept_products){0};
}

static int weights_by_features(struct mat *w, const struct safetensor *projected,
                               const struct dataset *data, const struct gcn_inputs_spec *made,
                               struct kept_products *products, struct err *err)
{
    struct mat xw = mat_view((float *)(uintptr_t)projected->data, (int32_t)projected->shape[0],
                             (int32_t)projected->shape[1]);

    if (!products->is_there && reducer_init(&products->reducer, data, made->scale, 0, err))
        return -1;
    products->is_there = true;
    return reducer_weights(w, &products->reducer, made->reduce, &xw, err);
}

/* The first tensor comes from w if given, the others from the file. */
static int take_tensors(struct safetensor *list, size_t *n, const void *file, size_t bytes,
                        const struct gcn_spec *spec, int32_t n_features, const struct mat *w)
{
    int32_t n_outputs = 0;
    struct safetensor last;
    struct model_tensor t;
    char name[48];

    snprintf(name, sizeof name, "layers.%d.bias", spec->layers - 1);
    if (safetensors_find(&last, file, bytes, name) ||
        !safetensors_is(&last, SAFETENSORS_F32, -1, 0))
        return -1;
    n_outputs = (int32_t)last.shape[0];
    while (model_tensor(&t, spec, n_features, n_outputs, (int32_t)*n)) {
        if (*n == 0 && w->n_cols == t.shape[1])
            list[0] = as_safetensor(&t, w->v);
        else if (kept_tensor(&list[*n], file, bytes, &t))
            return -1;
        ++*n;
    }
    return 0;
}

int kept_complete(struct buf *out, const void *file, size_t bytes, const struct dataset *data,
                  const struct settings *settings, struct kept_products *products, struct err *err)
{
    static const char *const copied[] = {KEPT_FIXED, "fixed.bias", "fixed.mean", "fixed.factor",
                                         "fixed.names"};
    struct kept_scaling scaling = {0};
    struct gcn_inputs_spec made;
    struct safetensor projected, *list;
    struct buf metadata = {0};
    struct gcn_spec spec;
    struct mat w = {0};
    size_t n = 0;
    int rc;

    spec_gcn(&spec, settings);
    spec_inputs(&made, settings);
    list = calloc((size_t)count_tensors(&spec, 1, 1) + MOST_OTHERS, sizeof *list);
    if (!list)
        return err_nomem(err, "model", sizeof *list);
    if (safetensors_find(&projected, file, bytes, PROJECTED) ||
        !safetensors_is(&projected, SAFETENSORS_F32, data->n_samples, -1) ||
        safetensors_metadata(&metadata, file, bytes))
        rc = damaged(err);
    else
        rc = weights_by_features(&w, &projected, data, &made, products, err);
    if (!rc && take_tensors(list, &n, file, bytes, &spec, data->n_features, &w))
        rc = damaged(err);
    if (!rc)
        rc = learn(&scaling, data, made.scale, err);
    if (!rc) {
        add_features(list, &n, data, &scaling.scaling);
        add_classes(list, &n, data);
        for (size_t i = 0; i < sizeof copied / sizeof *copied; i++)
            n += safetensors_find(&list[n], file, bytes, copied[i]) == 0;
        safetensors_write(out, &metadata, list, n);
        rc = buf_failed(out) ? err_nomem(err, "model", total_bytes(list, n)) : 0;
    }
    kept_scaling_release(&scaling);
    buf_release(&metadata);
    mat_release(&w);
    free(list);
    return rc;
}
