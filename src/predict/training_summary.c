/* SPDX-License-Identifier: BSD-3-Clause */
#include "predict/training_summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/safetensors.h"
#include "trial/kept.h"

static const uint32_t one_name[] = {0, 1};

/* The contents of a file, not trusted. */
struct source {
    struct safetensor names, alleles, ids, classes;    /* data is NULL if absent */
    struct safetensor fill, mean;                      /* likewise */
    struct safetensor fixed, fixed_mean, fixed_factor; /* names, [q], [q]; likewise */
    int32_t n_features, n_fixed, n_classes;
    bool has_ploidy;
    int ploidy, base;
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
    if (safetensors_find(t, file, bytes, name)) {
        t->data = NULL;
        return true;
    }
    return t->type == SAFETENSORS_U8 && t->n_dims == 1 && t->shape[0] > 0 &&
           t->shape[0] <= INT32_MAX && ((const char *)t->data)[t->shape[0] - 1] == '\0';
}

static bool find_numbers(struct safetensor *t, const void *file, size_t bytes, const char *name,
                         enum safetensors_type type, int32_t n)
{
    if (safetensors_find(t, file, bytes, name)) {
        t->data = NULL;
        return true;
    }
    return t->type == type && t->n_dims == 1 && t->shape[0] == n;
}

static int read_source(struct source *s, const void *file, size_t bytes, struct err *err)
{
    double n_markers, ploidy, base;

    *s = (struct source){0};
    if (!find_names(&s->names, file, bytes, "features.names") || !s->names.data ||
        !find_names(&s->alleles, file, bytes, "features.alleles") ||
        !find_names(&s->ids, file, bytes, "features.ids") ||
        !find_names(&s->classes, file, bytes, "classes") ||
        !find_names(&s->fixed, file, bytes, "fixed.names"))
        return damaged(err);
    s->n_features = count_names(&s->names);
    s->n_classes = count_names(&s->classes);
    s->n_fixed = count_names(&s->fixed);
    if (!safetensors_number(&n_markers, file, bytes, "markers") && n_markers < s->n_features)
        return err_set(err, "an earlier version trained them with covariates among the features: "
                            "train them again");
    if (!safetensors_number(&ploidy, file, bytes, "ploidy")) {
        if (!(ploidy >= 0 && ploidy <= DOSAGE_MAX))
            return damaged(err);
        s->has_ploidy = true;
        s->ploidy = (int)ploidy;
    }
    if (!safetensors_number(&base, file, bytes, "base"))
        s->base = base < 0 ? -1 : 0;
    if ((s->alleles.data && count_names(&s->alleles) != s->n_features) ||
        (s->ids.data && count_names(&s->ids) != s->n_features))
        return damaged(err);
    if (!find_numbers(&s->fill, file, bytes, "features.fill", SAFETENSORS_F32, s->n_features) ||
        !find_numbers(&s->mean, file, bytes, "features.mean", SAFETENSORS_F64, s->n_features) ||
        !find_numbers(&s->fixed_mean, file, bytes, "fixed.mean", SAFETENSORS_F64, s->n_fixed) ||
        !find_numbers(&s->fixed_factor, file, bytes, "fixed.factor", SAFETENSORS_F64, s->n_fixed) ||
        (s->n_fixed && (!s->fixed_mean.data || !s->fixed_factor.data)))
        return damaged(err);
    return 0;
}

/* ---- the data set ---- */

/* Set the offsets of n texts and of the end. Return the address after these. */
static uint32_t *index_names(uint32_t *start, const struct safetensor *t, int32_t n)
{
    const char *text = t->data;

    *start = 0;
    for (int32_t i = 0; i < n; i++)
        start[i + 1] = start[i] + (uint32_t)strlen(text + start[i]) + 1;
    return start + n + 1;
}

/* They must be the floats that recode computes from the data. */
static void take_means(float *mean, const struct source *from)
{
    for (int32_t j = 0; j < from->n_features; j++)
        if (from->fill.data)
            memcpy(&mean[j], (const char *)from->fill.data + (size_t)j * sizeof *mean,
                   sizeof *mean);
        else {
            double v;

            memcpy(&v, (const char *)from->mean.data + (size_t)j * sizeof v, sizeof v);
            mean[j] = (float)v;
        }
}

