#include "tensor/cholesky.h"

#include <assert.h>
#include <stddef.h>

/* As in eigen.c: Fortran's calling convention, and a lower triangle by rows is an upper one by
 * columns: a = U^T U. */
void dpotrf_(const char *triangle, const int *n, double *a, const int *a_stride, int *info);
void dpotrs_(const char *triangle, const int *n, const int *n_rhs, const double *a,
             const int *a_stride, double *b, const int *b_stride, int *info);
void dtrsm_(const char *side, const char *triangle, const char *transposed, const char *diagonal,
            const int *n_rows, const int *n_cols, const double *factor, const double *a,
            const int *a_stride, double *b, const int *b_stride);
void dsyrk_(const char *triangle, const char *transposed, const int *n, const int *k,
            const double *factor, const double *a, const int *a_stride, const double *factor_c,
            double *c, const int *c_stride);

/* Columns between two questions: at n = 20,000 the products of one block are 10^11 flop. */
#define BLOCK 256

/* Columns [at, at + n_block) of U, and what is left of a. LAPACK's info. */
static int factor_block(double *a, int n, int at, int n_block)
{
    const double one = 1, minus = -1;
    size_t stride = (size_t)n;
    double *diagonal = a + (size_t)at * (stride + 1);
    double *right = diagonal + (size_t)n_block * stride;
    int rest = n - at - n_block, info;

    dpotrf_("U", &n_block, diagonal, &n, &info);
    if (info || !rest)
        return info;
    dtrsm_("L", "U", "T", "N", &n_block, &rest, &one, diagonal, &n, right, &n);
    dsyrk_("U", "T", &rest, &n_block, &minus, right, &n, &one, right + n_block, &n);
    return 0;
}

int cholesky_solve(double *b, int32_t n_rhs, double *a, int32_t n,
                   const struct cholesky_watch *watch, struct err *err)
{
    int size = n, n_sides = n_rhs, info;

    assert(n >= 1 && n_rhs >= 1);
    for (int at = 0; at < n; at += BLOCK) {
        if (watch && !watch->keep_going(watch->arg))
            return 1;
        info = factor_block(a, n, at, n - at < BLOCK ? n - at : BLOCK);
        if (info)
            return err_set(err, "a matrix of %d x %d is not positive definite (at %d)", (int)n,
                           (int)n, at + info);
    }
    dpotrs_("U", &size, &n_sides, a, &size, b, &size, &info);
    assert(info == 0);
    return 0;
}
