/* SPDX-License-Identifier: BSD-3-Clause */
#include "tensor/lapack.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"

/* Fortran's calling convention: arguments by address, matrices by column, so a lower triangle by
 * rows is an upper one by columns (a = U^T U). OpenBLAS has no header for LAPACK. */
void dpotrf_(const char *triangle, const int *n, double *a, const int *a_stride, int *info);
void dpotrs_(const char *triangle, const int *n, const int *n_rhs, const double *a,
             const int *a_stride, double *b, const int *b_stride, int *info);
void dtrsm_(const char *side, const char *triangle, const char *transposed, const char *diagonal,
            const int *n_rows, const int *n_cols, const double *factor, const double *a,
            const int *a_stride, double *b, const int *b_stride);
void dsyrk_(const char *triangle, const char *transposed, const int *n, const int *k,
            const double *factor, const double *a, const int *a_stride, const double *factor_c,
            double *c, const int *c_stride);
void dsyevr_(const char *job, const char *range, const char *triangle, const int *n, double *a,
             const int *a_stride, const double *low, const double *high, const int *first,
             const int *last, const double *tolerance, int *n_found, double *values,
             double *vectors, const int *vector_stride, int *support, double *work,
             const int *n_work, int *integers, const int *n_integers, int *info);

/* ---- systems ---- */

/* Columns between calls of the watch: at n = 20,000 a block takes 10^11 flop. */
#define BLOCK 256

/* Compute columns [at, at + n_block) of U. Returns LAPACK's info. */
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

int lapack_cholesky_solve(double *b, int32_t n_rhs, double *a, int32_t n,
                          const struct lapack_watch *watch, struct err *err)
{
    int size = n, n_sides = n_rhs, info;

    assert(n >= 1 && n_rhs >= 1);
    for (int at = 0; at < n; at += BLOCK) {
        if (watch && !watch->keep_going(watch->arg))
            return 1;
        info = factor_block(a, n, at, n - at < BLOCK ? n - at : BLOCK);
        if (info)
            return err_set(err, "a %d x %d matrix is not positive definite (at row %d)", (int)n,
                           (int)n, at + info);
    }
    dpotrs_("U", &size, &n_sides, a, &size, b, &size, &info);
    assert(info == 0);
    return 0;
}

/* ---- eigenvectors ---- */

struct workspace {
    double *values; /* [n] ascending */
    double *vectors;
    int *support; /* [2 n] */
    double *work;
    int *integers;
    int n_work, n_integers;
};

/* Eigenpairs n - k + 1 to n in ascending order. n_work = -1: store the sizes of the work arrays in
 * work[0] and integers[0]. */
static int decompose(struct workspace *w, double *a, int n, int k)
{
    const double unused = 0;
    int first = n - k + 1, n_found, info;

    dsyevr_("V", "I", "U", &n, a, &n, &unused, &unused, &first, &n, &unused, &n_found, w->values,
            w->vectors, &n, w->support, w->work, &w->n_work, w->integers, &w->n_integers, &info);
    return info;
}

static void release(struct workspace *w)
{
    free(w->values);
    free(w->vectors);
    free(w->support);
    free(w->work);
    free(w->integers);
}

static int prepare(struct workspace *w, int n, int k)
{
    struct workspace query = {.n_work = -1, .n_integers = -1};
    double n_work = 0;
    int n_integers = 0;

    query.work = &n_work;
    query.integers = &n_integers;
    if (decompose(&query, NULL, n, k))
        return -1;
    w->n_work = (int)n_work;
    w->n_integers = n_integers;
    w->values = malloc((size_t)n * sizeof *w->values);
    w->vectors = malloc((size_t)n * (size_t)k * sizeof *w->vectors);
    w->support = malloc(2 * (size_t)n * sizeof *w->support);
    w->work = malloc((size_t)w->n_work * sizeof *w->work);
    w->integers = malloc((size_t)w->n_integers * sizeof *w->integers);
    return w->values && w->vectors && w->support && w->work && w->integers ? 0 : -1;
}

/* Rounding must not decide between equal entries. */
static double sign_of(const double *v, int32_t n)
{
    const double nearly = 1 - 1e-6;
    double largest = 0;
    int32_t i = 0;

    for (int32_t j = 0; j < n; j++)
        largest = fmax(largest, fabs(v[j]));
    while (i + 1 < n && fabs(v[i]) < nearly * largest)
        i++;
    return v[i] < 0 ? -1 : 1;
}

int lapack_eigen_leading(double *values, double *vectors, double *a, int32_t n, int32_t k,
                         struct err *err)
{
    struct workspace w = {0};
    int info = 0, rc = 0;

    assert(k >= 1 && k <= n);
    if (prepare(&w, n, k))
        rc = err_nomem(err, "eigenvectors", (size_t)n * (size_t)k * sizeof(double));
    if (!rc)
        info = decompose(&w, a, n, k);
    if (info)
        rc = err_set(err, "eigenvectors of a %d x %d matrix: LAPACK did not converge (info %d)",
                     (int)n, (int)n, info);
    for (int32_t i = 0; !rc && i < k; i++) {
        const double *from = w.vectors + (size_t)(k - 1 - i) * (size_t)n;
        double *to = vectors + (size_t)i * (size_t)n;
        double sign = sign_of(from, n);

        values[i] = w.values[k - 1 - i];
        for (int32_t j = 0; j < n; j++)
            to[j] = sign * from[j];
    }
    release(&w);
    return rc;
}
