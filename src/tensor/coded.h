/* SPDX-License-Identifier: BSD-3-Clause */
/* Products of matrices in which neighbouring columns share few combinations of values, such as
 * genotypes. They take a sixth of the time of dense products on 1058 accessions x 984 SNPs (Zen 5), and
 * gain nothing on unlinked markers, which stay dense.
 *
 * Consecutive columns with at most `limit` combinations form a group. For a product with w, a table
 * holds the sum of each combination over the group's rows of w, and each row of the matrix adds one
 * table entry a group. The transposed product first sums rows of equal combination. A group's
 * combinations form a tree, so a table costs about one addition an entry. Results equal dense
 * products up to the order of summation.
 * Sources: tables of sums: Arlazarov, Dinic, Kronrod & Faradzev 1970, Soviet Math Dokl 11:1209; for
 * genotypes Liberty & Zucker 2009, Inf Process Lett 109:179. */
#ifndef TENSOR_CODED_H
#define TENSOR_CODED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "tensor/mat.h"

#define CODED_ENTRIES 512    /* in the tables of a panel: 32 kB */
#define CODED_LEAST_LIMIT 32 /* limits are powers of 2 ... */
#define CODED_MOST_LIMIT 256 /* ... in this range */

/* Group g has columns column[g] .. column[g + 1] - 1 and entries entry[g] .. entry[g + 1] - 1.
 * Entries below count from 0 within the group, except with (all).
 *   entry 0      value base[j] in each column j of the group
 *   entry e > 0  its parent's values, plus item_delta in column item_column for the items
 *                item[e] .. item[e + 1] - 1 (all); parent[e] < e
 * Row i of the matrix has entry code[(g / panel * n_rows + i) * panel + g % panel] in group g;
 * unused bytes are 0. Rows of entry e (all): run[run_start[e]] .. run[run_start[e + 1] - 1],
 * ascending. */
struct coded {
    int32_t n_rows, n_cols;
    int32_t n_groups;
    int32_t n_entries, n_items; /* of all groups */
    int32_t panel;              /* CODED_ENTRIES / limit */
    int32_t *column;            /* [n_groups + 1] */
    int32_t *entry;             /* [n_groups + 1] */
    float *base;                /* [n_cols] */
    uint8_t *parent;            /* [n_entries] */
    int32_t *item;              /* [n_entries + 1] */
    int32_t *item_column;       /* [n_items] */
    float *item_delta;          /* [n_items] */
    uint8_t *code;              /* [coded_code_bytes()] */
    int32_t *run_start;         /* [n_entries + 1] */
    int32_t *run;               /* [n_groups * n_rows] */
};

/* The arrays of *c and their lengths. */
#define CODED_ARRAYS(X, c)           \
    X(column, (c)->n_groups + 1)     \
    X(entry, (c)->n_groups + 1)      \
    X(base, (c)->n_cols)             \
    X(parent, (c)->n_entries)        \
    X(item, (c)->n_entries + 1)      \
    X(item_column, (c)->n_items)     \
    X(item_delta, (c)->n_items)      \
    X(code, coded_code_bytes(c))     \
    X(run_start, (c)->n_entries + 1) \
    X(run, (size_t)(c)->n_groups *(size_t)(c)->n_rows)

/* read() fills out (n_rows, n) with columns from `first`, in ascending order, once to count and
 * once to make. */
struct coded_source {
    int32_t n_rows, n_cols;
    int (*read)(const void *self, struct mat *out, int32_t first, struct err *err);
    const void *self;
};

/* Choose the limit with the cheapest products and compute shapes, without arrays; nothing to
 * release. Returns
 *   1   counted
 *   0   unsuitable: a column has more than CODED_MOST_LIMIT values, or both products
 *       (coded_cost() of all rows + coded_cost_tn()) cost more than `most`
 *   -1  and err: out of memory, or an error of the source */
int coded_count(struct coded *c, const struct coded_source *source, double most, struct err *err);
/* Build what coded_count() counted. -1 and err as above; c then holds nothing. */
int coded_make(struct coded *c, const struct coded_source *source, struct err *err);
void coded_release(struct coded *c);

size_t coded_code_bytes(const struct coded *c);
size_t coded_bytes(const struct coded *c);

/* z (n, W) = rows rows[i] (NULL: i) of the matrix times w (F, W). Groups add in ascending order: a
 * row's result depends on neither other rows nor threads. */
void coded_product(struct mat *z, const struct coded *c, const int32_t *rows, const struct mat *w);

/* dw (F, W) = rows begin ... end - 1 of the matrix transposed times a matrix (N, W) whose row i is
 * row pos[i] of g (pos NULL: row i), or zero for pos[i] < 0. */
void coded_product_tn(struct mat *dw, const struct coded *c, const struct mat *g,
                      const int32_t *pos, int32_t begin, int32_t end);

/* Multiply-adds of a dense product (on a Zen 5) that cost as much as n rows, or a transposed
 * product, for one column of the result. */
double coded_cost(const struct coded *c, int32_t n);
double coded_cost_tn(const struct coded *c);

/* Flops for one column of the result. */
double coded_flops(const struct coded *c, int32_t n);
double coded_flops_tn(const struct coded *c);

#endif
