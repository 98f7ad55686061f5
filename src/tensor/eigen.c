#include "tensor/eigen.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* LAPACK in Fortran's calling convention: all by address, matrices by column. OpenBLAS has no
 * header for it, and Debian packs LAPACKE apart. */
void dsyevr_(const char *job, const char *range, const char *triangle, const int *n, double *a,
             const int *a_stride, const double *low, const double *high, const int *first,
             const int *last, const double *tolerance, int *n_found, double *values,
             double *vectors, const int *vector_stride, int *support, double *work,
             const int *n_work, int *integers, const int *n_integers, int *info);

/* Memory of one decomposition. */
struct workspace {
    double *values; /* [n] ascending, as LAPACK has them */
    double *vectors;
    int *support; /* [2 n] */
    double *work;
    int *integers;
    int n_work, n_integers;
};

/* Eigenpairs n - k + 1 to n in ascending order; with n_work = -1 the sizes that work needs, in
 * work[0] and integers[0]. */
static int decompose(struct workspace *w, double *a, int n, int k)
{
    const double unused = 0;
    int first = n - k + 1, n_found, info;

    /* A lower triangle by rows is an upper one by columns. */
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

/* Which of v and -v: see the header. Entries that are equal but for rounding must not decide. */
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

int eigen_leading(double *values, double *vectors, double *a, int32_t n, int32_t k, struct err *err)
{
    struct workspace w = {0};
    int info = 0, rc = 0;

    assert(k >= 1 && k <= n);
    if (prepare(&w, n, k))
        rc = err_nomem(err, "eigenvectors", (size_t)n * (size_t)k * sizeof(double));
    if (!rc)
        info = decompose(&w, a, n, k);
    if (info)
        rc = err_set(err, "eigenvectors of %d x %d products: no convergence (LAPACK's %d)", (int)n,
                     (int)n, info);
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
