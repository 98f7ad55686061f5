/* SPDX-License-Identifier: BSD-3-Clause */
#include "gcn/product_order.h"

/* A sparse entry reads a row of the other operand from the second-level cache for one use, in the
 * time of this many multiply-adds of a dense product (measured on a Zen 5). */
#define COST_OF_ENTRY 4.0

double product_order_cost(enum first_form form, const struct first_shape *shape)
{
    double share1 = shape->rows1 / shape->n_samples;
    double share0 = shape->rows0 / shape->n_samples;
    double propagation = 2 * COST_OF_ENTRY * share1 * shape->entries_a;

    switch (form) {
    case FIRST_AX_DENSE:
        return 2 * shape->rows1 * shape->n_features;
    case FIRST_AX_SPARSE:
        return 2 * COST_OF_ENTRY * share1 * shape->entries_ax;
    case FIRST_X_SPARSE:
        return 2 * COST_OF_ENTRY * share0 * shape->entries_x + propagation;
    default:
        return shape->rows0 * shape->coded_row + shape->coded_tn + propagation;
    }
}

enum first_form product_order_choose(const struct first_shape *shape,
                                     const bool has[FIRST_FORM_COUNT])
{
    enum first_form best = FIRST_FORM_COUNT;
    double least = 0;

    for (int form = 0; form < FIRST_FORM_COUNT; form++) {
        double cost = product_order_cost((enum first_form)form, shape);

        if (has[form] && (best == FIRST_FORM_COUNT || cost < least)) {
            best = (enum first_form)form;
            least = cost;
        }
    }
    return best;
}

bool product_order_propagates_first(const struct layer_shape *shape)
{
    double dense = 3 * shape->n_in * shape->n_out;
    double sparse = 2 * COST_OF_ENTRY * shape->entries;

    return dense * shape->above + sparse * shape->n_in <
           dense * shape->below + sparse * shape->n_out;
}
