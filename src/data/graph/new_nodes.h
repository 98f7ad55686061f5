/* SPDX-License-Identifier: BSD-3-Clause */
/* New nodes for a graph that was given as edges (data.format = graph): a table of their features,
 * in the same form as the data's, and the edges that join them to nodes of the data.
 *
 * Features are matched by name. Listed features that the data do not have are dropped and counted.
 * A full table must have a column for every feature of the data; a missing cell gets the data's
 * mean. Nodes of the data and edges between two new nodes are ignored: the prediction for a node
 * depends only on the data and on that node. */
#ifndef DATA_GRAPH_NEW_NODES_H
#define DATA_GRAPH_NEW_NODES_H

#include "data/graph/graph.h"
#include "data/text/names.h"

struct new_nodes {
    const struct dataset *data; /* borrowed */
    struct names nodes;         /* nodes of the data, then the new ones */
    int32_t n;                  /* number of new nodes */
    struct csr listed;          /* (n, F) if the data are sparse, else empty */
    float *table;               /* (n, F) if the data are dense */
    struct attached edges;      /* of the new nodes, without inverse_root */

    int64_t n_known;   /* rows for nodes of the data */
    int64_t n_unknown; /* listed features that the data do not have */
    int64_t n_missing; /* missing cells of a full table */
    int64_t n_between; /* ignored edges between new nodes */
    int64_t n_within;  /* ignored edges between nodes of the data */
    int32_t n_alone;   /* new nodes without an edge to the data */
};

/* Read the tables. edges NULL: no edges. Pair with new_nodes_release(), also after a failure. -1
 * and err if a file is faulty or has no new node, an edge names a node that is neither new nor in
 * the data, or a column is missing. */
int new_nodes_read(struct new_nodes *out, const struct dataset *data, const char *features,
                   const char *edges, struct err *err);
void new_nodes_release(struct new_nodes *n);

const char *new_nodes_id(const struct new_nodes *n, int32_t i);

/* Get the new nodes [first, first + x->n_rows): x out (., F). edges is a view of their edges; the
 * caller provides room for [x->n_rows + 1] in its start. */
void new_nodes_take(struct mat *x, struct attached *edges, const struct new_nodes *n,
                    int32_t first);

#endif
