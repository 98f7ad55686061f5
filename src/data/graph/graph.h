/* SPDX-License-Identifier: BSD-3-Clause */
/* How samples become a graph. */
#ifndef DATA_GRAPH_GRAPH_H
#define DATA_GRAPH_GRAPH_H

#include "data/graph/similarity.h"

/* The most similar samples of each sample, from which the nearest-neighbour graph of any smaller k
 * is cut (graph_cut()): products of all pairs are made once for all k and all weights. */
struct neighbour {
    double similarity;
    int32_t sample;
};

struct neighbours {
    struct neighbour *best; /* (n_samples, k) the most similar first, ties to the smaller index */
    int32_t n_samples;
    int32_t k;
};

/* The k nearest of each sample, k in [1, N - 1]. Pair with neighbours_release(); after an error
 * nothing is held. -1 and err: k out of range, or as similarity_init(), or a similarity that is
 * not finite. */
int neighbours_find(struct neighbours *out, const struct dataset *d, enum graph_metric metric,
                    int32_t k, struct err *err);
void neighbours_release(struct neighbours *neighbours); /* takes a zeroed one */

/* At least the k nearest: n (inout) is kept if it holds as many, of the same data and metric, else
 * found anew with room for larger k to come. Begin with a zeroed one. Errors as above, n is then
 * empty. */
int neighbours_grow(struct neighbours *n, const struct dataset *d, enum graph_metric metric,
                    int32_t k, struct err *err);

enum graph_build { GRAPH_KNN, GRAPH_THRESHOLD, GRAPH_FILE, GRAPH_NONE };
enum graph_weights { GRAPH_BINARY, GRAPH_SIMILARITY };

struct graph_spec {
    enum graph_build build;
    enum graph_metric metric;
    enum graph_weights weights; /* similarity: the metric's value, where positive, else dropped */
    int32_t k;                  /* knn: neighbours of each sample, in [1, N - 1] */
    double threshold;           /* threshold: least similarity of an edge */
};

/* out = symmetric adjacency A (N, N), zero diagonal, positive weights. knn: i and j are joined if
 * either is among the other's k most similar (ties to the smaller index). What similar means and
 * costs: similarity.h. Pair with csr_release(). -1 and err: k too large, no edges given, a sparse
 * data set without given edges, kinship of values outside [0, 2]. */
int graph_build(struct csr *out, const struct dataset *d, const struct graph_spec *spec,
                struct err *err);

/* Where samples are graphs: graph i alone, its nodes numbered from 0, by its own edges. Pair with
 * csr_release(). -1 and err when memory is short. */
int graph_one(struct csr *out, const struct dataset *d, int32_t i, struct err *err);

/* The knn graph of k (in [1, n->k]) from neighbours found before: the one that graph_build() makes
 * of the same data and metric. Pair with csr_release(). -1 and err when memory is short. */
int graph_cut(struct csr *out, const struct neighbours *n, int32_t k, enum graph_weights weights,
              struct err *err);

/* Connected components of a symmetric adjacency, for `inspect`. */
int32_t graph_components(const struct csr *a, struct err *err);

/* New samples and the graph of a data set: which of its samples each of them would be joined to, by
 * the rule that made the graph. */

struct attached_edge {
    int32_t sample; /* of the data */
    float weight;   /* positive */
};

/* Edges of new sample i: edge[start[i]] to edge[start[i + 1] - 1], samples ascending. */
struct attached {
    int64_t *start; /* [n + 1] */
    struct attached_edge *edge;
    double *inverse_root; /* [N] 1 / sqrt(degree + 1) of the data's samples */
};

/* knn: the k most similar samples of the data, ties to the smaller index (what ties to the last
 * bit: similarity_rows()); threshold: all that are as similar. data/graph/similarity.h defines
 * similar; allele frequencies of kinship are the data's. New samples have no edges among them.
 *
 *   a_hat  in  (N, N) normalised adjacency of the data, for the degrees
 *   x      in  (n, F) features as the data have them, missing ones filled in
 *
 * Costs n N F flop. Pair with attached_release(), also after a failure. -1 and err when memory is
 * short, a similarity is not finite, or as similarity_init(). */
int attach(struct attached *out, const struct dataset *d, const struct graph_spec *spec,
           const struct csr *a_hat, const struct mat *x, struct err *err);

/* The same where the graph was given as edges: those of the new samples are given, too.
 *   given  in  of n new samples, sorted, without inverse_root */
int attach_given(struct attached *out, const struct csr *a_hat, const struct attached *given,
                 int32_t n, struct err *err);
void attached_release(struct attached *a); /* takes a zeroed one */

#endif
