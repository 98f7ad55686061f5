#include "gcn/first.h"

#include "tensor/gemm.h"
#include "tensor/spmm.h"

/* Room for picked rows: what fits the second-level cache several times over, so that small data
 * sets are one panel and large ones do not double in memory. */
#define PANEL_BYTES ((size_t)8 << 20)
#define MIN_PANEL_ROWS 64

static int32_t choose_panel_rows(const struct gcn_inputs *inputs)
{
    size_t rows = PANEL_BYTES / ((size_t)inputs->n_inputs * sizeof(float) + 1);

    if (rows < MIN_PANEL_ROWS)
        rows = MIN_PANEL_ROWS;
    return rows < (size_t)inputs->ax.n_rows ? (int32_t)rows : inputs->ax.n_rows;
}

int first_init(struct first *first, const struct gcn_spec *spec, const struct gcn_inputs *inputs,
               int32_t n_outputs, struct hash key, struct arena *scratch, struct err *err)
{
    size_t n = (size_t)inputs->data->n_samples;
    size_t width = (size_t)(spec->layers == 1 ? n_outputs : spec->hidden_size);
    bool is_sparse = inputs->is_sparse;

    *first = (struct first){.inputs = inputs};
    dropout_init(&first->dropout, spec->input_dropout, key, RNG_INPUT_DROPOUT);
    if (!is_sparse) {
        first->panel_rows = choose_panel_rows(inputs);
        first->panel = arena_take(scratch, (size_t)first->panel_rows * sizeof(float),
                                  (size_t)inputs->n_inputs);
        if (!first->panel)
            return err_nomem(err, "features of a batch", PANEL_BYTES);
    }
    if (is_sparse || !dropout_is_off(&first->dropout))
        first->product = arena_take(scratch, n * width, sizeof(float));
    else
        return 0;
    if (is_sparse && !dropout_is_off(&first->dropout))
        first->dropped = arena_take(scratch, (size_t)csr_nnz(&inputs->x_sparse), sizeof(float));
    if (!first->product || (is_sparse && !dropout_is_off(&first->dropout) && !first->dropped))
        return err_nomem(err, "first layer", n * width * sizeof(float));
    return 0;
}

void first_forget(struct first *first)
{
    first->panel_field = NULL;
}

/* n rows of the features from row `begin` of a level on: of A^X (level 1), or of X dropped
 * (level 0). Whole matrices are not copied. */
static struct mat pick(struct first *first, const struct field *field, int32_t level, int32_t begin,
                       int32_t n, uint32_t step)
{
    const struct mat *x = level == 1 ? &first->inputs->ax : &first->inputs->x;
    struct mat panel = mat_view(first->panel, n, x->n_cols);
    const int32_t *rows = field->level[level].rows + begin;

    if (level == 1 && !field_rows(field, level))
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

/* Rows of one panel: a level that is held whole is its own. */
static int32_t panel_rows(const struct first *first, const struct field *field, int32_t level)
{
    if (level == 1 && !field_rows(field, level))
        return field->n_samples;
    return first->panel_rows;
}

static int32_t smaller(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

/* out (n of level, H) = features w. */
static void multiply(struct mat *out, struct first *first, const struct field *field, int32_t level,
                     const struct mat *w, uint32_t step)
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

/* dw = features^T d. From the last panel to the first: the last is still there. */
static void multiply_back(struct mat *dw, struct first *first, const struct field *field,
                          int32_t level, const struct mat *d, uint32_t step)
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

/* The sparse features, with the values that dropout left. */
static struct csr dropped_view(const struct first *first, bool is_training)
{
    struct csr x = first->inputs->x_sparse;

    if (is_training && !dropout_is_off(&first->dropout))
        x.val = first->dropped;
    return x;
}

static double sparse_flops(const struct first *first, const struct field *field, int32_t width)
{
    const struct csr *x = &first->inputs->x_sparse;

    return 2.0 * width * (double)spmm_count(x, field_rows(field, 0), field->level[0].n);
}

void first_forward(struct mat *z, struct first *first, const struct field *field,
                   const struct mat *w, bool is_training, uint32_t step)
{
    const struct gcn_inputs *inputs = first->inputs;
    bool drops = is_training && !dropout_is_off(&first->dropout);
    struct mat product = mat_view(first->product, field->level[0].n, w->n_cols);

    first_forget(first);
    if (!inputs->is_sparse && !drops) {
        multiply(z, first, field, 1, w, step);
        return;
    }
    if (inputs->is_sparse) {
        struct csr x = dropped_view(first, is_training);

        if (drops)
            dropout_entries(first->dropped, &first->dropout, step, &inputs->x_sparse,
                            field_rows(field, 0), product.n_rows);
        spmm(&product, &x, field_rows(field, 0), w, NULL);
        first->flops += sparse_flops(first, field, w->n_cols);
    } else {
        multiply(&product, first, field, 0, w, step);
    }
    spmm(z, &inputs->a_hat, field_rows(field, 1), &product, field_pos(field, 0));
    first->flops += 2.0 * w->n_cols * (double)field->level[1].entries;
}

void first_backward(struct mat *dw, struct first *first, const struct field *field,
                    const struct mat *dz, uint32_t step)
{
    const struct gcn_inputs *inputs = first->inputs;
    struct mat d_product = mat_view(first->product, field->level[0].n, dw->n_cols);

    if (!inputs->is_sparse && dropout_is_off(&first->dropout)) {
        multiply_back(dw, first, field, 1, dz, step);
        return;
    }
    spmm(&d_product, &inputs->a_hat, field_rows(field, 0), dz, field_pos(field, 1));
    first->flops += 2.0 * dw->n_cols * (double)field->level[1].entries;
    if (inputs->is_sparse) {
        struct csr x = dropped_view(first, true);

        spmm_tn(dw, &x, field_rows(field, 0), &d_product);
        first->flops += sparse_flops(first, field, dw->n_cols);
    } else {
        multiply_back(dw, first, field, 0, &d_product, step);
    }
}
