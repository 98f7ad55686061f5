#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gcn/field.h"
#include "gcn/scale.h"
#include "gcn/train.h"
#include "tensor/kernel.h"
#include "tensor/spmm.h"

#define BLOCK_ROWS 64 /* of dense features read at a time */

/* ---- sparse features ---- */

/* Entries of dense features that are not zero; where out is not NULL they are put there. */
static int gather_entries(struct csr *out, int64_t *n, const struct dataset *data, struct err *err)
{
    struct mat space;

    *n = 0;
    if (mat_init(&space, BLOCK_ROWS, data->n_features, err))
        return -1;
    for (int32_t first = 0; first < data->n_nodes; first += BLOCK_ROWS) {
        int32_t left = data->n_nodes - first;
        struct mat block = mat_view(space.v, left < BLOCK_ROWS ? left : BLOCK_ROWS, space.n_cols);

        dataset_decode(&block, data, first, 0);
        for (int64_t at = 0; at < mat_size(&block); at++) {
            if (block.v[at] == 0)
                continue;
            if (out) {
                out->col[*n] = (int32_t)(at % block.n_cols);
                out->val[*n] = block.v[at];
                out->row_start[first + at / block.n_cols + 1] = *n + 1;
            }
            ++*n;
        }
    }
    mat_release(&space);
    return 0;
}

/* A row without entries begins where the one before it ended. */
static void fill_empty_rows(struct csr *a)
{
    for (int32_t r = 0; r < a->n_rows; r++)
        if (a->row_start[r + 1] < a->row_start[r])
            a->row_start[r + 1] = a->row_start[r];
}

/* Dense features that are mostly zeros are taken for sparse ones. 1, or 0 where they are not. */
static int find_sparse(struct gcn_inputs *inputs, struct err *err)
{
    const struct dataset *data = inputs->data;
    struct first_shape shape = {
        .n_samples = data->n_nodes,
        .n_features = data->n_features,
        .rows0 = data->n_nodes,
        .rows1 = data->n_nodes,
        .entries_a = (double)csr_nnz(&inputs->a_hat),
    };
    int64_t nnz;

    if (gather_entries(NULL, &nnz, data, err))
        return -1;
    shape.entries_x = (double)nnz;
    if (association_first_cost(FIRST_X_SPARSE, &shape) >
        association_first_cost(FIRST_AX_DENSE, &shape))
        return 0;
    if (csr_init(&inputs->x_sparse, data->n_nodes, data->n_features, nnz, err) ||
        gather_entries(&inputs->x_sparse, &nnz, data, err))
        return -1;
    fill_empty_rows(&inputs->x_sparse);
    return 1;
}

/* A^X, where it has fewer entries than X and A^ together. */
static int finish_sparse(struct gcn_inputs *inputs, struct err *err)
{
    int64_t most = csr_nnz(&inputs->x_sparse) + csr_nnz(&inputs->a_hat);
    int rc;

    inputs->has[FIRST_X_SPARSE] = true;
    rc = csr_multiply(&inputs->ax_sparse, &inputs->a_hat, &inputs->x_sparse, most, err);
    inputs->has[FIRST_AX_SPARSE] = rc == 1;
    return rc < 0 ? -1 : 0;
}

static int init_sparse(struct gcn_inputs *inputs, enum feature_scale scale, struct err *err)
{
    if (scale_sparse(&inputs->x_sparse, inputs->data, scale, err))
        return -1;
    return finish_sparse(inputs, err);
}

/* ---- dense features ---- */

struct columns {
    const struct dataset *data;
    enum feature_scale scale; /* none or standardize: a column at a time */
};

static int read_columns(const void *self, struct mat *out, int32_t first, struct err *err)
{
    const struct columns *columns = self;

    dataset_decode(out, columns->data, 0, first);
    if (columns->scale == SCALE_STANDARDIZE && kernel_standardize(out))
        return err_nomem(err, "column means", 2 * (size_t)out->n_cols * sizeof(double));
    return 0;
}

static int find_codes(struct gcn_inputs *inputs, enum feature_scale scale, struct err *err)
{
    const struct dataset *data = inputs->data;
    struct columns columns = {data, scale};
    struct coded_source source = {data->n_nodes, data->n_features, read_columns, &columns};
    double dense = 2.0 * data->n_nodes * data->n_features;
    int rc = coded_init(&inputs->coded, &source, dense, err);

    inputs->has[FIRST_X_CODED] = rc == 1;
    return rc < 0 ? -1 : 0;
}

static int make_dense(struct gcn_inputs *inputs, const struct gcn_inputs_spec *spec,
                      struct err *err)
{
    struct columns columns = {inputs->data, spec->scale};
    struct mat *x = &inputs->x;

