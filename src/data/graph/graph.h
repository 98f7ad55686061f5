/* SPDX-License-Identifier: BSD-3-Clause */
/* Builds graphs from samples. */
#ifndef DATA_GRAPH_GRAPH_H
#define DATA_GRAPH_GRAPH_H

#include "data/graph/similarity.h"

/* The most similar samples of each sample. graph_cut() makes the knn graph for any smaller k from
 * them. */
struct neighbour {
    double similarity;
    int32_t sample;
};

struct neighbours {
    struct neighbour *best; /* (n_samples, k) most similar first, ties to the smaller index */
    int32_t n_samples;
    int32_t k;
};

/* k is in [1, N - 1]. Pair with neighbours_release(); after an error nothing is held. -1 and err if
 * k is out of range or a similarity is not finite, or like similarity_init(). */
int neighbours_find(struct neighbours *out, const struct dataset *d, enum graph_metric metric,
                    int32_t k, struct err *err);
void neighbours_release(struct neighbours *neighbours);

/* Find at least k, unless n (inout, same data and metric, zeroed at first) holds them, with room
 * for larger k. Errors like neighbours_find(); n is then empty. */
int neighbours_grow(struct neighbours *n, const struct dataset *d, enum graph_metric metric,
                    int32_t k, struct err *err);

enum graph_build { GRAPH_KNN, GRAPH_THRESHOLD, GRAPH_FILE, GRAPH_NONE };
enum graph_weights { GRAPH_BINARY, GRAPH_SIMILARITY };

struct graph_spec {
    enum graph_build build;
    enum graph_metric metric;
    enum graph_weights weights; /* similarity: edges <= 0 are dropped */
    int32_t k;                  /* knn: in [1, N - 1] */
    double threshold;           /* threshold: least similarity */
};

/* out = symmetric adjacency A (N, N), zero diagonal, positive weights. knn joins i and j if either
 * is among the k samples most similar to the other (ties to the smaller index). Pair with
 * csr_release(). -1 and err if k is too large, no edges were given, a sparse data set has none, or
 * kinship gets values that are not dosages. */
int graph_build(struct csr *out, const struct dataset *d, const struct graph_spec *spec,
                struct err *err);

/* Make the adjacency of graph i alone, its nodes numbered from 0. Pair with csr_release(). */
int graph_one(struct csr *out, const struct dataset *d, int32_t i, struct err *err);

/* k is in [1, n->k]. The result is that of graph_build(). Pair with csr_release(). */
int graph_cut(struct csr *out, const struct neighbours *n, int32_t k, enum graph_weights weights,
              struct err *err);

int32_t graph_components(const struct csr *a, struct err *err);

struct graph_degrees {
    int64_t least, most;
    int32_t n_alone; /* without a neighbour */
};

/* degree: out [n_rows], or NULL. */
void graph_count_degrees(struct graph_degrees *out, int64_t *degree, const struct csr *a);

/* New samples, joined to a graph by the rule that made it. */

struct attached_edge {
    int32_t sample; /* of the data */
    float weight;   /* positive */
};

/* New sample i has edge[start[i]] to edge[start[i + 1] - 1], samples ascending. */
struct attached {
    int64_t *start; /* [n + 1] */
    struct attached_edge *edge;
};

/* Join each new sample to samples of the data. knn: to the k most similar, ties to the smaller
 * index (see similarity_rows()). threshold: to all that are similar enough. Kinship uses the data's
 * allele frequencies. New samples are not joined to each other.
 *   x  in  (n, F) features coded like the data, missing ones filled in
 * Costs n N F flop. Pair with attached_release(), also after a failure. -1 and err if memory is
 * short or a similarity is not finite, or like similarity_init(). */
int attach(struct attached *out, const struct dataset *d, const struct graph_spec *spec,
           const struct mat *x, struct err *err);
void attached_release(struct attached *a);

#endif
