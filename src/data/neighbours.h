/* The most similar samples of each sample, from which the nearest-neighbour graph of any smaller k
 * is cut (graph_cut()): products of all pairs are made once for all k and all weights. */
#ifndef DATA_NEIGHBOURS_H
#define DATA_NEIGHBOURS_H

#include "data/similarity.h"

struct neighbour {
    double similarity;
    int32_t sample;
};

struct neighbours {
    struct neighbour *best; /* (n_samples, k) the most similar first, ties to the smaller index */
    int32_t n_samples;
    int32_t k;
};

/* Offer one more to best[k], the best n so far: returns how many there are now. Of equals the one
 * that was offered first stays in front. */
int32_t neighbours_offer(struct neighbour *best, int32_t n, int32_t k, struct neighbour offered);

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

#endif
