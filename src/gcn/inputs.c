#include <string.h>

#include "gcn/train.h"
#include "tensor/spmm.h"

static int copy_sparse(struct csr *out, const struct csr *a, struct err *err)
{
    size_t nnz = (size_t)csr_nnz(a);

    if (csr_init(out, a->n_rows, a->n_cols, (int64_t)nnz, err))
        return -1;
    memcpy(out->row_start, a->row_start, ((size_t)a->n_rows + 1) * sizeof *a->row_start);
    memcpy(out->col, a->col, nnz * sizeof *a->col);
    memcpy(out->val, a->val, nnz * sizeof *a->val);
    return 0;
}

static int init_sparse(struct gcn_inputs *inputs, enum feature_scale scale, struct err *err)
{
    if (scale == SCALE_STANDARDIZE)
        return err_set(err, "sparse features cannot be standardized: centring would fill them "
                            "in; allowed are none and row");
    if (copy_sparse(&inputs->x_sparse, &inputs->data->sparse_features, err))
        return -1;
    if (scale == SCALE_ROW)
        kernel_normalize_sparse_rows(&inputs->x_sparse);
    return 0;
}

static int init_dense(struct gcn_inputs *inputs, const struct gcn_inputs_spec *spec,
                      struct err *err)
{
    struct mat *x = &inputs->x;

    if (mat_init(x, inputs->data->n_samples, inputs->data->n_features, err))
        return -1;
    dataset_decode(x, inputs->data, 0, 0);
    if (spec->scale == SCALE_STANDARDIZE && kernel_standardize(x))
        return err_nomem(err, "column means", 2 * (size_t)x->n_cols * sizeof(double));
    if (spec->scale == SCALE_ROW)
        kernel_normalize_rows(x);
    if (mat_init(&inputs->ax, x->n_rows, x->n_cols, err))
        return -1;
    spmm(&inputs->ax, &inputs->a_hat, NULL, x, NULL);
    if (!spec->drops_inputs)
        mat_release(x);
    return 0;
}

int gcn_inputs_init(struct gcn_inputs *inputs, const struct dataset *data,
                    const struct csr *adjacency, const struct gcn_inputs_spec *spec,
                    struct err *err)
{
    int status;

    *inputs = (struct gcn_inputs){
        .data = data, .n_inputs = data->n_features, .is_sparse = data->is_sparse};
    status = csr_normalize(&inputs->a_hat, adjacency, err);
    if (status == 0)
        status =
            data->is_sparse ? init_sparse(inputs, spec->scale, err) : init_dense(inputs, spec, err);
    if (status)
        gcn_inputs_release(inputs);
    return status;
}

void gcn_inputs_release(struct gcn_inputs *inputs)
{
    if (!inputs)
        return;
    if (!inputs->is_view) {
        csr_release(&inputs->a_hat);
        csr_release(&inputs->x_sparse);
        mat_release(&inputs->x);
        mat_release(&inputs->ax);
    }
    *inputs = (struct gcn_inputs){0};
}
