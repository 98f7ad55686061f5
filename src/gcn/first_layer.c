/* SPDX-License-Identifier: BSD-3-Clause */
#include "gcn/first_layer.h"

#include <stdbool.h>

#include "gcn/cost.h"
#include "gcn/product_order.h"
#include "gcn/receptive_field.h"
#include "gcn/train.h"
#include "tensor/gemm.h"
#include "tensor/kernel.h"
#include "tensor/spmm.h"

static int32_t choose_panel_rows(const struct gcn_inputs *inputs, int32_t capacity)
{
    size_t rows = FIRST_PANEL_BYTES / ((size_t)inputs->n_inputs * sizeof(float) + 1);
    size_t n = (size_t)capacity;

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

static int take_memory(struct first_layer *first, int32_t capacity, size_t width,
                       struct arena *scratch)
{
    const struct gcn_inputs *inputs = first->inputs;
    bool drops = !dropout_is_off(&first->dropout);

    if (first->form == FIRST_AX_DENSE || (drops && !x_is_sparse(first))) {
        first->panel_rows = choose_panel_rows(inputs, capacity);
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
    if (!drops && starts_from_ax(first))
        return 0;
    first->product = arena_take(scratch, (size_t)capacity * width, sizeof(float));
    return first->product ? 0 : -1;
}

int first_layer_init(struct first_layer *first, const struct gcn_spec *spec,
                     const struct gcn_inputs *inputs, int32_t n_train, int32_t capacity,
                     int32_t width, struct hash key, struct arena *scratch, struct err *err)
{
    struct gcn_outline outline = gcn_outline_of(inputs);

    *first =
        (struct first_layer){.inputs = inputs, .form = gcn_first_form(spec, &outline, n_train)};
    dropout_init(&first->dropout, spec->input_dropout, key, RNG_INPUT_DROPOUT);
    if (take_memory(first, capacity, (size_t)width, scratch))
        return err_nomem(err, "first layer",
                         FIRST_PANEL_BYTES + (size_t)capacity * (size_t)width * sizeof(float));
    return 0;
}

void first_layer_forget(struct first_layer *first)
{
    first->panel_field = NULL;
}

/* n feature rows from row `begin`: of A^X (level 1), or of X after dropout (level 0). Whole
 * matrices are not copied. */
static struct mat pick(struct first_layer *first, const struct receptive_field *field,
                       int32_t level, int32_t begin, int32_t n, uint32_t step)
{
    const struct mat *x = level == 1 ? &first->inputs->ax : &first->inputs->x;
    struct mat panel = mat_view(first->panel, n, x->n_cols);
    const int32_t *rows = field->level[level].rows + begin;

    if (level == 1 && !receptive_field_rows(field, level))
        return mat_view(mat_row(x, begin), n, x->n_cols);
    if (first->panel_field == field && first->panel_begin == begin)
        return panel;
    if (level == 1)
        kernel_rows(&panel, x, rows, NULL);
    else
        dropout_rows(&panel, &first->dropout, step, x, rows);
    first->panel_field = field;
    first->panel_begin = begin;
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

/* out (n of level, H) = features w. */
static void multiply(struct mat *out, struct first_layer *first,
                     const struct receptive_field *field, int32_t level, const struct mat *w,
                     uint32_t step)
{
    int32_t rows = panel_rows(first, field, level);

    for (int32_t begin = 0; begin < out->n_rows; begin += rows) {
        int32_t n = smaller(rows, out->n_rows - begin);
        struct mat x = pick(first, field, level, begin, n, step);
        struct mat part = mat_view(mat_row(out, begin), n, out->n_cols);

        gemm(&part, 1, &x, w, 0);
    }
    first->flops += 2.0 * (double)mat_size(out) * w->n_rows;
}

/* dw = features^T d, from the last panel, which is still in memory, to the first. */
static void multiply_back(struct mat *dw, struct first_layer *first,
                          const struct receptive_field *field, int32_t level, const struct mat *d,
                          uint32_t step)
{
    int32_t rows = panel_rows(first, field, level);
    int32_t last = (d->n_rows - 1) / rows * rows;

    for (int32_t begin = last; begin >= 0; begin -= rows) {
        int32_t n = smaller(rows, d->n_rows - begin);
        struct mat x = pick(first, field, level, begin, n, step);
        struct mat part = mat_view(mat_row(d, begin), n, d->n_cols);

        gemm_tn(dw, 1, &x, &part, begin == last ? 0 : 1);
    }
    first->flops += 2.0 * (double)mat_size(d) * dw->n_rows;
}

static struct csr dropped_view(const struct first_layer *first, bool is_training)
{
    struct csr x = first->inputs->x_sparse;

    if (is_training && !dropout_is_off(&first->dropout))
        x.val = first->dropped;
    return x;
}

static double sparse_flops(const struct csr *x, const struct receptive_field *field, int32_t level,
                           int32_t width)
{
    return 2.0 * width *
           (double)spmm_count(x, receptive_field_rows(field, level), field->level[level].n);
}

static bool drops(const struct first_layer *first, bool is_training)
{
    return is_training && !dropout_is_off(&first->dropout);
}

/* product = X' w over level 0, X' after any dropout. */
static void multiply_x(struct first_layer *first, const struct receptive_field *field,
                       const struct mat *w, bool is_training, uint32_t step)
{
    const struct gcn_inputs *inputs = first->inputs;
    struct mat product = mat_view(first->product, field->level[0].n, w->n_cols);
    const int32_t *rows = receptive_field_rows(field, 0);

    if (x_is_sparse(first)) {
        struct csr x = dropped_view(first, is_training);

        if (drops(first, is_training))
            dropout_entries(first->dropped, &first->dropout, step, &inputs->x_sparse, rows,
                            product.n_rows);
        spmm(&product, &x, rows, w, NULL);
        first->flops += sparse_flops(&x, field, 0, w->n_cols);
    } else if (drops(first, is_training)) {
        multiply(&product, first, field, 0, w, step);
    } else {
        coded_product(&product, &inputs->coded, rows, w);
        first->flops += w->n_cols * coded_flops(&inputs->coded, product.n_rows);
    }
}

static void multiply_x_back(struct mat *dw, struct first_layer *first,
                            const struct receptive_field *field, uint32_t step)
{
    const struct gcn_inputs *inputs = first->inputs;
    struct mat d_product = mat_view(first->product, field->level[0].n, dw->n_cols);

    if (x_is_sparse(first)) {
        struct csr x = dropped_view(first, true);

        spmm_tn(dw, &x, receptive_field_rows(field, 0), &d_product);
        first->flops += sparse_flops(&x, field, 0, dw->n_cols);
    } else if (drops(first, true)) {
        multiply_back(dw, first, field, 0, &d_product, step);
    } else {
        coded_product_tn(dw, &inputs->coded, &d_product, receptive_field_pos(field, 0));
        first->flops += dw->n_cols * coded_flops_tn(&inputs->coded);
    }
}

void first_layer_forward(struct mat *z, struct first_layer *first,
                         const struct receptive_field *field, const struct mat *w, bool is_training,
                         uint32_t step)
{
    const struct gcn_inputs *inputs = first->inputs;
    struct mat product;

    first_layer_forget(first);
    if (starts_from_ax(first) && !drops(first, is_training)) {
        if (first->form == FIRST_AX_DENSE) {
            multiply(z, first, field, 1, w, step);
            return;
        }
        spmm(z, &inputs->ax_sparse, receptive_field_rows(field, 1), w, NULL);
        first->flops += sparse_flops(&inputs->ax_sparse, field, 1, w->n_cols);
        return;
    }
    multiply_x(first, field, w, is_training, step);
    product = mat_view(first->product, field->level[0].n, w->n_cols);
    spmm(z, &inputs->a_hat, receptive_field_rows(field, 1), &product,
         receptive_field_pos(field, 0));
    first->flops += 2.0 * w->n_cols * (double)field->level[1].entries;
}

void first_layer_backward(struct mat *dw, struct first_layer *first,
                          const struct receptive_field *field, const struct mat *dz, uint32_t step)
{
    const struct gcn_inputs *inputs = first->inputs;
    struct mat d_product;

    if (starts_from_ax(first) && !drops(first, true)) {
        if (first->form == FIRST_AX_DENSE) {
            multiply_back(dw, first, field, 1, dz, step);
            return;
        }
        spmm_tn(dw, &inputs->ax_sparse, receptive_field_rows(field, 1), dz);
        first->flops += sparse_flops(&inputs->ax_sparse, field, 1, dw->n_cols);
        return;
    }
    d_product = mat_view(first->product, field->level[0].n, dw->n_cols);
    spmm(&d_product, &inputs->a_hat, receptive_field_rows(field, 0), dz,
         receptive_field_pos(field, 1));
    first->flops += 2.0 * dw->n_cols * (double)field->level[1].entries;
    multiply_x_back(dw, first, field, step);
}
