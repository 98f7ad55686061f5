/* SPDX-License-Identifier: BSD-3-Clause */
/* The data of a sweep as one immutable block of bytes without pointers. It is built and hashed
 * once, and can be broadcast, mapped or shared. It holds what was read; graphs, splits and scaling
 * are derived from it. */
#ifndef DATA_CORE_DATASET_H
#define DATA_CORE_DATASET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/hash.h"
#include "tensor/csr.h"
#include "tensor/mat.h"

/* NONE: the sweep has no data of its own, because programs run it. */
enum task { TASK_REGRESSION, TASK_CLASSIFICATION, TASK_NONE, TASK_COUNT };
enum part { PART_NONE, PART_TRAIN, PART_VAL, PART_TEST, PART_STOP, PART_COUNT };

const char *task_name(enum task task);  /* "regression", "classification", "none" */
enum task task_parse(const char *name); /* TASK_COUNT: no such task */
const char *part_name(enum part part);  /* "none", "train", "val", "test", "stop" */
enum part part_parse(const char *name); /* PART_COUNT if unknown */
/* The part that a cell of a table means: one of these names in any case, with blanks around it, or
 * a usual other word (valid, validation, dev, training ...). PART_COUNT if unknown. */
enum part part_of_word(const char *cell);

#define DOSAGE_MAX 127
#define DOSAGE_MISSING INT8_MIN

/* A view of a block, valid as long as the block exists. Fields are read-only.
 *
 * Samples are the nodes of one graph, or each is a graph of its own; then graph_start is not NULL,
 * and features and edges belong to the nodes of all graphs. */
struct dataset {
    const void *block; /* 64-byte aligned */
    size_t block_bytes;
    struct hash digest; /* of the block except alleles and marker ids */

    int32_t n_samples;  /* N */
    int32_t n_nodes;    /* M; N where samples are nodes */
    int32_t n_features; /* F */
    int32_t n_fixed;    /* q: columns of fixed effects; 0 without */
    int32_t n_classes;  /* C; 0 except in classification */
    enum task task;
    int ploidy; /* alleles of a call; 0: features are no dosages */
    int base;   /* the least dosage: 0, with the ploidy as the largest; or -1, with 1 */

    /* Features in one of three forms. Read dense ones through dataset_decode(). */
    bool is_sparse;
    const int8_t *dosage;       /* (M, F), DOSAGE_MISSING where missing; NULL unless every value is
                                   a whole number in [-DOSAGE_MAX, DOSAGE_MAX] */
    const float *fill;          /* [F] replaces missing dosages: the mean of the present ones */
    struct mat features;        /* (M, F) other dense values, missing ones imputed; or empty */
    struct csr sparse_features; /* (M, F) where is_sparse; or empty */

    /* Fixed effects (data/core/fixed_columns.h); NULL without. */
    const double *fixed; /* (N, q) numbers; or 1 where a sample has a factor's level, else 0.
                                    A missing number is the mean of its column, a missing level 0 in
                                    each column of the factor */
    const int32_t *fixed_factor; /* [q] 0, 1, ...: number of the factor; -1: a number */

    const float *target;  /* [N] regression, NaN where missing; or NULL */
    const int32_t *label; /* [N] classification, -1 where missing; or NULL */

    const int64_t *graph_start; /* [N + 1] graph i has the nodes from graph_start[i] to below
                                   graph_start[i + 1], at least one; NULL where samples are nodes */
    int64_t n_edges;
    const int32_t *edge_source; /* [n_edges] each undirected edge once, source < target, sorted;
                                   both nodes in one graph */
    const int32_t *edge_target; /* [n_edges] */
    const float *edge_weight;   /* [n_edges] positive */
    const uint8_t *part;        /* [N] enum part; NULL unless tables give the parts */
    const int32_t *group;       /* [N] samples that belong together; -1 where unknown, only for
                                   unlabelled samples; NULL without groups */
    int32_t n_groups;
    const char *const_ids;         /* one after another; use dataset_id() */
    const uint32_t *id_start;      /* [N + 1] offsets */
    const char *const_features;    /* empty where features have no names */
    const uint32_t *feature_start; /* [F + 1] */
    const char *const_classes;
    const uint32_t *class_start;     /* [C + 1] */
    const char *const_alleles;       /* "CHROM\tPOS\tREF\tALT", empty where unknown; NULL if all are
                                        */
    const uint32_t *allele_start;    /* [F + 1] */
    const char *const_marker_ids;    /* rs numbers, empty where unknown; NULL if all are */
    const uint32_t *marker_id_start; /* [F + 1] */
    const char *const_groups;
    const uint32_t *group_start; /* [n_groups + 1] */
    const char *const_fixed;     /* COLUMN, or COLUMN=LEVEL */
    const uint32_t *fixed_start; /* [q + 1] */
    bool owns_block;
};

struct dataset_graph {
    int32_t first_node;
    int32_t n_nodes;
    int64_t n_edges;
    const int32_t *source; /* [n_edges] minus edge_base: nodes of the graph, source < target */
    const int32_t *target;
    const float *weight;
    int32_t edge_base;
};

const char *dataset_id(const struct dataset *d, int32_t sample);
const char *dataset_feature_name(const struct dataset *d, int32_t feature);
const char *dataset_class_name(const struct dataset *d, int32_t label);
const char *dataset_group_name(const struct dataset *d, int32_t group);
const char *dataset_fixed_name(const struct dataset *d, int32_t column);
const double *dataset_fixed(const struct dataset *d, int32_t sample);    /* [q]; NULL without */
const char *dataset_alleles(const struct dataset *d, int32_t feature);   /* "" where unknown */
const char *dataset_marker_id(const struct dataset *d, int32_t feature); /* "" where none */
bool dataset_is_labelled(const struct dataset *d, int32_t sample);
int32_t dataset_count_labelled(const struct dataset *d);

/* Only where samples are graphs. Allocates nothing. */
struct dataset_graph dataset_graph(const struct dataset *d, int32_t i);

/* out (n_rows, n_cols) = dense features from row `row` and column `col`, missing ones
 * filled in. Only if !is_sparse. Allocates nothing, thread-safe; about as fast as
 * writing out. */
void dataset_decode(struct mat *out, const struct dataset *d, int32_t row, int32_t col);

/* out [F] = means of the features over all samples, missing values filled in. Only if !is_sparse and
 * samples are nodes. */
int dataset_means(float *out, const struct dataset *d, struct err *err);

/* View a block of draft_build(), 64-byte aligned. Borrows it. */
void dataset_view(struct dataset *d, const void *block);
/* The same for a block that another rank sent: -1 and err if its bytes do not have its digest. */
int dataset_open(struct dataset *d, const void *block, size_t bytes, struct err *err);

void dataset_release(struct dataset *d);

#endif
