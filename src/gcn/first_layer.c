/* SPDX-License-Identifier: BSD-3-Clause */
#include "gcn/first_layer.h"

#include <stdbool.h>

#include "gcn/product_order.h"
#include "gcn/receptive_field.h"
#include "gcn/train.h"
#include "tensor/gemm.h"
#include "tensor/kernel.h"
#include "tensor/spmm.h"

static int32_t choose_panel_rows(const struct gcn_inputs *inputs, int32_t most)
{
    size_t rows = FIRST_PANEL_BYTES / ((size_t)inputs->n_inputs * sizeof(float) + 1);
    size_t n = (size_t)most;

    if (rows < FIRST_PANEL_ROWS)
        rows = FIRST_PANEL_ROWS;
    return (int32_t)(rows < n ? rows : n);
}

static bool x_is_sparse(const struct first_layer *first)
{
    return first->inputs->has[FIRST_X_SPARSE];
}

static bool starts_from_ax(const struct first_layer *first)
{
    return first->form == FIRST_AX_DENSE || first->form == FIRST_AX_SPARSE;
}

static int take_memory(struct first_layer *first, const int32_t rows[2], struct arena *scratch)
{
    const struct gcn_inputs *inputs = first->inputs;
    bool drops = !dropout_is_off(&first->dropout);

    if (first->form == FIRST_AX_DENSE || (drops && !x_is_sparse(first))) {
        int32_t n0 = drops && !x_is_sparse(first) ? rows[0] : 0;
        int32_t n1 = first->form == FIRST_AX_DENSE ? rows[1] : 0;

        first->panel_rows = choose_panel_rows(inputs, n0 > n1 ? n0 : n1);
        first->panel = arena_take(scratch, (size_t)first->panel_rows * sizeof(float),
                                  (size_t)inputs->n_inputs);
        if (!first->panel)
            return -1;
    }
    if (drops && x_is_sparse(first)) {
        first->dropped = arena_take(scratch, (size_t)csr_nnz(&inputs->x_sparse), sizeof(float));
        if (!first->dropped)
            return -1;
    }
    return 0;
}

int first_layer_init(struct first_layer *first, const struct gcn_spec *spec,
                     const struct gcn_inputs *inputs, enum first_form form, const int32_t rows[2],
                     struct hash key, struct arena *scratch, struct err *err)
{
    *first = (struct first_layer){.inputs = inputs, .form = form};
    dropout_init(&first->dropout, spec->input_dropout, key, RNG_INPUT_DROPOUT);
    if (take_memory(first, rows, scratch))
        return err_nomem(err, "first layer", FIRST_PANEL_BYTES);
    return 0;
}

void first_layer_forget(struct first_layer *first)
{
    first->panel_field = NULL;
}

/* True if the panel has the n rows from row `begin`. If not, make room for them: after those that it
 * has, which belong to other workers, or in their place. */
static bool has_rows(struct first_layer *first, const struct receptive_field *field, int32_t begin,
                     int32_t n)
{
    int32_t at = begin - first->panel_begin;

    if (first->panel_field == field && at >= 0 && at + n <= first->panel_n)
        return true;
    if (first->panel_field != field || at != first->panel_n || at + n > first->panel_rows) {
        first->panel_field = field;
        first->panel_begin = begin;
        first->panel_n = 0;
    }
    first->panel_n += n;
    return false;
}

/* n feature rows from row `begin`: of A^X (level 1), or of X after dropout (level 0). Whole
 * matrices are not copied. */
static struct mat pick(struct first_layer *first, const struct receptive_field *field,
                       int32_t level, int32_t begin, int32_t n, uint32_t step)
{
    const struct mat *x = level == 1 ? &first->inputs->ax : &first->inputs->x;
    const int32_t *rows = field->level[level].rows + begin;
    struct mat panel = mat_view(first->panel, first->panel_rows, x->n_cols);
    bool has;

    if (level == 1 && !receptive_field_rows(field, level))
        return mat_view(mat_row(x, begin), n, x->n_cols);
    has = has_rows(first, field, begin, n);
    panel = mat_view(mat_row(&panel, begin - first->panel_begin), n, x->n_cols);
    if (!has && level == 1)
        kernel_rows(&panel, x, rows, NULL);
    else if (!has)
        dropout_rows(&panel, &first->dropout, step, x, rows);
    return panel;
}

