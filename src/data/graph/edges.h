/* SPDX-License-Identifier: BSD-3-Clause */
/* Edges while they are read: as pairs of node numbers, or from a table. */
#ifndef DATA_GRAPH_EDGES_H
#define DATA_GRAPH_EDGES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "data/core/builder.h"
#include "data/core/data_report.h"
#include "data/text/names.h"

/* A pair of nodes, given in whatever order and direction. */
struct pair {
    int32_t low; /* the smaller node */
    int32_t high;
    bool is_backward; /* it was given as (high, low) */
};

/* Zero-initialise to begin. */
struct pairs {
    struct pair *item; /* owned */
    int64_t n;
    int64_t capacity;
    int64_t n_self_loops; /* given, and not kept */
    int64_t n_duplicates; /* the same pair again in the same direction, not kept */
    int64_t n_one_way;    /* of those kept, the ones given in one direction alone */
    int32_t *source;      /* [n] after pairs_finish(): each undirected edge once, sorted */
    int32_t *target;
    float *weight; /* [n] 1 */
};

void pairs_release(struct pairs *pairs); /* takes a zeroed one */

/* -1 and err when memory is short. */
int pairs_add(struct pairs *pairs, int32_t from, int32_t to, struct err *err);

/* Sort, count what is there more than once, and make the arrays in the place of item. */
int pairs_finish(struct pairs *pairs, struct err *err);

void pairs_into(struct draft *draft, const struct pairs *pairs); /* lends the arrays */

/* Each undirected edge once, source < target, sorted; all arrays owned. */
struct edges {
    int64_t n;
    int32_t *source; /* [n] */
    int32_t *target; /* [n] */
    float *weight;   /* [n] 1 where the table has no third column */
};

/* Two columns of ids of nodes, which are listed in the file `nodes_path`, and an optional third:
 * weight. A pair may be listed again, in either direction, with the same weight. Self loops and
 * repeats are dropped and counted in report.
 * Pair with edges_release(). -1 and err: an unknown node, a weight that is not positive, another
 * weight for a pair, a first row of ids where the header should be. */
int edges_read(struct edges *out, const char *path, const struct names *nodes,
               const char *nodes_path, struct data_report *report, struct err *err);
void edges_release(struct edges *edges); /* takes a zeroed one */

#endif
