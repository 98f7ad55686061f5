/* Symmetric positive definite systems, by LAPACK, which comes with OpenBLAS. */
#ifndef TENSOR_CHOLESKY_H
#define TENSOR_CHOLESKY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

/* Asked now and then during a long solve, after some seconds at most; false ends it. */
struct cholesky_watch {
    bool (*keep_going)(void *arg);
    void *arg;
};

/* Solve a x = b for each right side.
 *   b      inout  [n_rhs][n] right sides one after another; the solutions
 *   a      inout  (n, n) its lower triangle is read; overwritten
 *   n      at least 1
 *   watch  NULL: nobody asks
 * As many threads as gemm_set_threads() says. Cost n^3 / 3 + 2 n^2 n_rhs flop. 1: ended by the
 * watch. -1 and err where a is not positive definite, to rounding. b is undefined after both.
 * Source: LAPACK's dpotrf, dpotrs; Golub & Van Loan 2013, Matrix Computations, section 4.2. */
int cholesky_solve(double *b, int32_t n_rhs, double *a, int32_t n,
                   const struct cholesky_watch *watch, struct err *err);

#endif
