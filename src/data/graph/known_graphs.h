/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts new graphs that the data already contain (data/core/colouring.h). */
#ifndef DATA_GRAPH_KNOWN_GRAPHS_H
#define DATA_GRAPH_KNOWN_GRAPHS_H

#include "data/core/dataset.h"

struct known_graphs {
    uint64_t *colour; /* [n] colours of the data's graphs, ascending; owned */
    int32_t n;
};

/* Pair with known_graphs_release(). */
int known_graphs_init(struct known_graphs *k, const struct dataset *data, struct err *err);
void known_graphs_release(struct known_graphs *k);

/* Returns how many of these graphs are in the data. */
int32_t known_graphs_count(const struct known_graphs *k, const struct dataset *graphs,
                           struct err *err);

#endif
