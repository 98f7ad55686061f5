/* New samples and the graph of a data set: which of its samples each of them would be joined to, by
 * the rule that made the graph. */
#ifndef DATA_GRAPH_ATTACH_H
#define DATA_GRAPH_ATTACH_H

#include "data/graph/graph.h"

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
 * bit: similarity_rows()); threshold: all that are
 * as similar. What similar means: data/graph/similarity.h; allele frequencies of kinship are the
 * data's. No edges among new samples. a_hat  (N, N) normalised adjacency of the data, for the
 * degrees x      (n, F) features as the data have them, missing ones filled in Cost n N F flop.
 * Pair with attached_release(), also after a failure. -1 and err when memory is short, a similarity
 * is not finite, or as similarity_init(). */
int attach(struct attached *out, const struct dataset *d, const struct graph_spec *spec,
           const struct csr *a_hat, const struct mat *x, struct err *err);
/* The same where the graph was given as edges: those of the new samples are given, too.
 *   given  in  of n new samples, sorted, without inverse_root */
int attach_given(struct attached *out, const struct csr *a_hat, const struct attached *given,
                 int32_t n, struct err *err);
void attached_release(struct attached *a); /* takes a zeroed one */

#endif
