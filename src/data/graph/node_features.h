/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DATA_GRAPH_NODE_FEATURES_H
#define DATA_GRAPH_NODE_FEATURES_H

#include "data/core/columns.h"
#include "data/core/data_report.h"
#include "data/text/names.h"
#include "data/text/table.h"
#include "tensor/csr.h"

struct node_features {
    bool is_sparse;
    int32_t n;            /* F */
    struct columns dense; /* rows are nodes */
    struct csr sparse;
    const char *const *name; /* [n] borrowed from below; NULL: features are numbered */
    struct table table;      /* owns names of dense features */
    struct names listed;     /* names of sparse features */
};

/* A table is sparse if it has two or three columns and the second is named "feature": node, feature
 * and optionally value (default 1). If all feature names are whole numbers below 10^7, they are
 * column numbers, and F is the largest plus 1; otherwise names become columns by first appearance.
 * Any other table is dense: node, then a column for each feature, with a row for each node. Missing
 * values get the column's mean and are counted.
 *
 * Pair with node_features_release(). -1 and err if a node is unknown or has no row (dense), a pair
 * is listed twice (sparse), or a cell is not a number. */
int node_features_read(struct node_features *out, const char *path, const struct names *nodes,
                       const char *nodes_path, struct data_report *report, struct err *err);
bool node_features_is_listed(const struct table *t);
void node_features_release(struct node_features *features);

#endif
