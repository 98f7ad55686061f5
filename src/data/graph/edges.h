/* SPDX-License-Identifier: BSD-3-Clause */
/* Collects edges, as pairs of node numbers or from a table. */
#ifndef DATA_GRAPH_EDGES_H
#define DATA_GRAPH_EDGES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "data/core/builder.h"
#include "data/core/data_report.h"
#include "data/text/names.h"

/* A pair of nodes in any order. */
struct pair {
    int32_t low; /* smaller node */
    int32_t high;
    bool is_backward; /* given as (high, low) */
};

/* Zero-initialise to begin. */
struct pairs {
    struct pair *item; /* owned */
    int64_t n;
    int64_t capacity;
    int64_t n_self_loops; /* dropped */
    int64_t n_duplicates; /* in the same direction */
    int64_t n_one_way;    /* kept, though given once */
    int32_t *source;      /* [n] after pairs_finish(), as in struct edges */
    int32_t *target;
    float *weight; /* [n] 1 */
};

void pairs_release(struct pairs *pairs);

int pairs_add(struct pairs *pairs, int32_t from, int32_t to, struct err *err);

/* Sort, drop and count repeats, and replace item by the arrays. */
int pairs_finish(struct pairs *pairs, struct err *err);

void pairs_into(struct draft *draft, const struct pairs *pairs); /* lends the arrays */

/* Each undirected edge once, source < target, sorted. All arrays are owned. */
struct edges {
    int64_t n;
    int32_t *source; /* [n] */
    int32_t *target; /* [n] */
    float *weight;   /* [n] default 1 */
};

/* Read two columns of node ids, of the file `nodes_path`, and optionally a weight. Self loops and
 * repeated pairs, which must have the same weight, are dropped and counted. Pair with
 * edges_release(). -1 and err if a node is unknown, a weight is not positive, or the table is
 * faulty. */
int edges_read(struct edges *out, const char *path, const struct names *nodes,
               const char *nodes_path, struct data_report *report, struct err *err);
void edges_release(struct edges *edges);

#endif
