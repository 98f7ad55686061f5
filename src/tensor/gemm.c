#include "tensor/gemm.h"

#include <assert.h>
#include <cblas.h>

#include "tensor/tall.h"

static int n_threads = 1; /* OpenBLAS may take fewer, and does not say what was asked for */

/* Narrow products have their own kernel. */
static bool is_for_tall(const struct mat *c, const struct mat *b, float alpha, float beta)
{
    return alpha == 1 && (beta == 0 || beta == 1) && b->n_rows > 0 && tall_is_able(c->n_cols);
}

/* A matrix times a vector: cblas_sgemm() would pack the matrix for a single use (18 us against 3
 * for 1058 x 64). */
static void gemv(struct mat *c, enum CBLAS_TRANSPOSE transpose, float alpha, const struct mat *a,
                 const struct mat *b, float beta)
{
    cblas_sgemv(CblasRowMajor, transpose, a->n_rows, a->n_cols, alpha, a->v, a->n_cols, b->v, 1,
                beta, c->v, 1);
}

void gemm(struct mat *c, float alpha, const struct mat *a, const struct mat *b, float beta)
{
    assert(c->n_rows == a->n_rows && c->n_cols == b->n_cols && a->n_cols == b->n_rows);
    if (mat_size(c) == 0)
        return;
    if (is_for_tall(c, b, alpha, beta)) {
        tall_product(c, a, false, b, beta == 1, n_threads);
        return;
    }
    if (c->n_cols == 1) {
        gemv(c, CblasNoTrans, alpha, a, b, beta);
        return;
    }
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, c->n_rows, c->n_cols, a->n_cols, alpha,
                a->v, a->n_cols, b->v, b->n_cols, beta, c->v, c->n_cols);
}

void gemm_tn(struct mat *c, float alpha, const struct mat *a, const struct mat *b, float beta)
{
    assert(c->n_rows == a->n_cols && c->n_cols == b->n_cols && a->n_rows == b->n_rows);
    if (mat_size(c) == 0)
        return;
    if (is_for_tall(c, b, alpha, beta)) {
        tall_product(c, a, true, b, beta == 1, n_threads);
        return;
    }
    if (c->n_cols == 1) {
        gemv(c, CblasTrans, alpha, a, b, beta);
        return;
    }
    cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, c->n_rows, c->n_cols, a->n_rows, alpha,
                a->v, a->n_cols, b->v, b->n_cols, beta, c->v, c->n_cols);
}

void gemm_nt(struct mat *c, float alpha, const struct mat *a, const struct mat *b, float beta)
{
    assert(c->n_rows == a->n_rows && c->n_cols == b->n_rows && a->n_cols == b->n_cols);
    if (mat_size(c) == 0)
        return;
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, c->n_rows, c->n_cols, a->n_cols, alpha,
                a->v, a->n_cols, b->v, b->n_cols, beta, c->v, c->n_cols);
}

void gemm_gram(double *c, int32_t n, const double *a, int32_t k, bool is_transposed)
{
    cblas_dsyrk(CblasRowMajor, CblasLower, is_transposed ? CblasTrans : CblasNoTrans, n, k, 1, a,
                is_transposed ? n : k, 1, c, n);
}

void gemm_set_threads(int n)
{
    n_threads = n;
    openblas_set_num_threads(n);
}

int gemm_threads(void)
{
    return n_threads;
}

int gemm_library_threads(void)
{
    return openblas_get_num_threads();
}

const char *gemm_library(void)
{
    return openblas_get_config();
}

const char *gemm_kernel(void)
{
    return openblas_get_corename();
}