/* A whole matrix is one panel. */
static int32_t panel_rows(const struct first_layer *first, const struct receptive_field *field,
                          int32_t level)
{
    if (level == 1 && !receptive_field_rows(field, level))
        return field->n_nodes;
    return first->panel_rows;
}

static int32_t smaller(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

/* Where a worker multiplies features: the rows of `span` in a level. */
struct feature_rows {
    const struct receptive_field *field;
    int32_t level;
    struct span span;
    uint32_t step; /* addresses dropout */
};

static struct feature_rows slice_of(const struct receptive_field *field, int32_t level,
                                    int32_t worker, uint32_t step)
{
    return (struct feature_rows){field, level, receptive_field_span(field, level, worker), step};
}

/* out (rows of the slice, H) = features w. */
static void multiply(struct mat *out, struct first_layer *first, const struct feature_rows *slice,
                     const struct mat *w)
{
    int32_t rows = panel_rows(first, slice->field, slice->level);

    for (int32_t at = 0; at < out->n_rows; at += rows) {
        int32_t n = smaller(rows, out->n_rows - at);
        struct mat x =
            pick(first, slice->field, slice->level, slice->span.begin + at, n, slice->step);
        struct mat piece = mat_view(mat_row(out, at), n, out->n_cols);

        gemm(&piece, 1, &x, w, 0);
    }
}

/* dw = features^T d, from the last panel, which is still in memory, to the first. */
static void multiply_back(struct mat *dw, struct first_layer *first,
                          const struct feature_rows *slice, const struct mat *d)
{
    int32_t rows = panel_rows(first, slice->field, slice->level);
    int32_t last = d->n_rows > 0 ? (d->n_rows - 1) / rows * rows : 0;

    for (int32_t at = last; at >= 0; at -= rows) {
        int32_t n = smaller(rows, d->n_rows - at);
        struct mat x =
            pick(first, slice->field, slice->level, slice->span.begin + at, n, slice->step);
        struct mat piece = mat_view(mat_row(d, at), n, d->n_cols);

        gemm_tn(dw, 1, &x, &piece, at == last ? 0 : 1);
    }
}

static bool drops(const struct first_layer *first, bool is_training)
{
    return is_training && !dropout_is_off(&first->dropout);
}

bool first_layer_propagates(const struct first_layer *first, bool is_training)
{
    return !starts_from_ax(first) || drops(first, is_training);
}

/* ---- flops of all workers ---- */

static double sparse_flops(const struct csr *x, const struct receptive_field *field, int32_t level)
{
    return 2.0 * (double)spmm_count(x, receptive_field_rows(field, level), field->level[level].n);
}

/* For one column of the result. */
static double count_flops(const struct first_layer *first, const struct receptive_field *field,
                          bool is_training, bool is_back)
{
    const struct gcn_inputs *inputs = first->inputs;
    const struct level *from = &field->level[0], *to = &field->level[1];
    double propagation = 2.0 * (double)to->entries;

    if (!first_layer_propagates(first, is_training))
        return first->form == FIRST_AX_DENSE ? 2.0 * to->n * inputs->ax.n_cols
                                             : sparse_flops(&inputs->ax_sparse, field, 1);
    if (x_is_sparse(first))
        return propagation + sparse_flops(&inputs->x_sparse, field, 0);
    if (drops(first, is_training))
        return propagation + 2.0 * from->n * inputs->x.n_cols;
    return propagation +
           (is_back ? coded_flops_tn(&inputs->coded) : coded_flops(&inputs->coded, from->n));
}

/* ---- products ---- */

static struct csr dropped_view(const struct first_layer *first, bool is_training)
{
    struct csr x = first->inputs->x_sparse;

    if (drops(first, is_training))
        x.val = first->dropped;
    return x;
}

/* product (rows of the slice, H) = X' w over level 0, X' after any dropout. */
static void multiply_x(struct mat *product, struct first_layer *first,
                       const struct feature_rows *slice, const struct mat *w, bool is_training)
{
    const struct gcn_inputs *inputs = first->inputs;
    const int32_t *rows = slice->span.rows;

    if (x_is_sparse(first)) {
        struct csr x = dropped_view(first, is_training);

        if (drops(first, is_training))
            dropout_entries(first->dropped, &first->dropout, slice->step, &inputs->x_sparse, rows,
                            product->n_rows);
        spmm(product, &x, rows, w, NULL);
    } else if (drops(first, is_training)) {
        multiply(product, first, slice, w);
    } else {
        coded_product(product, &inputs->coded, rows, w);
    }
}

/* d_product (n of level 0, H). */
static void multiply_x_back(struct mat *dw, struct first_layer *first,
                            const struct feature_rows *slice, int32_t worker,
                            const struct mat *d_product)
{
    const struct gcn_inputs *inputs = first->inputs;
    const struct division *division = slice->field->division;
    struct mat own = division_rows(d_product, slice->span);

    if (x_is_sparse(first)) {
        struct csr x = dropped_view(first, true);

        spmm_tn(dw, &x, slice->span.rows, &own);
    } else if (drops(first, true)) {
        multiply_back(dw, first, slice, &own);
    } else {
        coded_product_tn(dw, &inputs->coded, d_product, receptive_field_pos(slice->field, 0),
                         division ? division->first[worker] : 0,
                         division ? division->first[worker + 1] : inputs->coded.n_rows);
    }
}

static void multiply_ax(struct mat *z, struct first_layer *first, const struct feature_rows *slice,
                        const struct mat *w)
{
    if (first->form == FIRST_AX_DENSE)
        multiply(z, first, slice, w);
    else
        spmm(z, &first->inputs->ax_sparse, slice->span.rows, w, NULL);
}

static void multiply_ax_back(struct mat *dw, struct first_layer *first,
                             const struct feature_rows *slice, const struct mat *dz)
{
    struct mat own = division_rows(dz, slice->span);

    if (first->form == FIRST_AX_DENSE)
        multiply_back(dw, first, slice, &own);
    else
        spmm_tn(dw, &first->inputs->ax_sparse, slice->span.rows, &own);
}

/* ---- passes ---- */

/* z's rows are those of `to`, a's rows too. */
static void propagate(struct mat *z, const struct first_layer *first,
                      const struct receptive_field *field, int32_t worker, int32_t to,
                      const struct mat *from)
{
    struct span span = receptive_field_span(field, to, worker);
    struct mat own = division_rows(z, span);

    spmm(&own, &first->inputs->a_hat, span.rows, from, receptive_field_pos(field, 1 - to));
}

void first_layer_forward(struct mat *z, struct first_layer *first,
                         const struct receptive_field *field, const struct mat *w,
                         struct row_buffers *buffers, bool is_training, uint32_t step)
{
    bool propagates = first_layer_propagates(first, is_training);
    int buffer = row_buffers_free(buffers, -1);
    struct mat product = mat_view(buffers->v[buffer], field->level[0].n, w->n_cols);

    first_layer_forget(first);
    for (int32_t i = division_begin(field); i < division_end(field); i++) {
        struct feature_rows slice = slice_of(field, propagates ? 0 : 1, i, step);
        struct mat own = division_rows(propagates ? &product : z, slice.span);

        if (propagates)
            multiply_x(&own, first, &slice, w, is_training);
        else
            multiply_ax(&own, first, &slice, w);
    }
    if (propagates) {
        row_buffers_share(buffers, buffer, field, 0, &product);
        for (int32_t i = division_begin(field); i < division_end(field); i++)
            propagate(z, first, field, i, 1, &product);
    }
    first->flops += w->n_cols * count_flops(first, field, is_training, false);
}

void first_layer_backward(struct model *model, struct first_layer *first,
                          const struct receptive_field *field, const struct mat *dz, float *room,
                          uint32_t step)
{
    bool propagates = first_layer_propagates(first, true);
    struct mat d_product = mat_view(room, field->level[0].n, dz->n_cols);

    for (int32_t i = division_begin(field); i < division_end(field); i++) {
        struct feature_rows slice = slice_of(field, propagates ? 0 : 1, i, step);
        struct mat *dw = &division_gradient(model, field, i)->w;

        if (!propagates) {
            multiply_ax_back(dw, first, &slice, dz);
            continue;
        }
        propagate(&d_product, first, field, i, 0, dz);
        multiply_x_back(dw, first, &slice, i, &d_product);
    }
    first->flops += dz->n_cols * count_flops(first, field, true, true);
}
