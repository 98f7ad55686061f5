/* How samples become a graph. */
#ifndef DATA_GRAPH_H
#define DATA_GRAPH_H

#include "data/dataset.h"

enum graph_build { GRAPH_KNN, GRAPH_THRESHOLD, GRAPH_FILE, GRAPH_NONE };
enum graph_metric { GRAPH_COSINE, GRAPH_CORRELATION, GRAPH_KINSHIP };
enum graph_weights { GRAPH_BINARY, GRAPH_SIMILARITY };

struct graph_spec {
    enum graph_build build;
    enum graph_metric metric;
    enum graph_weights weights; /* similarity: the metric's value, where positive, else dropped */
    int32_t k;                  /* knn: neighbours of each sample, in [1, N - 1] */
    double threshold;           /* threshold: least similarity of an edge */
};

/* out = symmetric adjacency A (N, N), zero diagonal, positive weights. knn: i and j are joined if
 * either is among the other's k most similar (ties to the smaller index). Works on row blocks, so
 * that N x N floats are never held at once.
 * cosine, correlation: of the samples' raw feature rows. kinship: VanRaden 2008, J Dairy Sci
 * 91:4414, method 1: Z Z' / (2 sum p (1 - p)), Z = dosage - 2p.
 * Pair with csr_release(). -1 and err: k too large, no edges given, a sparse data set without
 * given edges, kinship of values outside [0, 2]. */
int graph_build(struct csr *out, const struct dataset *d, const struct graph_spec *spec,
                struct err *err);

/* Connected components of a symmetric adjacency, for `inspect`. */
int32_t graph_components(const struct csr *a, struct err *err);

#endif
