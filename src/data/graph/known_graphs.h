/* SPDX-License-Identifier: BSD-3-Clause */
/* Graphs that a data set has already. */
#ifndef DATA_GRAPH_KNOWN_GRAPHS_H
#define DATA_GRAPH_KNOWN_GRAPHS_H

#include "data/core/dataset.h"

/* Two graphs are the same, whatever the order of nodes, where 8 rounds of colouring nodes by their
 * features and their neighbours' colours (Weisfeiler & Leman 1968) do not tell them apart; then no
 * model of up to 8 layers does (Xu et al. 2019, arXiv:1810.00826). Graphs that are alike are
 * compared node by node. */
struct known_graphs {
    uint64_t *colour; /* [n] of the data's graphs, ascending; owned */
    int32_t n;
};

/* Pair with known_graphs_release(). -1 and err when memory is short. */
int known_graphs_init(struct known_graphs *k, const struct dataset *data, struct err *err);
void known_graphs_release(struct known_graphs *k); /* takes a zeroed one */

/* How many of these are in the data. -1 and err when memory is short. */
int32_t known_graphs_count(const struct known_graphs *k, const struct dataset *graphs,
                           struct err *err);

#endif