/* The one sample has the means, which replace missing numbers of new samples. */
static void take_fixed(struct training_summary *s, const struct source *from)
{
    for (int32_t j = 0; j < from->n_fixed; j++) {
        double factor;

        memcpy(&s->fixed[j], (const char *)from->fixed_mean.data + (size_t)j * sizeof factor,
               sizeof factor);
        memcpy(&factor, (const char *)from->fixed_factor.data + (size_t)j * sizeof factor,
               sizeof factor);
        s->fixed_factor[j] = factor >= 0 ? (int32_t)fmin(factor, INT32_MAX) : -1;
    }
}

static bool has_means(const struct source *s)
{
    return s->mean.data || s->fill.data;
}

/* Models of version 0.2 have neither. All means of scaled numbers are 0. */
static void guess_coding(const struct training_summary *s, struct source *from)
{
    bool is_scaled = true;

    for (int32_t j = 0; j < from->n_features; j++) {
        from->base = s->mean[j] < 0 ? -1 : from->base;
        is_scaled = is_scaled && fabsf(s->mean[j]) < 1e-3f;
    }
    from->ploidy = is_scaled ? 0 : 2;
    from->base = is_scaled ? 0 : from->base;
}

static void describe(struct training_summary *s, struct source *from)
{
    if (!from->has_ploidy)
        guess_coding(s, from);
    s->data = (struct dataset){
        .n_samples = 1,
        .n_nodes = 1,
        .n_features = from->n_features,
        .n_fixed = from->n_fixed,
        .n_classes = from->n_classes,
        .ploidy = from->ploidy,
        .base = from->base,
        .task = from->n_classes ? TASK_CLASSIFICATION : TASK_REGRESSION,
        .features = mat_view(s->mean, 1, from->n_features),
        .fixed = from->n_fixed ? s->fixed : NULL,
        .fixed_factor = s->fixed_factor,
        .target = from->n_classes ? NULL : &s->target,
        .label = from->n_classes ? &s->label : NULL,
        .const_ids = "",
        .id_start = one_name,
        .const_features = from->names.data,
        .const_fixed = from->fixed.data,
        .const_alleles = from->alleles.data,
        .const_marker_ids = from->ids.data,
        .const_classes = from->classes.data,
    };
}

static void point_at_names(struct training_summary *s, const struct source *from)
{
    uint32_t *at = s->start;

    s->data.feature_start = at;
    at = index_names(at, &from->names, from->n_features);
    if (from->alleles.data) {
        s->data.allele_start = at;
        at = index_names(at, &from->alleles, from->n_features);
    }
    if (from->ids.data) {
        s->data.marker_id_start = at;
        at = index_names(at, &from->ids, from->n_features);
    }
    s->data.class_start = at;
    at = index_names(at, &from->classes, from->n_classes);
    s->data.fixed_start = at;
    index_names(at, &from->fixed, from->n_fixed);
}

int training_summary_init(struct training_summary *s, const void *file, size_t bytes,
                          struct err *err)
{
    struct source from;
    size_t n_names, n;

    *s = (struct training_summary){.target = NAN, .label = -1};
    if (!kept_is_complete(file, bytes))
        return err_set(err, "their first layer is stored by training samples (model.reduce)");
    if (read_source(&from, file, bytes, err))
        return -1;
    if (!has_means(&from))
        return err_set(err, "they do not contain the means of the features, which are neither "
                            "dosages nor standardised");
    n = (size_t)from.n_features;
    n_names = 3 * (n + 1) + (size_t)from.n_classes + (size_t)from.n_fixed + 2;
    s->start = malloc(n_names * sizeof *s->start);
    s->mean = malloc(n * sizeof *s->mean);
    s->fixed = malloc(((size_t)from.n_fixed + 1) * sizeof *s->fixed);
    s->fixed_factor = malloc(((size_t)from.n_fixed + 1) * sizeof *s->fixed_factor);
    if (!s->start || !s->mean || !s->fixed || !s->fixed_factor)
        return err_nomem(err, "features", n_names * sizeof *s->start);
    take_means(s->mean, &from);
    take_fixed(s, &from);
    describe(s, &from);
    point_at_names(s, &from);
    s->nobody = s->data;
    s->nobody.n_samples = s->nobody.n_nodes = 0;
    return 0;
}

void training_summary_release(struct training_summary *s)
{
    if (!s)
        return;
    free(s->start);
    free(s->mean);
    free(s->fixed);
    free(s->fixed_factor);
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
