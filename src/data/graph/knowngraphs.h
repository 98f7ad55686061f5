/* Graphs that a data set has already. */
#ifndef DATA_GRAPH_KNOWNGRAPHS_H
#define DATA_GRAPH_KNOWNGRAPHS_H

#include "data/core/dataset.h"

/* Two graphs are the same, whatever the order of nodes, where 8 rounds of colouring nodes by their
 * features and their neighbours' colours (Weisfeiler & Leman 1968) do not tell them apart; then no
 * model of up to 8 layers does (Xu et al. 2019, arXiv:1810.00826). Graphs that are alike are
 * compared node by node. */
struct knowngraphs {
    uint64_t *colour; /* [n] of the data's graphs, ascending; owned */
    int32_t n;
};

/* Pair with knowngraphs_release(). -1 and err when memory is short. */
int knowngraphs_init(struct knowngraphs *k, const struct dataset *data, struct err *err);
void knowngraphs_release(struct knowngraphs *k); /* takes a zeroed one */

/* How many of these are in the data. -1 and err when memory is short. */
int32_t knowngraphs_count(const struct knowngraphs *k, const struct dataset *graphs,
                          struct err *err);

#endif
