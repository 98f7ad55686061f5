/* SPDX-License-Identifier: BSD-3-Clause */
/* Reduces more features than samples to coordinates in an orthonormal basis (doc/decisions/0010).
 *
 * X (N, F), the scaled features, is L Q. Q (rank, F) has orthonormal rows that span X's rows. With
 * X X^T = U diag(lambda) U^T, lambda in descending order, L (N, rank) is U diag(sqrt(lambda)), and
 * Q, never computed, is diag(1 / sqrt(lambda)) U^T X. (Singular value decomposition; Golub & Van
 * Loan 2013, Matrix Computations, section 2.4.)
 *
 * Products between samples are those of X. Gradient descent with momentum and weight decay takes
 * the same path as on X, to rounding; adam takes another in the same class of models.
 *
 * Example: 600 wheat lines with 60,000 markers become 600 rows of 600 coordinates, so a first layer of 64
 * units has 38,400 weights instead of 3,840,000, and every product of two lines is unchanged.
 *
 * With the K leading directions alone, L L^T is the matrix of rank K nearest to X X^T (Eckart &
 * Young 1936). If columns are standardised, L holds principal components. */
#ifndef GCN_REDUCER_H
#define GCN_REDUCER_H

#include "gcn/scale.h"

/* gcn_inputs_spec.reduce is one of these, or the number of leading directions. */
enum { REDUCE_NONE = 0, REDUCE_EXACT = -1 };

/* Start of all reductions of the same features. */
struct reducer {
    const struct dataset *data; /* borrowed */
    struct scaling scaling;     /* of dense features */
    struct csr sparse;          /* (N, F) scaled sparse features */
    double *gram;               /* (n, n) lower triangle of X X^T, or of X^T X if F < N */
    int32_t n;                  /* smaller of N and F */
};

/* -1 and err, "reduce = ...: ...": K is larger than N or F, or trials drop inputs. */
int reducer_check(const struct gcn_inputs_spec *spec, const struct dataset *data, struct err *err);

/* True for REDUCE_NONE, and for REDUCE_EXACT with F <= N, which saves nothing. */
bool reducer_keeps(const struct dataset *data, int32_t reduce);

/* Most bytes that reducer_init() and reducer_make() take together. */
double reducer_bytes(const struct dataset *data, int32_t reduce);

/* Multiply all pairs of samples or features, in panels. Costs N F min(N, F) flop if dense, the
 * squared counts of entries in columns (or rows) if sparse. data is borrowed.
 *   width  of a panel in features (or samples); 0: a good number. Bits depend on it.
 * Sets OpenBLAS to one thread, for the same bits everywhere. Pair with reducer_release(). -1 and
 * err: out of memory, or scaling would make sparse features dense. */
int reducer_init(struct reducer *reducer, const struct dataset *data, enum feature_scale scale,
                 int32_t width, struct err *err);
void reducer_release(struct reducer *reducer);

/* Multiply all pairs of samples, even if features are fewer.
 *   gram  out  (N, N) lower triangle of X X^T; the caller frees it
 * -1 and err as above. */
int reducer_products(double **gram, const struct dataset *data, enum feature_scale scale,
                     struct err *err);

/* l out (N, rank). rank, from 1 to K, counts the lambda above n FLT_EPSILON^2 times the largest:
 * rounding X to floats can move an eigenvalue that far from 0 (Weyl). Pair with mat_release(). -1
 * and err: out of memory, or the decomposition failed. */
int reducer_make(struct mat *l, const struct reducer *reducer, int32_t reduce, struct err *err);

/* The smallest weights by features that act on the samples like weights by coordinates.
 *   w   out (F, H)  X w = xw; in double, then rounded. Pair with mat_release().
 *   xw  in  (N, H)  L v, with v the weights by coordinates of this reduction
 * Costs reducer_make() and 2 N F H flop. -1 and err as there. w is X^+ xw over the directions of
 * the reduction (Golub & Van Loan 2013, section 5.5), whatever basis a machine finds. */
int reducer_weights(struct mat *w, const struct reducer *reducer, int32_t reduce,
                    const struct mat *xw, struct err *err);

#endif
