/* SPDX-License-Identifier: BSD-3-Clause */
#include "predict/training_summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/safetensors.h"
#include "data/core/builder.h"
#include "trial/kept.h"

/* The contents of a file, not trusted. */
struct summary_source {
    struct safetensor names, alleles, ids, classes;    /* data is NULL if absent */
    struct safetensor fill, mean;                      /* likewise */
    struct safetensor fixed, fixed_mean, fixed_factor; /* names, [q], [q]; likewise */
    int32_t n_features, n_fixed, n_classes;
    double ploidy, base;
};

static int damaged(struct err *err)
{
    return err_set(err, "the stored model is damaged");
}

/* ---- reading ---- */

static int32_t count_names(const struct safetensor *t)
{
    const char *text = t->data;
    int32_t n = 0;

    for (int64_t i = 0; text && i < t->shape[0]; i++)
        n += text[i] == '\0';
    return n;
}

/* True if the texts, each with a NUL behind it, are valid or absent. */
static bool find_names(struct safetensor *t, const void *file, size_t bytes, const char *name)
{
    if (!safetensors_find(t, file, bytes, name))
        return safetensors_is(t, SAFETENSORS_U8, -1, 0) && t->shape[0] > 0 &&
               ((const char *)t->data)[t->shape[0] - 1] == '\0';
    t->data = NULL;
    return true;
}

/* Likewise for n numbers. */
static bool find_numbers(struct safetensor *t, const void *file, size_t bytes, const char *name,
                         enum safetensors_type type, int32_t n)
{
    if (!safetensors_find(t, file, bytes, name))
        return safetensors_is(t, type, n, 0);
    t->data = NULL;
    return true;
}

static int read_source(struct summary_source *s, const void *file, size_t bytes, struct err *err)
{
    *s = (struct summary_source){0};
    if (!find_names(&s->names, file, bytes, "features.names") || !s->names.data ||
        !find_names(&s->alleles, file, bytes, "features.alleles") ||
        !find_names(&s->ids, file, bytes, "features.ids") ||
        !find_names(&s->classes, file, bytes, "classes") ||
        !find_names(&s->fixed, file, bytes, "fixed.names"))
        return damaged(err);
    s->n_features = count_names(&s->names);
    s->n_classes = count_names(&s->classes);
    s->n_fixed = count_names(&s->fixed);
    if (safetensors_number(&s->ploidy, file, bytes, "ploidy") ||
        !(s->ploidy >= 0 && s->ploidy <= DOSAGE_MAX) ||
        safetensors_number(&s->base, file, bytes, "base") ||
        (s->alleles.data && count_names(&s->alleles) != s->n_features) ||
        (s->ids.data && count_names(&s->ids) != s->n_features) ||
        !find_numbers(&s->fill, file, bytes, "features.fill", SAFETENSORS_F32, s->n_features) ||
        !find_numbers(&s->mean, file, bytes, "features.mean", SAFETENSORS_F64, s->n_features) ||
        !find_numbers(&s->fixed_mean, file, bytes, "fixed.mean", SAFETENSORS_F64, s->n_fixed) ||
        !find_numbers(&s->fixed_factor, file, bytes, "fixed.factor", SAFETENSORS_F64, s->n_fixed) ||
        (s->n_fixed && (!s->fixed_mean.data || !s->fixed_factor.data)))
        return damaged(err);
    return 0;
}

/* ---- the data set ---- */

/* Returns the n texts, NULL if they are absent or memory is short. */
static const char **split(const struct safetensor *t, int32_t n)
{
    const char **out = t->data ? malloc(((size_t)n + 1) * sizeof *out) : NULL;
    const char *text = t->data;

    for (int32_t i = 0; out && i < n; i++, text += strlen(text) + 1)
        out[i] = text;
    return out;
}

/* Its numbers need not be aligned. */
static double number_at(const struct safetensor *t, int32_t i)
{
    double v;

    memcpy(&v, (const char *)t->data + (size_t)i * sizeof v, sizeof v);
    return v;
}

/* mean: the floats that recode computes from the data. fixed: the one sample has the means, which
 * replace missing numbers of new samples. */
