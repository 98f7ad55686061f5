/* SPDX-License-Identifier: BSD-3-Clause */
/* More features than samples: the features' coordinates in an orthonormal basis.
 *
 * X (N, F), the scaled features, is L Q: Q (rank, F) has orthonormal rows, which span the rows of
 * X, and L (N, rank) holds the samples' coordinates. With X X^T = U diag(lambda) U^T, L is
 * U diag(sqrt(lambda)) and Q is diag(1 / sqrt(lambda)) U^T X, which is never made. Columns of L
 * stand in descending order of lambda. (The singular value decomposition; Golub & Van Loan 2013,
 * Matrix Computations, section 2.4.)
 *
 * Layer 1 trains on L as it would on X: the weights by X are W = Q^T V + a part that no sample
 * sees. Products between samples, and so kinship and kernels, are those of X. The gradient by V is
 * Q times that by W, so that gradient descent, with momentum and weight decay, takes the same path
 * from V = Q W, to rounding. Adam scales each coordinate by its own history; it sees rotated
 * coordinates and takes another path in the same class of models.
 *
 * With the K leading directions alone, L L^T is the nearest to X X^T of all matrices of rank K
 * (Eckart & Young 1936), and where columns were standardised, L holds principal components. */
#ifndef GCN_REDUCER_H
#define GCN_REDUCER_H

#include "gcn/scale.h"

/* gcn_inputs_spec.reduce: one of these, or the number of leading directions to keep. */
enum { REDUCE_NONE = 0, REDUCE_EXACT = -1 };

/* What any number of reductions of the same features start from. */
struct reducer {
    const struct dataset *data; /* borrowed */
    struct scaling scaling;     /* of dense features */
    struct csr sparse;          /* (N, F) scaled sparse features */
    double *gram;               /* (n, n) lower triangle of X X^T, or of X^T X where F < N */
    int32_t n;                  /* the smaller of N and F */
};

/* Whether the data can be reduced so. -1 and err, "reduce = ...: ...": K is larger than N or F, or
 * inputs are dropped, which is done to features and not to directions. */
int reducer_check(const struct gcn_inputs_spec *spec, const struct dataset *data, struct err *err);

/* Whether the features stay as they are: REDUCE_NONE, and REDUCE_EXACT where F <= N, since it would
 * save nothing. */
bool reducer_keeps(const struct dataset *data, int32_t reduce);

/* Memory that reducer_init() and reducer_make() take together, at most. */
double reducer_bytes(const struct dataset *data, int32_t reduce);

/* Products of all pairs of samples, or of features, read in panels: cost N F min(N, F) flop where
 * dense; where sparse, the squared counts of the columns' (or rows') entries. data is borrowed.
 *   width  features (or samples) in a panel; 0: a good number. Bits depend on it
 * Sets OpenBLAS to one thread, for the same bits everywhere. Pair with reducer_release(). -1 and
 * err when memory is short or sparse features would fill in. */
int reducer_init(struct reducer *reducer, const struct dataset *data, enum feature_scale scale,
                 int32_t width, struct err *err);
void reducer_release(struct reducer *reducer); /* takes a zeroed one */

/* The same products of all pairs of samples, also where there are fewer features.
 *   gram  out  (N, N) lower triangle of X X^T; handed over, to be freed
 * -1 and err as above. */
int reducer_products(double **gram, const struct dataset *data, enum feature_scale scale,
                     struct err *err);

/* l out (N, rank): see above. rank counts the lambda above n FLT_EPSILON^2 times the largest: by
 * that much rounding X to floats can move an eigenvalue from 0 (Weyl), and it is 64 n roundings of
 * the double sums. Never less than one, at most K. Pair with mat_release(). -1 and err when memory
 * is short or the decomposition fails. */
int reducer_make(struct mat *l, const struct reducer *reducer, int32_t reduce, struct err *err);

/* The way back: the smallest weights by features that make of each sample what weights by its
 * coordinates make of it.
 *   w   out (F, H)  X w = xw; in double, then rounded. Pair with mat_release()
 *   xw  in  (N, H)  L v, v the weights by coordinates of this reduction
 * It is X^+ xw, with the directions of the reduction alone: well conditioned for the samples
 * whatever the lambda, and the same whichever basis a machine finds. Cost: reducer_make(), and 2 N
 * F H flop. -1 and err as there. (Golub & Van Loan 2013, section 5.5.) */
int reducer_weights(struct mat *w, const struct reducer *reducer, int32_t reduce,
                    const struct mat *xw, struct err *err);

#endif
