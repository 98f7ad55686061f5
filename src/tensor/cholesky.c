#include "tensor/cholesky.h"

#include <assert.h>

/* As in eigen.c: Fortran's calling convention. */
void dpotrf_(const char *triangle, const int *n, double *a, const int *a_stride, int *info);
void dpotrs_(const char *triangle, const int *n, const int *n_rhs, const double *a,
             const int *a_stride, double *b, const int *b_stride, int *info);

int cholesky_solve(double *b, int32_t n_rhs, double *a, int32_t n, struct err *err)
{
    int size = n, n_sides = n_rhs, info;

    assert(n >= 1 && n_rhs >= 1);
    /* A lower triangle by rows is an upper one by columns. */
    dpotrf_("U", &size, a, &size, &info);
    if (info)
        return err_set(err, "a matrix of %d x %d is not positive definite (LAPACK's %d)", (int)n,
                       (int)n, info);
    dpotrs_("U", &size, &n_sides, a, &size, b, &size, &info);
    assert(info == 0);
    return 0;
}
