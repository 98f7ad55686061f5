/* SPDX-License-Identifier: BSD-3-Clause */
/* Scaled features for layer 1 in pieces, as one matrix of floats may not fit memory. */
#ifndef GCN_SCALE_H
#define GCN_SCALE_H

#include <stdbool.h>

#include "data/core/dataset.h"
#include "gcn/inputs.h"
#include "gcn/spec.h"

struct scaling {
    const struct dataset *data; /* borrowed; dense */
    enum feature_scale scale;
    double *row_factor;    /* [N] SCALE_ROW: 1 / sum; else NULL */
    double *column_mean;   /* [F] SCALE_STANDARDIZE, like the next; else NULL */
    double *column_factor; /* [F] 1 / sd; 0 for constant columns */
};

/* All samples of some features, or all features of some samples. */
struct feature_panel {
    bool has_all_samples;
    int32_t at; /* first feature or sample */
    int32_t n;
};

/* Allocate only. Pair with scaling_release(), also after a failure. */
int scaling_init(struct scaling *scaling, const struct dataset *data, enum feature_scale scale,
                 struct err *err);
void scaling_release(struct scaling *scaling);

/* scaling_init(), and learning from panels. After -1, scaling holds nothing. */
int scaling_fit(struct scaling *scaling, const struct dataset *data, enum feature_scale scale,
                struct err *err);

/* Goes through all features, panel by panel. */
struct scaling_walk {
    const struct scaling *scaling; /* borrowed, like the next */
    struct scaling *learned;       /* NULL: `scaling` has its factors */
    struct feature_panel panel;
    int32_t width;  /* of a panel */
    struct mat raw; /* unscaled values of the panel, in memory of its own */
    double *scaled; /* the same, scaled */
};

/* Learn the factors of rows, or of columns from panels of samples, before the first panel; those of
 * columns from panels of all samples come with each.
 *   width  of a panel in features (or samples); 0: a good number
 *   learned  scaling, after scaling_init(); or NULL
 * Pair with scaling_walk_release(), also after a failure. */
int scaling_walk_init(struct scaling_walk *walk, const struct scaling *scaling,
                      struct scaling *learned, bool has_all_samples, int32_t width,
                      struct err *err);
void scaling_walk_release(struct scaling_walk *walk);

/* Read and scale the next panel; false after the last. */
bool scaling_walk_next(struct scaling_walk *walk);

/* raw: values of a panel. Equals kernel_standardize() and kernel_divide_rows() of raw up to their
 * rounding to float. */
void scaling_apply(double *out, const struct scaling *scaling, const struct feature_panel *panel,
                   const struct mat *raw);

/* Read dense features from column `first` and scale their columns, but not rows.
 *   out  out  (M, n)  with SCALE_STANDARDIZE after kernel_standardize() */
int scale_columns(struct mat *out, const struct dataset *data, enum feature_scale scale,
                  int32_t first, struct err *err);

/* scale_columns() for coded_make() (tensor/coded.h). source is borrowed. */
struct scale_source {
    const struct dataset *data;
    enum feature_scale scale; /* SCALE_NONE or SCALE_STANDARDIZE */
};
struct coded_source scale_coded_source(const struct scale_source *source);

/* Count the nonzero entries of dense features. */
int scale_count_entries(int64_t *nnz, const struct dataset *data, struct err *err);

/* -1 and err: this scale would make sparse features dense. */
int scale_check(const struct dataset *data, enum feature_scale scale, struct err *err);

/* The features as a sparse matrix. nnz: scale_count_entries(), if they are dense. Pair with csr_release().
 * -1 and err also as scale_check(). */
int scale_sparse(struct csr *out, const struct dataset *data, int64_t nnz, enum feature_scale scale,
                 struct err *err);

/* Shows whether one learning rate suits all features: standard deviations of unscaled features over
 * all samples. */
struct scale_spread {
    /* -1 if all are constant. Among dense 0/1 features only the widest can be the narrowest. */
    int32_t widest, narrowest;
    double most, least; /* standard deviations */
};

int scale_measure_spread(struct scale_spread *out, const struct dataset *data, struct err *err);

/* *out: some dense feature has a value other than 0 and 1. False for sparse features. */
int scale_has_amounts(bool *out, const struct dataset *data, struct err *err);

#endif
