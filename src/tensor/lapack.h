/* SPDX-License-Identifier: BSD-3-Clause */
/* Symmetric matrices: linear systems and eigenvectors. The only user of LAPACK, which comes with
 * OpenBLAS. */
#ifndef TENSOR_LAPACK_H
#define TENSOR_LAPACK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

/* Asked now and then during a long solve, after some seconds at most; false ends it. */
struct lapack_watch {
    bool (*keep_going)(void *arg);
    void *arg;
};

/* Solve a x = b, a symmetric and positive definite, for each right side.
 *   b      inout  [n_rhs][n] right sides one after another; the solutions
 *   a      inout  (n, n) its lower triangle is read; overwritten
 *   n      at least 1
 *   watch  NULL: nobody asks
 * As many threads as gemm_set_threads() says. Cost n^3 / 3 + 2 n^2 n_rhs flop. 1: ended by the
 * watch. -1 and err where a is not positive definite, to rounding. b is undefined after both.
 * Source: LAPACK's dpotrf, dpotrs; Golub & Van Loan 2013, Matrix Computations, section 4.2. */
int lapack_cholesky_solve(double *b, int32_t n_rhs, double *a, int32_t n,
                          const struct lapack_watch *watch, struct err *err);

/* The k largest eigenvalues of a symmetric matrix, and their eigenvectors.
 *   values   out    [k] descending
 *   vectors  out    [k][n] one after another, each of length 1; of its entries that are largest in
 *                   size (to 1e-6) the first is positive, so that no sign is LAPACK's choice
 *   a        inout  (n, n) its lower triangle is read; overwritten
 *   k        in [1, n]
 * Vectors of equal eigenvalues are some basis of their common space. Takes another (k, n) of
 * memory. -1 and err when memory is short or the iteration does not converge.
 * Source: LAPACK's dsyevr; Dhillon & Parlett 2004, Linear Algebra Appl. 387. */
int lapack_eigen_leading(double *values, double *vectors, double *a, int32_t n, int32_t k,
                         struct err *err);

#endif
