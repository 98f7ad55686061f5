/* SPDX-License-Identifier: BSD-3-Clause */
#include "gcn/reducer.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpu.h"
#include "tensor/gemm.h"
#include "tensor/lapack.h"
#include "tensor/spmm.h"

static int32_t smaller(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

static int32_t n_directions(const struct dataset *data, int32_t reduce)
{
    int32_t n = smaller(data->n_samples, data->n_features);

    return reduce == REDUCE_EXACT ? n : smaller(reduce, n);
}

int reducer_check(const struct gcn_inputs_spec *spec, const struct dataset *data, struct err *err)
{
    int32_t n = smaller(data->n_samples, data->n_features);

    if (spec->reduce > n)
        return err_set(err,
                       "reduce = pca:%d: must be at most pca:%d, the smaller of %d samples and %d "
                       "features",
                       (int)spec->reduce, (int)n, (int)data->n_samples, (int)data->n_features);
    if (spec->reduce != REDUCE_NONE && spec->drops_inputs)
        return err_set(err, "reduce and input_dropout exclude each other: a reduction leaves no "
                            "features to drop: set reduce = none or input_dropout = 0");
    return 0;
}

bool reducer_keeps(const struct dataset *data, int32_t reduce)
{
    return reduce == REDUCE_NONE || (reduce == REDUCE_EXACT && data->n_features <= data->n_samples);
}

double reducer_bytes(const struct dataset *data, int32_t reduce)
{
    double n = smaller(data->n_samples, data->n_features);
    double k = n_directions(data, reduce);
    double entries = data->is_sparse ? (double)csr_nnz(&data->sparse_features) : 0;

    /* Products and a copy to decompose, vectors twice, L, sparse features and their transpose. */
    return 2 * n * n * sizeof(double) + 2 * n * k * sizeof(double) +
           data->n_samples * k * sizeof(float) + 2 * entries * (sizeof(float) + sizeof(int32_t));
}

/* ---- products ---- */

static bool is_of_samples(const struct reducer *reducer)
{
    return reducer->n == reducer->data->n_samples;
}

static void add_sparse(double *gram, const struct csr *a)
{
    size_t n = (size_t)a->n_cols;

    for (int32_t r = 0; r < a->n_rows; r++)
        for (int64_t e = a->row_start[r]; e < a->row_start[r + 1]; e++)
            for (int64_t before = a->row_start[r]; before <= e; before++)
                gram[(size_t)a->col[e] * n + (size_t)a->col[before]] +=
                    (double)a->val[e] * (double)a->val[before];
}

/* n: samples or features whose pairs are multiplied. */
static int init(struct reducer *reducer, const struct dataset *data, enum feature_scale scale,
                size_t n, int32_t width, struct err *err)
{
    struct scaling_walk walk = {0};
    struct csr transposed = {0};
    bool by_samples;
    int rc;

    *reducer = (struct reducer){.data = data, .n = (int32_t)n};
    by_samples = is_of_samples(reducer);
    gemm_set_threads(1);
    if (data->is_sparse)
        rc = scale_sparse(&reducer->sparse, data, 0, scale, err);
    else
        rc = scaling_init(&reducer->scaling, data, scale, err);
    if (!rc) {
        reducer->gram = calloc(n * n, sizeof *reducer->gram);
        if (!reducer->gram)
            rc = err_nomem(err, "products of all pairs", n * n * sizeof *reducer->gram);
    }
    if (!rc && data->is_sparse && by_samples)
        rc = csr_transpose(&transposed, &reducer->sparse, err);
    if (!rc && data->is_sparse)
        add_sparse(reducer->gram, by_samples ? &transposed : &reducer->sparse);
    if (!rc && !data->is_sparse)
        rc = scaling_walk_init(&walk, &reducer->scaling, &reducer->scaling, by_samples, width, err);
    while (!rc && !data->is_sparse && scaling_walk_next(&walk))
        gemm_gram(reducer->gram, reducer->n, walk.scaled, walk.panel.n, !by_samples);
    scaling_walk_release(&walk);
    csr_release(&transposed);
    if (rc)
        reducer_release(reducer);
    return rc;
}

int reducer_init(struct reducer *reducer, const struct dataset *data, enum feature_scale scale,
                 int32_t width, struct err *err)
{
    return init(reducer, data, scale, (size_t)smaller(data->n_samples, data->n_features), width,
                err);
}

int reducer_products(double **gram, const struct dataset *data, enum feature_scale scale,
                     struct err *err)
{
    struct reducer reducer;

    *gram = NULL;
    if (init(&reducer, data, scale, (size_t)data->n_samples, 0, err))
        return -1;
    *gram = reducer.gram;
    reducer.gram = NULL;
    reducer_release(&reducer);
    return 0;
}

void reducer_release(struct reducer *reducer)
{
    if (!reducer)
        return;
    scaling_release(&reducer->scaling);
    csr_release(&reducer->sparse);
    free(reducer->gram);
    *reducer = (struct reducer){0};
}

/* ---- coordinates ---- */

static int project_dense(struct mat *l, const struct reducer *reducer, const struct mat *basis,
                         struct err *err)
{
    struct scaling_walk walk;
    int rc = scaling_walk_init(&walk, &reducer->scaling, NULL, is_of_samples(reducer), 0, err);

    while (!rc && scaling_walk_next(&walk)) {
        struct mat part = mat_view(mat_row(l, walk.panel.at), walk.panel.n, l->n_cols);

        for (int64_t i = 0; i < mat_size(&walk.raw); i++)
            walk.raw.v[i] = (float)walk.scaled[i];
        gemm(&part, &walk.raw, basis);
    }
    scaling_walk_release(&walk);
    return rc;
}

/* l = X V, V the eigenvectors of X^T X. */
static int of_features(struct mat *l, const struct reducer *reducer, const double *vectors,
                       int32_t rank, struct err *err)
{
    struct mat basis = {0}; /* (F, rank) */
    int rc = mat_init(&basis, reducer->n, rank, err);

    *l = (struct mat){0};
    for (int64_t i = 0; !rc && i < mat_size(&basis); i++)
        basis.v[i] = (float)vectors[i % rank * reducer->n + i / rank];
    if (!rc)
        rc = mat_init(l, reducer->data->n_samples, rank, err);
    if (!rc && reducer->data->is_sparse)
        spmm(l, &reducer->sparse, NULL, &basis, NULL);
    else if (!rc)
        rc = project_dense(l, reducer, &basis, err);
    mat_release(&basis);
    if (rc)
        mat_release(l);
    return rc;
}

struct leading {
    double *values;  /* [k] */
    double *vectors; /* [k][n] */
    int32_t rank;
};

static void leading_release(struct leading *leading)
{
    free(leading->values);
    free(leading->vectors);
}

static int decompose(struct leading *out, const struct reducer *reducer, int32_t reduce,
                     struct err *err)
{
    int32_t n = reducer->n, k = n_directions(reducer->data, reduce);
    size_t square = (size_t)n * (size_t)n * sizeof(double);
    double *copy = malloc(square);
    int rc = 0;

    gemm_set_threads(1);
    out->values = malloc((size_t)k * sizeof *out->values);
    out->vectors = malloc((size_t)k * (size_t)n * sizeof *out->vectors);
    if (!copy || !out->values || !out->vectors)
        rc = err_nomem(err, "eigenvectors", 2 * square);
    if (!rc) {
        memcpy(copy, reducer->gram, square);
        rc = lapack_eigen_leading(out->values, out->vectors, copy, n, k, err);
    }
    out->rank = 1;
    while (!rc && out->rank < k &&
           out->values[out->rank] > (double)n * FLT_EPSILON * FLT_EPSILON * out->values[0])
        out->rank++;
    free(copy);
    return rc;
}

int reducer_make(struct mat *l, const struct reducer *reducer, int32_t reduce, struct err *err)
{
    struct leading leading = {0};
    int rc = decompose(&leading, reducer, reduce, err);

    if (!rc && !is_of_samples(reducer)) {
        rc = of_features(l, reducer, leading.vectors, leading.rank, err);
    } else if (!rc) { /* l = U sqrt(lambda) */
        rc = mat_init(l, reducer->n, leading.rank, err);
        for (int32_t c = 0; !rc && c < leading.rank; c++) {
            const double *v = leading.vectors + (size_t)c * (size_t)reducer->n;
            double root = sqrt(fmax(leading.values[c], 0));

            for (int32_t i = 0; i < reducer->n; i++)
                mat_row(l, i)[c] = (float)(root * v[i]);
        }
    }
    leading_release(&leading);
    return rc;
}

/* ---- weights by features ---- */

/* b (n, h) = V diag(1 / lambda) V^T b; t [h] */
static void apply_inverse(double *b, double *t, const double *before, const struct leading *leading,
                          size_t n, size_t h)
{
    memset(b, 0, n * h * sizeof *b);
    for (int32_t c = 0; c < leading->rank; c++) {
        const double *v = leading->vectors + (size_t)c * n;

        memset(t, 0, h * sizeof *t);
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < h; j++)
                t[j] += v[i] * before[i * h + j];
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < h; j++)
                b[i * h + j] += v[i] * t[j] / leading->values[c];
    }
}

