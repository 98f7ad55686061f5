/* SPDX-License-Identifier: BSD-3-Clause */
/* Which of equal products is the cheapest, counted from shapes.
 *
 * A layer is A^ (H W) or (A^ H) W: the same numbers up to rounding, but not the same work. The
 * first layer's features may besides be held dense, sparse or as codes (tensor/coded.h). Costs are
 * in multiply-adds of a dense product for one column of the result, of a training step: forward
 * and backward. */
#ifndef GCN_PRODUCT_ORDER_H
#define GCN_PRODUCT_ORDER_H

#include <stdbool.h>
#include <stddef.h>

/* How the first layer's product starts. A^X was made once for all trials. */
enum first_form {
    FIRST_AX_DENSE,  /* (A^X) W */
    FIRST_AX_SPARSE, /* (A^X) W */
    FIRST_X_SPARSE,  /* A^ (X W) */
    FIRST_X_CODED,   /* A^ (X W) */
    FIRST_FORM_COUNT
};

struct first_shape {
    double n_samples;                        /* N */
    double n_features;                       /* F */
    double rows1;                            /* of a step's A^ X W: level 1 of its field */
    double rows0;                            /* of X W below them */
    double entries_a, entries_ax, entries_x; /* in all N rows; of the sparse forms */
    double coded_row, coded_tn;              /* coded_cost() a row, and coded_cost_tn() */
};

double product_order_cost(enum first_form form, const struct first_shape *shape);

/* The cheapest of the forms that are there; has[]: at least one. Of equals the first. */
enum first_form product_order_choose(const struct first_shape *shape,
                                     const bool has[FIRST_FORM_COUNT]);

/* A layer above the first, over two levels of a field. */
struct layer_shape {
    double below, above; /* rows of H, and of the result */
    double entries;      /* of A^ in the result's rows */
    double n_in, n_out;  /* columns of H, and of the result */
};

/* Whether (A^ H) W is cheaper than A^ (H W). */
bool product_order_propagates_first(const struct layer_shape *shape);

/* Room for picked rows: what fits the second-level cache several times over, so that small data
 * sets are one panel and large ones do not double in memory. */
#define FIRST_PANEL_BYTES ((size_t)8 << 20)
#define FIRST_PANEL_ROWS 64 /* at least */

#endif
