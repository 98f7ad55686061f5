/* SPDX-License-Identifier: BSD-3-Clause */
/* The features of a graph's nodes, listed (sparse) or as a full table (dense). */
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
    struct columns dense; /* rows in the order of the nodes */
    struct csr sparse;
    const char *const *name; /* [n] borrowed from the members below; NULL: features are numbered */
    struct table table;      /* open: it owns the names of dense features */
    struct names listed;     /* what sparse features are called, by first appearance */
};

/* Sparse if the table has two or three columns and the second is named "feature": node, feature
 * and optionally value; what is not listed is 0, the value without a third column is 1. Feature
 * names that are all whole numbers below 10^7 are column numbers, F the largest plus 1; other
 * names become columns by first appearance. Anything else is dense: node, then a column for each
 * feature, and a row for each node; missing values are imputed to the column's mean and counted.
 * Pair with node_features_release(). -1 and err: an unknown node, a node without a row (dense), a
 * pair listed twice (sparse), a cell that is not a number. */
int node_features_read(struct node_features *out, const char *path, const struct names *nodes,
                       const char *nodes_path, struct data_report *report, struct err *err);
/* Whether an open table has the form of sparse ones. */
bool node_features_is_listed(const struct table *t);
void node_features_release(struct node_features *features); /* takes a zeroed one */

#endif