/* w (n_cols, h) += x^T b; w and b start at the panel's columns and rows. */
CLONES static void add_transposed(double *restrict w, const double *restrict x, int32_t n_rows,
                                  int32_t n_cols, const double *restrict b, size_t h)
{
    for (int32_t i = 0; i < n_rows; i++, x += n_cols, b += h)
        for (int32_t f = 0; f < n_cols; f++)
            for (size_t j = 0; j < h; j++)
                w[(size_t)f * h + j] += x[f] * b[j];
}

/* w (F, h) = X^T b, b (N, h) */
static int transposed_product(double *w, const struct reducer *reducer, const double *b, size_t h,
                              struct err *err)
{
    const struct dataset *data = reducer->data;
    bool by_samples = is_of_samples(reducer);
    const struct csr *x = &reducer->sparse;
    struct scaling_walk walk;
    int rc;

    memset(w, 0, (size_t)data->n_features * h * sizeof *w);
    for (int32_t i = 0; data->is_sparse && i < x->n_rows; i++)
        for (int64_t e = x->row_start[i]; e < x->row_start[i + 1]; e++)
            for (size_t j = 0; j < h; j++)
                w[(size_t)x->col[e] * h + j] += (double)x->val[e] * b[(size_t)i * h + j];
    if (data->is_sparse)
        return 0;
    rc = scaling_walk_init(&walk, &reducer->scaling, NULL, by_samples, 0, err);
    while (!rc && scaling_walk_next(&walk)) {
        size_t begin = (size_t)walk.panel.at * h;

        add_transposed(by_samples ? w + begin : w, walk.scaled, walk.raw.n_rows, walk.raw.n_cols,
                       by_samples ? b : b + begin, h);
    }
    scaling_walk_release(&walk);
    return rc;
}