    if (mat_init(x, inputs->data->n_nodes, inputs->data->n_features, err) ||
        read_columns(&columns, x, 0, err))
        return -1;
    if (spec->scale == SCALE_ROW)
        kernel_normalize_rows(x);
    if (!inputs->has[FIRST_X_CODED] || spec->small_batches) {
        if (mat_init(&inputs->ax, x->n_rows, x->n_cols, err))
            return -1;
        spmm(&inputs->ax, &inputs->a_hat, NULL, x, NULL);
        inputs->has[FIRST_AX_DENSE] = true;
    }
    if (!spec->drops_inputs)
        mat_release(x);
    return 0;
}

static int init_dense(struct gcn_inputs *inputs, const struct gcn_inputs_spec *spec,
                      struct err *err)
{
    const struct dataset *data = inputs->data;
    int is_sparse = 0;

    /* Codes and zeros are of markers; covariates have neither. */
    if (inputs->data->covariates)
        return make_dense(inputs, spec, err);
    if (spec->scale != SCALE_STANDARDIZE)
        is_sparse = find_sparse(inputs, err);
    if (is_sparse < 0)
        return -1;
    if (is_sparse) {
        if (spec->scale == SCALE_ROW)
            kernel_normalize_sparse_rows(&inputs->x_sparse);
        return finish_sparse(inputs, err);
    }
    /* Codes pay where features are many and rows few; nodes of graphs are the reverse. */
    if (spec->scale != SCALE_ROW && !data->graph_start && find_codes(inputs, spec->scale, err))
        return -1;
    if (inputs->has[FIRST_X_CODED] && !spec->drops_inputs && !spec->small_batches)
        return 0;
    return make_dense(inputs, spec, err);
}

/* ---- together ---- */

/* Every byte is set, padding too: packed inputs are hashed. */
static void begin(struct gcn_inputs *inputs, const struct dataset *data, int32_t n_inputs)
{
    memset(inputs, 0, sizeof *inputs);
    inputs->data = data;
    inputs->n_inputs = n_inputs;
    inputs->fan_in = data->n_features;
}

int gcn_inputs_init(struct gcn_inputs *inputs, const struct dataset *data,
                    const struct csr *adjacency, const struct gcn_inputs_spec *spec,
                    struct err *err)
{
    int status;

    begin(inputs, data, data->n_features);
    status = csr_normalize(&inputs->a_hat, adjacency, err);
    if (status == 0)
        status =
            data->is_sparse ? init_sparse(inputs, spec->scale, err) : init_dense(inputs, spec, err);
    if (status)
        gcn_inputs_release(inputs);
    return status;
}

int gcn_inputs_init_reduced(struct gcn_inputs *inputs, const struct dataset *data,
                            const struct csr *adjacency, const struct mat *l, struct err *err)
{
    begin(inputs, data, l->n_cols);
    if (csr_normalize(&inputs->a_hat, adjacency, err) ||
        mat_init(&inputs->ax, l->n_rows, l->n_cols, err) ||
        mat_init(&inputs->x, l->n_rows, l->n_cols, err)) {
        gcn_inputs_release(inputs);
        return -1;
    }
    memcpy(inputs->x.v, l->v, (size_t)mat_size(l) * sizeof *l->v);
    spmm(&inputs->ax, &inputs->a_hat, NULL, l, NULL);
    inputs->has[FIRST_AX_DENSE] = true;
    return 0;
}

void gcn_inputs_release(struct gcn_inputs *inputs)
{
    if (!inputs)
        return;
    if (!inputs->is_view) {
        csr_release(&inputs->a_hat);
        csr_release(&inputs->x_sparse);
        csr_release(&inputs->ax_sparse);
        coded_release(&inputs->coded);
        mat_release(&inputs->x);
        mat_release(&inputs->ax);
        free(inputs->kernel);
    }
    *inputs = (struct gcn_inputs){0};
}

enum first_form gcn_first_form(const struct gcn_spec *spec, const struct gcn_inputs *inputs,
                               int32_t n_train)
{
    double n = inputs->data->n_nodes;
    double degree = (double)csr_nnz(&inputs->a_hat) / n;
    bool is_full = spec->batch_size == 0 || spec->batch_size >= n_train;
    double batch = is_full ? n_train : spec->batch_size;
    double nodes = batch * n / inputs->data->n_samples;
    bool pools = spec->pool != POOL_NONE;
    struct first_shape shape = {
        .n_samples = n,
        .n_features = inputs->n_inputs,
        .rows1 = pools ? nodes : field_expected(n, degree, batch, spec->layers - 1),
        .rows0 = pools ? nodes : field_expected(n, degree, batch, spec->layers),
        .entries_a = (double)csr_nnz(&inputs->a_hat),
    };

    if (inputs->has[FIRST_X_SPARSE])
        shape.entries_x = (double)csr_nnz(&inputs->x_sparse);
    if (inputs->has[FIRST_AX_SPARSE])
        shape.entries_ax = (double)csr_nnz(&inputs->ax_sparse);
    if (inputs->has[FIRST_X_CODED]) {
        shape.coded_row = coded_cost(&inputs->coded, inputs->coded.n_rows) / n;
        shape.coded_tn = coded_cost_tn(&inputs->coded);
    }
    return association_first(&shape, inputs->has);
}
