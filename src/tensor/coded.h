/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrices whose neighbouring columns repeat few combinations of values, such as genotypes, and
 * their products.
 *
 * Markers have two or three values, and neighbours on a chromosome are inherited together: 1058
 * accessions show 45 different haplotypes over 32 markers, where 2^32 are possible. Consecutive
 * columns with at most `limit` combinations between them form a group. For a product with w every
 * combination's sum over the group's rows of w is made once and laid in a table; then each row of
 * the matrix adds one table entry for a whole group, where a dense product multiplies and adds
 * every column. The transposed product goes the other way: rows of equal combination are added up
 * first. The numbers are those of the dense products up to the order of summation.
 *
 * Measured on a Zen 5 for 1058 accessions, 984 neighbouring SNPs and 64 columns of w: 80 us and,
 * for the transposed product, 60 us, against 550 us each (gemm.h). Without any linkage, two values
 * a column: 360 and 415 us; three: no gain.
 *
 * The combinations of a group form a tree: each differs from its parent in few columns, so that a
 * table costs about one addition an entry.
 * Sources: tables of sums: Arlazarov, Dinic, Kronrod & Faradzev 1970, Soviet Math Dokl 11:1209 (the
 * "four Russians"); for genotypes Liberty & Zucker 2009, Inf Process Lett 109:179 (the "mailman").
 */
#ifndef TENSOR_CODED_H
#define TENSOR_CODED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "tensor/mat.h"

#define CODED_ENTRIES 512    /* of the tables in use at a time: 32 kB of first-level cache */
#define CODED_LEAST_LIMIT 32 /* limits are powers of 2 from here ... */
#define CODED_MOST_LIMIT 256 /* ... to here */

/* Group g is columns column[g] .. column[g + 1] - 1 and has entries entry[g] .. entry[g + 1] - 1,
 * counted from 0 within the group in what follows.
 *   entry 0 is base[j] in every column j of the group;
 *   entry e > 0 is its parent's values, plus item_delta in column item_column for each of its
 *   items item[e] .. item[e + 1] - 1 (e counted over all groups); parent[e] < e.
 * Row i of the matrix has entry code[(g / panel * n_rows + i) * panel + g % panel] of group g;
 * unused bytes are 0. The rows that have entry e (over all groups) are run[run_start[e]] ..
 * run[run_start[e + 1] - 1], ascending. */
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

/* Where the columns come from: fills out (n_rows, n) with columns `first` on. Called once for every
 * column to count and once to make, in ascending order, so that the whole matrix never stands in
 * memory. */
struct coded_source {
    int32_t n_rows, n_cols;
    int (*read)(const void *self, struct mat *out, int32_t first, struct err *err);
    const void *self;
};

/* How large it would be: shapes and panel, without arrays. Enough for the costs below and for
 * coded_bytes(); nothing to release. The limit is the one that makes the products cheapest. 1:
 * counted. 0: not to be made, because some column has more than CODED_MOST_LIMIT values or because
 * the two products would cost more than `most` (coded_cost() of all rows + coded_cost_tn()). -1 and
 * err: memory, or the source's own. */
int coded_count(struct coded *c, const struct coded_source *source, double most, struct err *err);
/* What was counted, made from the same columns: pair with coded_release(). -1 and err as above;
 * nothing is held then. */
int coded_make(struct coded *c, const struct coded_source *source, struct err *err);
/* Both. */
int coded_init(struct coded *c, const struct coded_source *source, double most, struct err *err);
void coded_release(struct coded *c); /* takes a zeroed one */

size_t coded_code_bytes(const struct coded *c);
size_t coded_bytes(const struct coded *c); /* of all arrays */

/* z (n, W) = rows rows[i] (NULL: i) of the matrix times w (F, W). Every element adds groups in
 * ascending order: a row's result does not depend on which others are computed, nor on threads
 * (gemm_threads()). */
void coded_product(struct mat *z, const struct coded *c, const int32_t *rows, const struct mat *w);

/* dw (F, W) = the matrix transposed times a matrix (N, W) whose row i is row pos[i] of g, or zero
 * where pos[i] < 0 (pos NULL: row i). */
void coded_product_tn(struct mat *dw, const struct coded *c, const struct mat *g,
                      const int32_t *pos);

/* What a product of n rows and a transposed one cost for one column of the result, in multiply-adds
 * of a dense product (measured on a Zen 5; where registers are narrower it is less). */
double coded_cost(const struct coded *c, int32_t n);
double coded_cost_tn(const struct coded *c);

/* Floating point operations for one column of the result. */
double coded_flops(const struct coded *c, int32_t n);
double coded_flops_tn(const struct coded *c);

#endif
