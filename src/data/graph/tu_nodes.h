/* SPDX-License-Identifier: BSD-3-Clause */
/* The features of the nodes of a TUDataset: labels one-hot, attributes as they are. */
#ifndef DATA_GRAPH_TU_NODES_H
#define DATA_GRAPH_TU_NODES_H

#include "data/core/builder.h"
#include "data/graph/edges.h"

/* One-hot columns beyond this are taken for a mistake: labels that are measurements. */
#define TU_MAX_LABELS 10000

struct tu_nodes {
    int32_t n_features; /* F */
    int8_t *one_hot;    /* (M, F), where there are labels alone; else NULL, and */
    float *v;           /* (M, F) labels first, then attributes */
    char **name;        /* [F] owned: label=VALUE, attributeN, degree */
    int64_t n_unknown;  /* node labels that `like` has not: zeros stand for them */
    double unknown;     /* the first of them, and its row, from 1 */
    int64_t unknown_row;
};

/* Rows of both files are nodes, in their order; each path may be NULL, not both. Labels: whole
 * numbers, whichever; each column that has one is one-hot, its values ascending. Attributes:
 * numbers. like: data whose columns these are to be, NULL: none. Pair with tu_nodes_release(). -1
 * and err: not n_nodes rows (which `nodes_path` lists), a cell that is no such number, more than
 * TU_MAX_LABELS values, other columns of labels or attributes than like has. */
int tu_nodes_read(struct tu_nodes *out, const char *labels, const char *attributes, int32_t n_nodes,
                  const char *nodes_path, const struct dataset *like, struct err *err);

/* Of data that were read so: columns of node labels and of attributes; neither: degrees. */
void tu_nodes_columns(int32_t *n_labels, int32_t *n_attributes, const struct dataset *like);

/* For sets that have neither: how many neighbours a node has. */
int tu_nodes_degrees(struct tu_nodes *out, const struct pairs *edges, int32_t n_nodes,
                     struct err *err);

void tu_nodes_release(struct tu_nodes *nodes);                         /* takes a zeroed one */
void tu_nodes_into(struct draft *draft, const struct tu_nodes *nodes); /* lends the arrays */

#endif
