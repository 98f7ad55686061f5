/* SPDX-License-Identifier: BSD-3-Clause */
/* The features of the nodes of a TUDataset: labels one-hot, attributes as they are. */
#ifndef DATA_GRAPH_TU_NODES_H
#define DATA_GRAPH_TU_NODES_H

#include "data/core/builder.h"
#include "data/graph/edges.h"

/* More are likely measurements. */
#define TU_MAX_LABELS 10000

struct tu_nodes {
    int32_t n_features; /* F */
    int8_t *one_hot;    /* (M, F) if there are only labels; or NULL, and */
    float *v;           /* (M, F) labels first */
    struct names name;  /* [F] label=VALUE, attributeN, degree */
    int64_t n_unknown;  /* labels that `like` lacks; they become zeros */
    double unknown;     /* the first of these, and its row from 1 */
    int64_t unknown_row;
};

/* Rows of both files are nodes. One path may be NULL. Labels are whole numbers, one-hot in each
 * column, values ascending. like: data whose columns are used, or NULL. Pair with
 * tu_nodes_release(). -1 and err if a file does not have n_nodes rows (nodes of `nodes_path`) of
 * such numbers, has more than TU_MAX_LABELS labels, or columns differ from those of like. */
int tu_nodes_read(struct tu_nodes *out, const char *labels, const char *attributes, int32_t n_nodes,
                  const char *nodes_path, const struct dataset *like, struct err *err);

/* Counts columns of labels and attributes in such data; both 0: degrees. */
void tu_nodes_columns(int32_t *n_labels, int32_t *n_attributes, const struct dataset *like);

/* Without labels and attributes, the feature is the number of neighbours. */
int tu_nodes_degrees(struct tu_nodes *out, const struct edges *edges, int32_t n_nodes,
                     struct err *err);

void tu_nodes_release(struct tu_nodes *nodes);
void tu_nodes_into(struct draft *draft, const struct tu_nodes *nodes); /* lends the arrays */

#endif
