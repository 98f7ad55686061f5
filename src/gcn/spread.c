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

/* *found: whether some feature has a value beside 0 and 1. is_amount: [F] out, which ones; NULL:
 * only whether there is any. */
static int find_amounts(bool *found, bool *is_amount, const struct dataset *data, struct err *err)
{
    struct mat space;

    *found = false;
    if (mat_init(&space, BLOCK_ROWS, data->n_features, err))
        return -1;
    for (int32_t first = 0; (is_amount || !*found) && first < data->n_nodes; first += BLOCK_ROWS) {
        int32_t left = data->n_nodes - first;
        struct mat block = mat_view(space.v, left < BLOCK_ROWS ? left : BLOCK_ROWS, space.n_cols);

        dataset_decode(&block, data, first, 0);
        for (int64_t at = 0; (is_amount || !*found) && at < mat_size(&block); at++) {
            bool is_one = block.v[at] != 0 && block.v[at] != 1;

            *found |= is_one;
            if (is_amount)
                is_amount[at % data->n_features] |= is_one;
        }
    }
    mat_release(&space);
    return 0;
}

/* How narrow a feature of 0 and 1 is says how rare it is, not on which scale it is: the widest of
 * them stands for all. */
static int find_narrowest(struct spread *out, const double *factor, const struct dataset *data,
                          struct err *err)
{
    bool *is_amount = calloc((size_t)data->n_features + 1, sizeof *is_amount);
    int32_t label = -1;
    bool found;
    int rc = 0;

    if (!is_amount)
        return err_nomem(err, "spreads", (size_t)data->n_features);
    if (!data->is_sparse)
        rc = find_amounts(&found, is_amount, data, err);
    for (int32_t j = 0; !rc && j < data->n_features; j++) {
        bool is_label = !data->is_sparse && !is_amount[j];

        if (factor[j] <= 0)
            continue;
        if (is_label && (label < 0 || factor[j] < factor[label]))
            label = j;
        if (!is_label && (out->narrowest < 0 || factor[j] > factor[out->narrowest]))
            out->narrowest = j;
    }
    if (label >= 0 && (out->narrowest < 0 || factor[label] > factor[out->narrowest]))
        out->narrowest = label;
    free(is_amount);
    return rc;
}

int spread_measure(struct spread *out, const struct dataset *data, struct err *err)
{
    double *factor = calloc((size_t)data->n_features + 1, sizeof *factor);
    int rc;

    *out = (struct spread){.widest = -1, .narrowest = -1};
    if (!factor)
        return err_nomem(err, "spreads", (size_t)data->n_features * sizeof *factor);
    rc = data->is_sparse ? measure_sparse(factor, data, err) : measure_dense(factor, data, err);
    for (int32_t j = 0; !rc && j < data->n_features; j++)
        if (factor[j] > 0 && (out->widest < 0 || factor[j] < factor[out->widest]))
            out->widest = j;
    if (!rc)
        rc = find_narrowest(out, factor, data, err);
    if (!rc && out->narrowest >= 0) {
        out->most = 1 / factor[out->widest];
        out->least = 1 / factor[out->narrowest];
    }
    free(factor);
    return rc;
}

int spread_has_amounts(bool *out, const struct dataset *data, struct err *err)
{
    *out = false;
    return data->is_sparse ? 0 : find_amounts(out, NULL, data, err);
}
