/* Matrices whose columns hold few different values, such as genotypes, and their products.
 *
 * Consecutive columns with at most CODED_ENTRIES combinations of values between them form a
 * group. For a product with w, every combination's sum over the group's rows of w is made once
 * and laid in a table; then each row of the matrix adds one table entry for a whole group where a
 * dense product multiplies and adds every column. Two values a column: a fifth of the additions
 * and no multiplications; three: a third. The numbers are those of the dense product up to the
 * order of summation.
 * Source: Arlazarov, Dinic, Kronrod & Faradzev 1970, Soviet Math Dokl 11:1209 (the "four
 * Russians"); for genotypes Liberty & Zucker 2009, Inf Process Lett 109:179 (the "mailman").
 *
 * Measured on a Zen 5 for (1058, 984) by (984, 64): 250 us with two values, 400 us with three,
 * against 545 us (tall.h) and 640 us (OpenBLAS 0.3.21). A look at the table is one 64-byte load,
 * of which the processor does one a cycle: that is the limit. */
#ifndef TENSOR_CODED_H
#define TENSOR_CODED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "tensor/mat.h"

#define CODED_VALUES 4   /* of one column at most */
#define CODED_ENTRIES 32 /* of a group's table at most */
#define CODED_PANEL 8    /* groups whose tables are in use at a time: 32 kB of first-level cache */
#define CODED_BITS 5     /* rows in a group of the transposed product: 32 entries */
#define CODED_COST                                                         \
    2.4 /* of an addition, in multiply-adds of a dense product: less where \
           registers are narrower than 64 bytes */

/* Codes of the product by_row: group g of columns is column[g] .. column[g + 1], and row i's byte
 * by_row[(g / 8 * n_rows + i) * 8 + g % 8] is the table entry of its combination.
 * Codes of the transposed product: column j is value[4 j] + the sum over its other values v of
 * (v - value[4 j]) x (where j has v). Each such (column, value) is a plane: plane_column[],
 * plane_delta[], and by_plane[(h / 8 * n_planes + p) * 8 + h % 8] holds, one a bit, which rows of
 * group h (rows 5 h .. 5 h + 4) have it. Unused bytes are 0. */
struct coded {
    int32_t n_rows;   /* N */
    int32_t n_cols;   /* F */
    int32_t n_groups; /* of columns */
    int32_t n_planes;
    int32_t *column;       /* [n_groups + 1] */
    float *value;          /* [F][CODED_VALUES] the commonest end first; [n_values] count */
    uint8_t *n_values;     /* [F] 1 to CODED_VALUES */
    int32_t *plane_column; /* [n_planes] ascending */
    float *plane_delta;    /* [n_planes] */
    uint8_t *by_row;       /* [coded_row_bytes()] */
    uint8_t *by_plane;     /* [coded_plane_bytes()] */
};

/* Where the columns come from: fills out (n_rows, n) with columns `first` on. Called twice for
 * every column, in ascending order, so that the whole matrix never stands in memory. */
struct coded_source {
    int32_t n_rows, n_cols;
    int (*read)(const void *self, struct mat *out, int32_t first, struct err *err);
    const void *self;
};

/* 1: made; pair with coded_release(). 0: not made, because some column has more values than
 * CODED_VALUES or because both products take more than `most` additions. -1 and err: memory, or
 * the source's own. */
int coded_init(struct coded *c, const struct coded_source *source, double most, struct err *err);
void coded_release(struct coded *c); /* takes a zeroed one */

/* Bytes of the two arrays of codes. */
size_t coded_row_bytes(const struct coded *c);
size_t coded_plane_bytes(const struct coded *c);

/* z (n, W) = rows rows[i] (NULL: i) of the matrix times w (F, W). Every element adds groups in
 * ascending order: a row's result does not depend on which others are computed, nor on threads
 * (gemm_threads()). */
void coded_product(struct mat *z, const struct coded *c, const int32_t *rows, const struct mat *w);

/* dw (F, W) = the matrix transposed times a matrix (N, W) whose row i is row pos[i] of g, or zero
 * where pos[i] < 0 (pos NULL: row i). sums [W]: scratch. */
void coded_product_tn(struct mat *dw, const struct coded *c, const struct mat *g,
                      const int32_t *pos, float *sums);

/* Additions of W-wide rows: of a product of n rows, and of a transposed one. */
double coded_additions(const struct coded *c, int32_t n);
double coded_additions_tn(const struct coded *c);

#endif
