/* SPDX-License-Identifier: BSD-3-Clause */
#include "gcn/first_layer.h"

#include "tensor/gemm.h"
#include "tensor/kernel.h"
#include "tensor/spmm.h"

static bool x_is_sparse(const struct first_layer *first)
{
    return first->inputs->has[FIRST_X_SPARSE];
}

int first_layer_init(struct first_layer *first, const struct gcn_spec *spec,
                     const struct gcn_inputs *inputs, enum first_form form, const int32_t rows[2],
                     struct hash key, struct arena *scratch, struct err *err)
{
    size_t n = FIRST_PANEL_BYTES / ((size_t)inputs->n_inputs * sizeof(float) + 1);
    int32_t most = form == FIRST_AX_DENSE ? rows[1] : 0;
    bool drops;

    *first = (struct first_layer){.inputs = inputs, .form = form};
    dropout_init(&first->dropout, spec->input_dropout, key, RNG_INPUT_DROPOUT);
    drops = !dropout_is_off(&first->dropout);
    if (drops && !x_is_sparse(first) && rows[0] > most)
        most = rows[0];
    if (n < FIRST_PANEL_ROWS)
        n = FIRST_PANEL_ROWS;
    first->panel_rows = n < (size_t)most ? (int32_t)n : most;
    if (form == FIRST_AX_DENSE || (drops && !x_is_sparse(first)))
        first->panel = arena_take(scratch, (size_t)first->panel_rows * sizeof(float),
                                  (size_t)inputs->n_inputs);
    if (drops && x_is_sparse(first))
        first->dropped = arena_take(scratch, (size_t)csr_nnz(&inputs->x_sparse), sizeof(float));
    return scratch->is_short ? err_nomem(err, "first layer", FIRST_PANEL_BYTES) : 0;
}

bool first_layer_propagates(const struct first_layer *first, bool is_training)
{
    return (first->form != FIRST_AX_DENSE && first->form != FIRST_AX_SPARSE) ||
           (is_training && !dropout_is_off(&first->dropout));
}

/* ---- dense features in panels ---- */

void first_layer_forget(struct first_layer *first)
{
    first->panel_field = NULL;
}

/* Rows of a level that a worker multiplies. */
struct feature_rows {
    const struct receptive_field *field;
    int32_t level; /* 1: of A^X; 0: of X after dropout */
    struct span span;
};

