/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds new graphs that models cannot tell from those of the data (data/core/colouring.h). */
#ifndef DATA_GRAPH_KNOWN_GRAPHS_H
#define DATA_GRAPH_KNOWN_GRAPHS_H

#include "data/core/dataset.h"

struct known_graph {
    uint64_t colour;
    int32_t sample;
    uint8_t part; /* enum part: how models know it */
};

struct known_graphs {
    const struct dataset *data; /* borrowed */
    struct known_graph *graph;  /* [n] by colour, then part; owned */
    int32_t n;
};

/* part: [n_samples] of the data's graphs. Pair with known_graphs_release(). */
int known_graphs_init(struct known_graphs *k, const struct dataset *data, const uint8_t *part,
                      struct err *err);
void known_graphs_release(struct known_graphs *k);

/* part: out [n_samples] that of the equal graph of the data with the same id, which is the same
 * sample; else PART_TRAIN if an equal one has it, else the least; PART_NONE if none is equal. Returns
 * how many are in the data. */
int32_t known_graphs_find(uint8_t *part, const struct known_graphs *k, const struct dataset *graphs,
                          struct err *err);

#endif
