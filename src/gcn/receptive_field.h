/* SPDX-License-Identifier: BSD-3-Clause */
/* The receptive field of a batch: the rows that each layer must compute.
 *
 * Level L (the number of layers) holds the batch's nodes, level l - 1 every node with an entry in
 * A^'s rows of level l. Nothing is sampled: gradients are exact. A level with most samples is
 * rounded up to all, which costs less than picking rows; the added rows count in the statistics of
 * a batch normalisation.
 *
 * Example: on the chain 0 - 1 - 2 - 3 - 4 a batch of node 0 with two layers has the levels {0},
 * {0, 1} and {0, 1, 2}: the first layer computes two rows, from the inputs of three nodes.
 *
 * If samples are graphs, all levels hold the nodes of the batch's graphs, in the given order
 * (doc/decisions/0026). */
#ifndef GCN_RECEPTIVE_FIELD_H
#define GCN_RECEPTIVE_FIELD_H

#include "base/arena.h"
#include "data/core/dataset.h"
#include "tensor/csr.h"

/* A level with a larger share of the nodes is rounded up. */
#define RECEPTIVE_FIELD_WHOLE 0.9

struct level {
    int32_t n;
    int32_t *rows; /* [n] ascending, or in the order of the graphs */
    /* [M] place in rows; -1 if absent, or undefined if samples are graphs. */
    int32_t *pos;
    int64_t entries; /* of A^ in these rows */
    int32_t *first;  /* [W + 1] of a divided field: first row of each worker */
};

/* The rows begin ... begin + n - 1 of a level. */
struct span {
    int32_t begin, n;
    const int32_t *rows; /* [n] their nodes; NULL: row i is node i, for all rows of the level */
};

struct division;

struct receptive_field {
    int32_t n_layers;
    int32_t n_nodes;     /* M */
    struct level *level; /* [n_layers + 1] */

    const struct division *division; /* of its rows (division.h); borrowed; NULL: undivided */

    /* NULL unless samples are graphs. */
    const int64_t *graph_start; /* [N + 1] of the dataset; borrowed */
    const int32_t *graphs;      /* [n_graphs] of the batch; borrowed */
    int32_t n_graphs;
    int32_t *start; /* [n_graphs + 1] rows of each graph */
};

/* Take 8 N (n_layers + 1) bytes from scratch. */
int receptive_field_init(struct receptive_field *field, int32_t n_samples, int32_t n_layers,
                         struct arena *scratch, struct err *err);

/* The same for graphs, in batches of at most `capacity` nodes. Takes 4 bytes for each node of the
 * data, each node of the capacity and each graph. */
int receptive_field_init_graphs(struct receptive_field *field, const struct dataset *data,
                                int32_t capacity, int32_t n_layers, struct arena *scratch,
                                struct err *err);

/* Call before the first build. Takes memory from scratch. */
int receptive_field_divide(struct receptive_field *field, const struct division *division,
                           struct arena *scratch, struct err *err);

/* Nodes of the n largest graphs. */
int32_t receptive_field_largest(const struct dataset *data, int32_t n);

/* The nodes are distinct. Allocates nothing. */
void receptive_field_build(struct receptive_field *field, const struct csr *a_hat,
                           const int32_t *nodes, int32_t n);

/* The graphs are distinct and stay borrowed. Allocates nothing. */
void receptive_field_build_graphs(struct receptive_field *field, const struct csr *a_hat,
                                  const int32_t *graphs, int32_t n);

/* Expected samples `down` levels below n, with random neighbours; degree: mean entries in A^'s
 * rows. */
double receptive_field_expected(double n_samples, double degree, double n, int32_t down);

/* The same as receptive_field_build() makes of them. */
double receptive_field_expected_rows(double n_samples, double degree, double n, int32_t n_layers,
                                     int32_t level);

/* A worker's rows, and its rows of the samples with the samples as `rows`. */
struct span receptive_field_span(const struct receptive_field *field, int32_t level,
                                 int32_t worker);
struct span receptive_field_samples_span(const struct receptive_field *field, int32_t worker);

/* NULL if the level holds every node in its own place. */
const int32_t *receptive_field_rows(const struct receptive_field *field, int32_t level);
const int32_t *receptive_field_pos(const struct receptive_field *field, int32_t level);

#endif