static void take_numbers(float *mean, double *fixed, int32_t *factor,
                         const struct summary_source *from)
{
    for (int32_t j = 0; !from->fill.data && j < from->n_features; j++)
        mean[j] = (float)number_at(&from->mean, j);
    if (from->fill.data)
        memcpy(mean, from->fill.data, (size_t)from->n_features * sizeof *mean);
    for (int32_t j = 0; j < from->n_fixed; j++) {
        double number = number_at(&from->fixed_factor, j);

        fixed[j] = number_at(&from->fixed_mean, j);
        factor[j] = number >= 0 ? (int32_t)fmin(number, INT32_MAX) : -1;
    }
}

static int build(struct dataset *out, const struct summary_source *from, struct err *err)
{
    static const float no_target = NAN;
    static const int32_t no_label = -1;
    size_t n = (size_t)from->n_features, q = (size_t)from->n_fixed;
    float *mean = malloc(n * sizeof *mean);
    double *fixed = malloc((q + 1) * sizeof *fixed);
    int32_t *factor = malloc((q + 1) * sizeof *factor);
    const char **names = split(&from->names, from->n_features);
    const char **alleles = split(&from->alleles, from->n_features);
    const char **ids = split(&from->ids, from->n_features);
    const char **classes = split(&from->classes, from->n_classes);
    const char **fixed_names = split(&from->fixed, from->n_fixed);
    struct draft draft = {.n_samples = 1,
                          .n_features = from->n_features,
                          .n_fixed = from->n_fixed,
                          .n_classes = from->n_classes,
                          .ploidy = (int)from->ploidy,
                          .base = from->base < 0 ? -1 : 0,
                          .features = mean,
                          .fixed = fixed,
                          .fixed_factor = factor,
                          .fixed_names = fixed_names,
                          .target = from->n_classes ? NULL : &no_target,
                          .label = from->n_classes ? &no_label : NULL,
                          .ids = &(const char *){""},
                          .feature_names = names,
                          .alleles = alleles,
                          .marker_ids = ids,
                          .class_names = classes};
    int rc = -1;

    if (!mean || !fixed || !factor || !names || (!alleles && from->alleles.data) ||
        (!ids && from->ids.data) || (!classes && from->classes.data) ||
        (!fixed_names && from->fixed.data)) {
        err_nomem(err, "features", n * sizeof *names);
    } else {
        take_numbers(mean, fixed, factor, from);
        rc = draft_build(out, &draft, err);
    }
    free(mean);
    free(fixed);
    free(factor);
    free(names);
    free(alleles);
    free(ids);
    free(classes);
    free(fixed_names);
    return rc;
}

int training_summary_init(struct training_summary *s, const void *file, size_t bytes,
                          struct err *err)
{
    struct summary_source from;

    memset(s, 0, sizeof *s);
    if (!kept_is_complete(file, bytes))
        return err_set(err, "their first layer is stored by training samples (model.reduce)");
    if (read_source(&from, file, bytes, err))
        return -1;
    if (!from.mean.data && !from.fill.data)
        return err_set(err, "they do not contain the means of the features, which are neither "
                            "dosages nor standardised");
    if (build(&s->data, &from, err))
        return -1;
    s->nobody = s->data;
    s->nobody.n_samples = s->nobody.n_nodes = 0;
    return 0;
}

void training_summary_release(struct training_summary *s)
{
    if (!s)
        return;
    dataset_release(&s->data);
    memset(s, 0, sizeof *s);
}

int training_summary_scaling(struct scaling *scaling, const void *file, size_t bytes,
                             struct err *err)
{
    size_t size = (size_t)scaling->data->n_features * sizeof(double);
    struct safetensor mean, factor;

    if (scaling->scale != SCALE_STANDARDIZE)
        return 0;
    if (safetensors_find(&mean, file, bytes, "features.mean") ||
        safetensors_find(&factor, file, bytes, "features.factor") ||
        safetensors_bytes(&mean) != size || safetensors_bytes(&factor) != size)
        return damaged(err);
    memcpy(scaling->column_mean, mean.data, size);
    memcpy(scaling->column_factor, factor.data, size);
    return 0;
}
