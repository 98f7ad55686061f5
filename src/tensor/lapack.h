/* SPDX-License-Identifier: BSD-3-Clause */
/* Linear systems and eigenvectors of symmetric matrices: the only user of LAPACK. */
#ifndef TENSOR_LAPACK_H
#define TENSOR_LAPACK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

/* Called every few seconds; false stops the solve. */
struct lapack_watch {
    bool (*keep_going)(void *arg);
    void *arg;
};

/* Solve a x = b, a symmetric and positive definite, for each right side.
 *   b      inout  [n_rhs][n] right sides, then solutions
 *   a      inout  (n, n) lower triangle read; overwritten
 *   n      at least 1
 *   watch  may be NULL
 * Uses n^3 / 3 + 2 n^2 n_rhs flop. 1: stopped by the watch; -1 and err: a is not positive definite
 * to rounding. b is then undefined.
 * Source: LAPACK's dpotrf, dpotrs; Golub & Van Loan 2013, Matrix Computations, section 4.2. */
int lapack_cholesky_solve(double *b, int32_t n_rhs, double *a, int32_t n,
                          const struct lapack_watch *watch, struct err *err);

/* The k largest eigenvalues of a symmetric matrix, and their eigenvectors.
 *   values   out    [k] descending
 *   vectors  out    [k][n], of length 1. The first of the largest entries (by size, to 1e-6) is
 *                   positive, so that LAPACK chooses no sign.
 *   a        inout  (n, n) lower triangle read; overwritten
 *   k        in [1, n]
 * Vectors of equal eigenvalues are any basis of their space. -1 and err: out of memory, or no
 * convergence.
 * Source: LAPACK's dsyevr; Dhillon & Parlett 2004, Linear Algebra Appl. 387. */
int lapack_eigen_leading(double *values, double *vectors, double *a, int32_t n, int32_t k,
                         struct err *err);

#endif
