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

#define EDGE_LINE_MAX INT32_MAX

struct edge {
    int32_t low; /* smaller node */
    int32_t high;
    float weight;
    uint32_t line : 31;       /* of a table; 0: none */
    uint32_t is_backward : 1; /* given as (high, low) */
};

/* Zero-initialise to begin. All arrays are owned. */
struct edges {
    struct edge *item; /* [n] until edges_finish() */
    int64_t n;
    size_t capacity;
    int64_t n_self_loops; /* dropped */
    int64_t n_duplicates; /* in the same direction */
    int64_t n_one_way;    /* kept, though given once */
    int32_t *source;      /* [n] after edges_finish(): each edge once, source < target, sorted */
    int32_t *target;
    float *weight;
};

void edges_release(struct edges *edges);

/* Add an edge of weight 1. */
int edges_add(struct edges *edges, int32_t from, int32_t to, struct err *err);

/* Sort, drop and count repeats, and replace item by the arrays. */
int edges_finish(struct edges *edges, struct err *err);

void edges_into(struct draft *draft, const struct edges *edges); /* lends the arrays */

/* Read two columns of node ids, of the file `nodes_path`, and optionally a weight. Self loops and
 * repeated pairs, which must have the same weight, are dropped and counted. Pair with
 * edges_release(). -1 and err if a node is unknown, a weight is not positive, or the table is
 * faulty. */
int edges_read(struct edges *out, const char *path, const struct names *nodes,
               const char *nodes_path, struct data_report *report, struct err *err);

#endif
