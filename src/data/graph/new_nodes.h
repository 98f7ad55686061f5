/* SPDX-License-Identifier: BSD-3-Clause */
/* New nodes for a graph that was given as edges (data.format = graph): their features in a table of
 * the form that the data's has, and the edges that join them to its nodes.
 *
 * Features are found by name: of listed ones those that the data have not are dropped and counted,
 * of a full table every one of the data's must have its column, and a missing cell is the data's
 * mean. Nodes of the data are left out. Edges between two new nodes are, too: what is predicted for
 * a node depends on the data and on itself. */
#ifndef DATA_GRAPH_NEW_NODES_H
#define DATA_GRAPH_NEW_NODES_H

#include "data/graph/graph.h"
#include "data/text/names.h"

struct new_nodes {
    const struct dataset *data; /* borrowed */
    struct names nodes;         /* the data's, then the new ones */
    int32_t n;                  /* new ones */
    struct csr listed;          /* (n, F) where the data are sparse, else empty */
    float *table;               /* (n, F) where they are not */
    struct attached edges;      /* of the new nodes, without inverse_root */

    int64_t n_known;   /* rows of nodes of the data */
    int64_t n_unknown; /* listed features that the data have not */
    int64_t n_missing; /* cells of a full table */
    int64_t n_between; /* edges between new nodes */
    int64_t n_within;  /* edges between nodes of the data: they are not read */
    int32_t n_alone;   /* nodes without an edge to the data */
};

/* edges NULL: there are none. Pair with new_nodes_release(), also after a failure. -1 and err: a
 * file is faulty, has no new node, an edge of a node that is neither new nor of the data; a column
 * is absent. */
int new_nodes_read(struct new_nodes *out, const struct dataset *data, const char *features,
                   const char *edges, struct err *err);
void new_nodes_release(struct new_nodes *n); /* takes a zeroed one */

const char *new_nodes_id(const struct new_nodes *n, int32_t i);

/* Nodes [first, first + x->n_rows): x out (., F); edges are theirs, a view, and their start is room
 * [x->n_rows + 1] that the caller gives. */
void new_nodes_take(struct mat *x, struct attached *edges, const struct new_nodes *n,
                    int32_t first);

#endif
