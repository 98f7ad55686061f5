#include "gcn/spread.h"

#include <math.h>
#include <stdlib.h>

#include "gcn/scale.h"

#define BLOCK_ROWS 64 /* of dense features read at a time */

/* factor out: [F] 1 / sd; 0 for constant features */
static int measure_dense(double *factor, const struct dataset *data, struct err *err)
{
    struct scaling scaling;

    if (scaling_fit(&scaling, data, SCALE_STANDARDIZE, err))
        return -1;
    for (int32_t j = 0; j < data->n_features; j++)
        factor[j] = scaling.column_factor[j];
    scaling_release(&scaling);
    return 0;
}

static int measure_sparse(double *factor, const struct dataset *data, struct err *err)
{
    const struct csr *a = &data->sparse_features;
    const double n = data->n_nodes;
    double *sum = calloc((size_t)data->n_features + 1, sizeof *sum);

    if (!sum)
        return err_nomem(err, "column sums", (size_t)data->n_features * sizeof *sum);
    for (int64_t at = 0; at < csr_nnz(a); at++) {
        sum[a->col[at]] += (double)a->val[at];
        factor[a->col[at]] += (double)a->val[at] * (double)a->val[at];
    }
    for (int32_t j = 0; j < data->n_features; j++) {
        double variance = factor[j] / n - sum[j] / n * (sum[j] / n);

        factor[j] = variance > 1e-12 * factor[j] / n ? 1 / sqrt(variance) : 0;
    }
    free(sum);
    return 0;
}

int spread_measure(struct spread *out, const struct dataset *data, struct err *err)
{
    double *factor = calloc((size_t)data->n_features + 1, sizeof *factor);
    int rc;

    *out = (struct spread){.widest = -1, .narrowest = -1};
    if (!factor)
        return err_nomem(err, "spreads", (size_t)data->n_features * sizeof *factor);
    rc = data->is_sparse ? measure_sparse(factor, data, err) : measure_dense(factor, data, err);
    for (int32_t j = 0; !rc && j < data->n_features; j++) {
        if (factor[j] <= 0)
            continue;
        if (out->widest < 0 || factor[j] < factor[out->widest])
            out->widest = j;
        if (out->narrowest < 0 || factor[j] > factor[out->narrowest])
            out->narrowest = j;
    }
    if (!rc && out->widest >= 0) {
        out->most = 1 / factor[out->widest];
        out->least = 1 / factor[out->narrowest];
    }
    free(factor);
    return rc;
}

int spread_has_amounts(bool *out, const struct dataset *data, struct err *err)
{
    struct mat space;

    *out = false;
    if (data->is_sparse)
        return 0;
    if (mat_init(&space, BLOCK_ROWS, data->n_features, err))
        return -1;
    for (int32_t first = 0; !*out && first < data->n_nodes; first += BLOCK_ROWS) {
        int32_t left = data->n_nodes - first;
        struct mat block = mat_view(space.v, left < BLOCK_ROWS ? left : BLOCK_ROWS, space.n_cols);

        dataset_decode(&block, data, first, 0);
        for (int64_t at = 0; !*out && at < mat_size(&block); at++)
            *out = block.v[at] != 0 && block.v[at] != 1;
    }
    mat_release(&space);
    return 0;
}
