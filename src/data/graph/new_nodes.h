/* SPDX-License-Identifier: BSD-3-Clause */
/* New nodes for a graph of given edges: a table of features in the data's form, and edges that join
 * them to nodes of the data. Features are matched by name. Listed features that the data lack are
 * dropped. A full table must have every feature; a missing cell gets the data's mean. Nodes of the
 * data and edges between new nodes are ignored: a prediction depends only on the data and the node
 * itself. */
#ifndef DATA_GRAPH_NEW_NODES_H
#define DATA_GRAPH_NEW_NODES_H

#include "data/core/data_report.h"
#include "data/core/id_join.h"
#include "data/graph/graph.h"
#include "data/text/names.h"

struct new_nodes {
    const struct dataset *data; /* borrowed */
    struct names nodes;         /* of the data, then the new ones */
    struct id_join join;        /* of the table of features with nodes of the data */
    int32_t n;                  /* of new nodes */
    struct csr listed;          /* (n, F) or empty */
    float *table;               /* (n, F) or NULL */
    struct attached edges;

    struct data_report report; /* of ids and columns in another spelling */
    int64_t n_known;           /* rows of nodes of the data */
    int64_t n_unknown;         /* listed features, dropped */
    int64_t n_missing;         /* cells of a full table */
    int64_t n_between;         /* ignored edges between new nodes */
    int64_t n_within;          /* ignored edges between known nodes */
    int32_t n_alone;           /* without an edge to the data */
};

/* edges may be NULL. Pair with new_nodes_release(), also after a failure. -1 and err if a file is
 * faulty or has no new node. */
int new_nodes_read(struct new_nodes *out, const struct dataset *data, const char *features,
                   const char *edges, struct err *err);
void new_nodes_release(struct new_nodes *n);

/* Get nodes [first, first + x->n_rows): x out (., F); edges is a view, for whose start the caller
 * provides room [x->n_rows + 1]. */
void new_nodes_take(struct mat *x, struct attached *edges, const struct new_nodes *n,
                    int32_t first);

#endif
