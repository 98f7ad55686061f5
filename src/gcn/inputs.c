#include "gcn/scale.h"
#include "gcn/train.h"
#include "tensor/spmm.h"

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

    *inputs = (struct gcn_inputs){.data = data,
                                  .n_inputs = data->n_features,
                                  .fan_in = data->n_features,
                                  .is_sparse = data->is_sparse};
    status = csr_normalize(&inputs->a_hat, adjacency, err);
    if (status == 0)
        status = data->is_sparse ? scale_sparse(&inputs->x_sparse, data, spec->scale, err)
                                 : init_dense(inputs, spec, err);
    if (status)
        gcn_inputs_release(inputs);
    return status;
}

int gcn_inputs_init_reduced(struct gcn_inputs *inputs, const struct dataset *data,
                            const struct csr *adjacency, const struct mat *l, struct err *err)
{
    *inputs = (struct gcn_inputs){.data = data, .n_inputs = l->n_cols, .fan_in = data->n_features};
    if (csr_normalize(&inputs->a_hat, adjacency, err) ||
        mat_init(&inputs->ax, l->n_rows, l->n_cols, err)) {
        gcn_inputs_release(inputs);
        return -1;
    }
    spmm(&inputs->ax, &inputs->a_hat, NULL, l, NULL);
    return 0;
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
