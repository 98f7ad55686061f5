/* SPDX-License-Identifier: BSD-3-Clause */
/* Features as layer 1 is to see them, in pieces: for data whose scaled features do not fit as one
 * matrix of floats. */
#ifndef GCN_SCALE_H
#define GCN_SCALE_H

#include <stdbool.h>

#include "data/core/dataset.h"
#include "gcn/inputs.h"
#include "gcn/spec.h"

/* What scaling does to each row and each column. */
struct scaling {
    const struct dataset *data; /* borrowed; dense */
    enum feature_scale scale;
    double *row_factor;    /* [N] SCALE_ROW: 1 / sum; else NULL */
    double *column_mean;   /* [F] SCALE_STANDARDIZE, like the next; else NULL */
    double *column_factor; /* [F] 1 / sd; 0 for constant columns */
};

/* A piece is all samples of some features, or all features of some samples. */
struct feature_panel {
    bool has_all_samples;
    int32_t at; /* its first feature, or sample */
    int32_t n;  /* how many of them */
};

/* Memory only: nothing is learned yet. Pair with scaling_release(), also after a failure. */
int scaling_init(struct scaling *scaling, const struct dataset *data, enum feature_scale scale,
                 struct err *err);
void scaling_release(struct scaling *scaling); /* takes a zeroed one */

/* Learn the factors of all rows or columns, reading panels of one kind, at most `width` wide; raw
 * has room for the largest. With panels that have all samples, columns are left to
 * scaling_learn_columns(). */
void scaling_learn(struct scaling *scaling, bool has_all_samples, int32_t width, float *raw);

/* Both of these at once, in memory of its own for a few rows. -1 and err when memory is short;
 * nothing is held then. */
int scaling_fit(struct scaling *scaling, const struct dataset *data, enum feature_scale scale,
                struct err *err);

/* Those of a panel's columns, from raw values (N, panel.n). */
void scaling_learn_columns(struct scaling *scaling, const struct feature_panel *panel,
                           const struct mat *raw);

/* raw out: the features of a panel as read, a view of `room`. */
struct mat scaling_read(const struct scaling *scaling, const struct feature_panel *panel,
                        float *room);

/* out: raw, scaled; the same shape, in double. Equal to kernel_standardize() and
 * kernel_normalize_rows() but for their rounding to float. */
void scaling_apply(double *out, const struct scaling *scaling, const struct feature_panel *panel,
                   const struct mat *raw);

/* What is done to columns alone, to those of dense features from `first` on.
 *   out  out  (M, n)  as read, with SCALE_STANDARDIZE by kernel_standardize()
 * -1 and err when memory is short. */
int scale_columns(struct mat *out, const struct dataset *data, enum feature_scale scale,
                  int32_t first, struct err *err);

/* The same columns for coded_make() (tensor/coded.h). source is borrowed. */
struct scale_source {
    const struct dataset *data;
    enum feature_scale scale; /* none or standardize */
};
struct coded_source scale_coded_source(const struct scale_source *source);

/* Entries of dense features, as read, that are not zero: how many, and as sparse ones. nnz: as
 * counted. Pair the latter with csr_release(). -1 and err when memory is short. */
int scale_count_entries(int64_t *nnz, const struct dataset *data, struct err *err);
int scale_gather_entries(struct csr *out, int64_t nnz, const struct dataset *data, struct err *err);

/* -1 and err where sparse features cannot be scaled so: they would fill in. */
int scale_check(const struct dataset *data, enum feature_scale scale, struct err *err);

/* Sparse features: a scaled copy. Pair with csr_release(). -1 and err as scale_check(), or when
 * memory is short. */
int scale_sparse(struct csr *out, const struct dataset *data, enum feature_scale scale,
                 struct err *err);

/* Whether features are on scales that suit one learning rate: standard deviations of the features as read, over all samples; constant features are left out. */
struct scale_spread {
    int32_t widest, narrowest; /* features; -1 where all are constant; of dense features of 0 and 1
                                  only the widest can be the narrowest of all */
    double most, least;        /* their standard deviations */
};

/* -1 and err when memory is short. */
int scale_measure_spread(struct scale_spread *out, const struct dataset *data, struct err *err);

/* *out: whether some dense feature has a value beside 0 and 1, as attributes have and one-hot
 * labels have not. Sparse features have none here: they cannot be standardized. -1 and err when
 * memory is short. */
int scale_has_amounts(bool *out, const struct dataset *data, struct err *err);

#endif