/* A whole matrix is not copied, and is one panel. */
static bool is_whole(const struct feature_rows *slice)
{
    return slice->level == 1 && !receptive_field_rows(slice->field, 1);
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

/* The n feature rows from row `at` of the slice. */
static struct mat pick(struct first_layer *first, const struct feature_rows *slice, int32_t at,
                       int32_t n)
{
    const struct mat *x = slice->level == 1 ? &first->inputs->ax : &first->inputs->x;
    int32_t begin = slice->span.begin + at;
    const int32_t *rows = slice->field->level[slice->level].rows + begin;
    struct mat panel = mat_view(first->panel, first->panel_rows, x->n_cols);
    bool has;

    if (is_whole(slice))
        return mat_view(mat_row(x, begin), n, x->n_cols);
    has = has_rows(first, slice->field, begin, n);
    panel = mat_view(mat_row(&panel, begin - first->panel_begin), n, x->n_cols);
    if (!has && slice->level == 1)
        kernel_rows(&panel, x, rows, NULL);
    else if (!has)
        dropout_rows(&panel, &first->dropout, first->step, x, rows);
    return panel;
}

/* out (rows of the slice, H) = features w. */
static void multiply(struct mat *out, struct first_layer *first, const struct feature_rows *slice,
                     const struct mat *w)
{
    int32_t rows = is_whole(slice) ? slice->field->n_nodes : first->panel_rows;

    for (int32_t at = 0; at < out->n_rows; at += rows) {
        int32_t n = out->n_rows - at < rows ? out->n_rows - at : rows;
        struct mat x = pick(first, slice, at, n);
        struct mat piece = mat_view(mat_row(out, at), n, out->n_cols);

        gemm(&piece, &x, w);
    }
}

/* dw = features^T d, from the last panel, which is still in memory, to the first. */
static void multiply_back(struct mat *dw, struct first_layer *first,
                          const struct feature_rows *slice, const struct mat *d)
{
    int32_t rows = is_whole(slice) ? slice->field->n_nodes : first->panel_rows;
    int32_t last = d->n_rows > 0 ? (d->n_rows - 1) / rows * rows : 0;

    for (int32_t at = last; at >= 0; at -= rows) {
        int32_t n = d->n_rows - at < rows ? d->n_rows - at : rows;
        struct mat x = pick(first, slice, at, n);
        struct mat piece = mat_view(mat_row(d, at), n, d->n_cols);

        gemm_tn(dw, &x, &piece, at != last);
    }
}

/* ---- products ---- */

static double sparse_flops(const struct csr *x, const struct receptive_field *field, int32_t level)
{
    return 2.0 * (double)spmm_count(x, receptive_field_rows(field, level), field->level[level].n);
}

/* The flops of all workers for one column of the result. */
static double count_flops(const struct first_layer *first, const struct receptive_field *field,
                          bool propagates, bool is_back)
{
    const struct gcn_inputs *inputs = first->inputs;
    const struct level *from = &field->level[0], *to = &field->level[1];
    double propagation = 2.0 * (double)to->entries;

    if (!propagates)
        return first->form == FIRST_AX_DENSE ? 2.0 * to->n * inputs->ax.n_cols
                                             : sparse_flops(&inputs->ax_sparse, field, 1);
    if (x_is_sparse(first))
        return propagation + sparse_flops(&inputs->x_sparse, field, 0);
    if (first->drops)
        return propagation + 2.0 * from->n * inputs->x.n_cols;
    return propagation +
           (is_back ? coded_flops_tn(&inputs->coded) : coded_flops(&inputs->coded, from->n));
}

static struct csr sparse_x(const struct first_layer *first)
{
    struct csr x = first->inputs->x_sparse;

    if (first->drops)
        x.val = first->dropped;
    return x;
}

/* product (rows of the slice, H) = X' w over level 0, X' after any dropout. */
static void multiply_x(struct mat *product, struct first_layer *first,
                       const struct feature_rows *slice, const struct mat *w)
{
    const struct gcn_inputs *inputs = first->inputs;
    const int32_t *rows = slice->span.rows;

    if (x_is_sparse(first)) {
        struct csr x = sparse_x(first);

        if (first->drops)
            dropout_entries(first->dropped, &first->dropout, first->step, &inputs->x_sparse, rows,
                            product->n_rows);
        spmm(product, &x, rows, w, NULL);
    } else if (first->drops) {
        multiply(product, first, slice, w);
    } else {
        coded_product(product, &inputs->coded, rows, w);
    }
}

/* d: the worker's rows of d_product (n of level 0, H). */
static void multiply_x_back(struct mat *dw, struct first_layer *first,
                            const struct feature_rows *slice, int32_t worker, const struct mat *d,
                            const struct mat *d_product)
{
    const struct gcn_inputs *inputs = first->inputs;
    const struct division *division = slice->field->division;

    if (x_is_sparse(first)) {
        struct csr x = sparse_x(first);

        spmm_tn(dw, &x, slice->span.rows, d);
    } else if (first->drops) {
        multiply_back(dw, first, slice, d);
    } else {
        coded_product_tn(dw, &inputs->coded, d_product, receptive_field_pos(slice->field, 0),
                         division ? division->first[worker] : 0,
                         division ? division->first[worker + 1] : inputs->coded.n_rows);
    }
}

/* ---- passes ---- */

void first_layer_forward(struct mat *z, struct first_layer *first,
                         const struct receptive_field *field, const struct mat *w,
                         struct row_buffers *buffers, bool is_training, uint32_t step)
{
    bool propagates = first_layer_propagates(first, is_training);
    int32_t level = propagates ? 0 : 1;
    int buffer = row_buffers_free(buffers, -1);
    struct mat product = mat_view(buffers->v[buffer], field->level[0].n, w->n_cols);

    first->drops = is_training && !dropout_is_off(&first->dropout);
    first->step = step;
    first_layer_forget(first);
    for (int32_t i = division_begin(field); i < division_end(field); i++) {
        struct feature_rows slice = {field, level, receptive_field_span(field, level, i)};
        struct mat own = division_rows(propagates ? &product : z, slice.span);

        if (propagates)
            multiply_x(&own, first, &slice, w);
        else if (first->form == FIRST_AX_DENSE)
            multiply(&own, first, &slice, w);
        else
            spmm(&own, &first->inputs->ax_sparse, slice.span.rows, w, NULL);
    }
    if (propagates) {
        row_buffers_share(buffers, buffer, field, 0, &product);
        division_spmm(z, field, 1, &first->inputs->a_hat, &product, 0);
    }
    first->flops += w->n_cols * count_flops(first, field, propagates, false);
}

void first_layer_backward(struct model *model, struct first_layer *first,
                          const struct receptive_field *field, const struct mat *dz, float *room)
{
    bool propagates = first_layer_propagates(first, true);
    int32_t level = propagates ? 0 : 1;
    struct mat d_product = mat_view(room, field->level[0].n, dz->n_cols);

    if (propagates)
        division_spmm(&d_product, field, 0, &first->inputs->a_hat, dz, 1);
    for (int32_t i = division_begin(field); i < division_end(field); i++) {
        struct feature_rows slice = {field, level, receptive_field_span(field, level, i)};
        struct mat *dw = &division_gradient(model, field, i)->w;
        struct mat own = division_rows(propagates ? &d_product : dz, slice.span);

        if (propagates)
            multiply_x_back(dw, first, &slice, i, &own, &d_product);
        else if (first->form == FIRST_AX_DENSE)
            multiply_back(dw, first, &slice, &own);
        else
            spmm_tn(dw, &first->inputs->ax_sparse, slice.span.rows, &own);
    }
    first->flops += dz->n_cols * count_flops(first, field, propagates, true);
}
