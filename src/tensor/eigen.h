/* Eigenvectors of symmetric matrices: the only user of LAPACK, which comes with OpenBLAS. */
#ifndef TENSOR_EIGEN_H
#define TENSOR_EIGEN_H

#include <stdint.h>

#include "base/err.h"

/* The k largest eigenvalues of a symmetric matrix, and their eigenvectors.
 *   values   out    [k] descending
 *   vectors  out    [k][n] one after another, each of length 1; of its entries that are largest in
 *                   size (to 1e-6) the first is positive, so that no sign is LAPACK's choice
 *   a        inout  (n, n) its lower triangle is read; overwritten
 *   k        in [1, n]
 * Vectors of equal eigenvalues are some basis of their common space. Takes another (k, n) of
 * memory. -1 and err when memory is short or the iteration does not converge.
 * Source: LAPACK's dsyevr; Dhillon & Parlett 2004, Linear Algebra Appl. 387. */
int eigen_leading(double *values, double *vectors, double *a, int32_t n, int32_t k,
                  struct err *err);

#endif
