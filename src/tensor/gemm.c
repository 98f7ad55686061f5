#include "tensor/gemm.h"

#include <assert.h>
#include <cblas.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

void gemm(struct mat *c, float alpha, const struct mat *a, const struct mat *b, float beta)
{
    assert(c->n_rows == a->n_rows && c->n_cols == b->n_cols && a->n_cols == b->n_rows);
    if (mat_size(c) == 0)
        return;
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, c->n_rows, c->n_cols, a->n_cols, alpha,
                a->v, a->n_cols, b->v, b->n_cols, beta, c->v, c->n_cols);
}

void gemm_tn(struct mat *c, float alpha, const struct mat *a, const struct mat *b, float beta)
{
    assert(c->n_rows == a->n_cols && c->n_cols == b->n_cols && a->n_rows == b->n_rows);
    if (mat_size(c) == 0)
        return;
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

void gemm_set_threads(int n)
{
    openblas_set_num_threads(n);
}

const char *gemm_library(void)
{
    return openblas_get_config();
}

const char *gemm_kernel(void)
{
    return openblas_get_corename();
}

/* The x86-64-v4 set, and more than what the AVX-512 kernels of SkylakeX use. */
static bool has_avx512(void)
{
#ifdef __x86_64__
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#else
    return false;
#endif
}

const char *gemm_better_kernel(void)
{
    const char *chosen = gemm_kernel();

    if (getenv("OPENBLAS_CORETYPE") || !has_avx512())
        return NULL;
    if (strcmp(chosen, "Haswell") != 0 && strcmp(chosen, "Zen") != 0)
        return NULL;
    return "SkylakeX";
}