/* w (F, H), b (N, H), t [H]. With products of samples the inverse comes first, of features last. */
static int solve(double *w, double *b, double *t, const struct reducer *reducer,
                 const struct leading *leading, const struct mat *xw, struct err *err)
{
    size_t n = (size_t)reducer->n, h = (size_t)xw->n_cols;
    size_t size = (size_t)mat_size(xw);
    double *before = is_of_samples(reducer) ? b : w;
    double *copy = malloc(n * h * sizeof *copy);
    int rc = copy ? 0 : err_nomem(err, "weights", n * h * sizeof *copy);

    for (size_t i = 0; i < size; i++)
        b[i] = (double)xw->v[i];
    if (!rc && !is_of_samples(reducer))
        rc = transposed_product(w, reducer, b, h, err);
    if (!rc) {
        memcpy(copy, before, n * h * sizeof *copy);
        apply_inverse(before, t, copy, leading, n, h);
    }
    if (!rc && is_of_samples(reducer))
        rc = transposed_product(w, reducer, b, h, err);
    free(copy);
    return rc;
}

int reducer_weights(struct mat *w, const struct reducer *reducer, int32_t reduce,
                    const struct mat *xw, struct err *err)
{
    size_t size = (size_t)reducer->data->n_features * (size_t)xw->n_cols;
    double *exact = malloc(size * sizeof *exact);
    double *b = malloc((size_t)mat_size(xw) * sizeof *b);
    double *t = malloc((size_t)xw->n_cols * sizeof *t);
    struct leading leading = {0};
    int rc = decompose(&leading, reducer, reduce, err);

    *w = (struct mat){0};
    if (!rc && (!exact || !b || !t))
        rc = err_nomem(err, "weights", size * sizeof *exact);
    if (!rc)
        rc = solve(exact, b, t, reducer, &leading, xw, err);
    if (!rc)
        rc = mat_init(w, reducer->data->n_features, xw->n_cols, err);
    for (size_t i = 0; !rc && i < size; i++)
        w->v[i] = (float)exact[i];
    leading_release(&leading);
    free(exact);
    free(b);
    free(t);
    return rc;
}
