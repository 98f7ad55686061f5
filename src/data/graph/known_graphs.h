/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts new graphs that the data already contain. */
#ifndef DATA_GRAPH_KNOWN_GRAPHS_H
#define DATA_GRAPH_KNOWN_GRAPHS_H

#include "data/core/dataset.h"

/* Two graphs count as the same if 8 rounds of colour refinement by features and neighbours' colours
 * (Weisfeiler & Leman 1968) do not distinguish them, whatever the order of nodes. No model of up to
 * 8 layers distinguishes them then (Xu et al. 2019, arXiv:1810.00826). Graphs that are alike are
 * compared node by node. */
struct known_graphs {
    uint64_t *colour; /* [n] colours of the data's graphs, ascending; owned */
    int32_t n;
};

/* Pair with known_graphs_release(). */
int known_graphs_init(struct known_graphs *k, const struct dataset *data, struct err *err);
void known_graphs_release(struct known_graphs *k);

/* Return how many of these graphs are in the data. */
int32_t known_graphs_count(const struct known_graphs *k, const struct dataset *graphs,
                           struct err *err);

#endif
