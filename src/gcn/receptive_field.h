/* SPDX-License-Identifier: BSD-3-Clause */
/* The receptive field of a batch: which rows each layer must compute, and no others.
 *
 * Level L (the number of layers) holds the batch's own nodes; level l - 1 holds every node with
 * an entry in A^'s rows of level l, down to level 0, the rows of X W that layer 1 propagates. The
 * gradient over a field is exact: nothing is sampled. Where a level covers most samples it is
 * rounded up to all of them, which costs less than picking rows: their gradients are exact zeros,
 * unless their rows enter the statistics of a batch normalisation (pass.h).
 *
 * Where samples are graphs no edge leaves one, so that every level holds the nodes of the batch's
 * graphs, graph after graph in the order they were named, and all levels are one. A batch then
 * costs what it holds: places of nodes outside it are not cleared, for nobody reads them. */
#ifndef GCN_RECEPTIVE_FIELD_H
#define GCN_RECEPTIVE_FIELD_H

#include "base/arena.h"
#include "data/core/dataset.h"
#include "tensor/csr.h"

struct level {
    int32_t n;
    int32_t *rows; /* [n] ascending; where samples are graphs as above */
    int32_t *pos; /* [M] place in rows, -1 where absent; where samples are graphs undefined there */
    int64_t entries; /* of A^ in these rows */
};

struct receptive_field {
    int32_t n_layers;
    int32_t n_nodes;     /* M */
    struct level *level; /* [n_layers + 1] */

    /* Where samples are graphs; NULL otherwise. */
    const int64_t *graph_start; /* [N + 1] of the dataset; borrowed */
    const int32_t *graphs;      /* [n_graphs] of the batch, borrowed */
    int32_t n_graphs;
    int32_t *start; /* [n_graphs + 1] rows of each graph of the batch */
};

/* Memory from scratch: 8 N (n_layers + 1) bytes. -1 and err when it is short. */
int receptive_field_init(struct receptive_field *field, int32_t n_samples, int32_t n_layers,
                         struct arena *scratch, struct err *err);

/* The same where samples are graphs, for batches of at most `capacity` nodes. Memory: 4 bytes a
 * node of the data, 4 one of the capacity, 4 a graph. */
int receptive_field_init_graphs(struct receptive_field *field, const struct dataset *data,
                                int32_t capacity, int32_t n_layers, struct arena *scratch,
                                struct err *err);

/* The field of n distinct nodes, in any order. Allocates nothing. */
void receptive_field_build(struct receptive_field *field, const struct csr *a_hat,
                           const int32_t *nodes, int32_t n);

/* The field of n distinct graphs, which stay borrowed. Allocates nothing. */
void receptive_field_build_graphs(struct receptive_field *field, const struct csr *a_hat,
                                  const int32_t *graphs, int32_t n);

/* The samples [n] that the field was built for, in the order of the last level's rows: nodes or
 * graphs. */
const int32_t *receptive_field_samples(const struct receptive_field *field);

/* Expected number of samples `down` levels below n, in a graph whose samples have `degree` entries
 * of A^ on average, were neighbours drawn at random. */
double receptive_field_expected(double n_samples, double degree, double n, int32_t down);

/* rows, pos of a level as the kernels take them: NULL where the level holds every node
 * in its own place. */
const int32_t *receptive_field_rows(const struct receptive_field *field, int32_t level);
const int32_t *receptive_field_pos(const struct receptive_field *field, int32_t level);

#endif
