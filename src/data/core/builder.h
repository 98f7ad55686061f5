/* SPDX-License-Identifier: BSD-3-Clause */
/* Builds a dataset block from arrays. */
#ifndef DATA_CORE_BUILDER_H
#define DATA_CORE_BUILDER_H

#include "data/core/dataset.h"

/* Data that a reader collected; shapes as in struct dataset. Everything is borrowed. */
struct draft {
    int32_t n_samples; /* 0: none, only names of features; TASK_NONE */
    int32_t n_nodes;   /* 0: samples are the nodes */
    int32_t n_features;
    int32_t n_classes;        /* 0: regression */
    int ploidy, base;         /* of genotypes */
    const float *features;    /* (M, F). One of features, dosage, sparse and write is set */
    const int8_t *dosage;     /* (M, F); the builder computes the fill */
    const struct csr *sparse; /* (M, F) */
    int32_t n_fixed;
    const double *fixed;            /* (N, q) or NULL */
    const int32_t *fixed_factor;    /* [q] */
    const char *const *fixed_names; /* [q] */
    /* Writes dosage and fill, or features, into the block, so that they are never in memory
     * twice. */
    void (*write)(void *arg, int8_t *dosage, float *fill, float *features);
    void *write_arg;
    bool writes_dosage;
    const float *target;        /* [N] or NULL */
    const int32_t *label;       /* [N] or NULL */
    const int64_t *graph_start; /* [N + 1]; NULL: samples are nodes */
    int64_t n_edges;
    const int32_t *edge_source;
    const int32_t *edge_target;
    const float *edge_weight;
    const uint8_t *part;  /* [N] or NULL */
    const int32_t *group; /* [N] or NULL */
    int32_t n_groups;
    const char *const *group_names;   /* [n_groups] */
    const char *const *ids;           /* [N] */
    const char *const *feature_names; /* [F] or NULL */
    const char *const *class_names;   /* [C] */
    const char *const *alleles;       /* [F], "" where unknown; or NULL */
    const char *const *marker_ids;    /* [F], "" where unknown; or NULL */
};

/* Copy a draft into a block and view it. Pair with dataset_release(). -1 and err: no memory, or names
 * of over 4 GiB. */
int draft_build(struct dataset *out, const struct draft *draft, struct err *err);

#endif
