/* SPDX-License-Identifier: BSD-3-Clause */
/* Chooses the cheapest of several equal products, from their shapes.
 *
 * A layer is A^ (H W) or (A^ H) W: equal up to rounding. Features may be dense, sparse or coded
 * (tensor/coded.h). Costs are multiply-adds of a dense product for one column of the result,
 * forward and backward. */
#ifndef GCN_PRODUCT_ORDER_H
#define GCN_PRODUCT_ORDER_H

#include <stdbool.h>
#include <stddef.h>

/* A^X is made once for all trials. */
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
    double rows1;                            /* of A^ X W in a step: level 1 */
    double rows0;                            /* of X W: level 0 */
    double entries_a, entries_ax, entries_x; /* in N rows */
    double coded_row, coded_tn;              /* coded_cost() of a row, coded_cost_tn() */
};

double product_order_cost(enum first_form form, const struct first_shape *shape);

/* The first of equally cheap forms wins. */
enum first_form product_order_choose(const struct first_shape *shape,
                                     const bool has[FIRST_FORM_COUNT]);

/* A layer above the first. */
struct layer_shape {
    double below, above; /* rows of H, of the result */
    double entries;      /* of A^ in the result's rows */
    double n_in, n_out;  /* columns of H, of the result */
};

/* True if (A^ H) W is cheaper than A^ (H W). */
bool product_order_propagates_first(const struct layer_shape *shape);

/* Several second-level caches: small data sets are one panel, large ones do not double their
 * memory. */
#define FIRST_PANEL_BYTES ((size_t)8 << 20)
#define FIRST_PANEL_ROWS 64 /* minimum */

#endif
