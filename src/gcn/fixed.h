/* SPDX-License-Identifier: BSD-3-Clause */
/* Fixed effects: the small least-squares work that ridge, networks and type = fixed share.
 *
 * One rule codes the columns of a data set (data/core/fixed_columns.h) in every training part:
 *
 *   - an intercept comes first, then the columns in their order;
 *   - a factor is sum-coded over the levels that occur in the training part, as R's contr.sum; a
 *     sample without one of these levels has zeros, the unweighted mean of the levels' effects;
 *   - a column whose remainder, after its projection on the columns before it, is below 1e-7 of its
 *     length is dropped, as R's lm does (confounded factors, a column that is constant here).
 *
 * Effects come back for the columns of the data set, one for each level, so that every prediction is
 * intercept + x b. They are 0 for dropped columns, and for levels that the training part lacks. In R:
 *
 *   contrasts(f) <- contr.sum(nlevels(f)); coef(lm(y ~ f + x)), where NA means 0
 *
 * Example: y = 10, 12 at site A and 20 at site B gives the intercept 15.5, the mean of the sites' means
 * 11 and 20, and the effects A -4.5 and B 4.5. A new sample of site C is predicted as 15.5.
 *
 * Sources: Searle 1971, Linear Models, ch. 5; dqrdc2 of R for the tolerance. */
#ifndef GCN_FIXED_H
#define GCN_FIXED_H

#include "base/arena.h"
#include "data/core/dataset.h"

/* An orthogonal basis of the coded columns of one training part. */
struct fixed_design {
    int32_t n;             /* training samples */
    int32_t rank;          /* p, at least 1 */
    double *basis;         /* (p, n) mutually orthogonal, sum of squares n; row 0 is ones */
    double *r;             /* (p, p) upper triangle: coded column k is sum_j r[j][k] basis[j] */
    int32_t *plus, *minus; /* [p] columns of the data set whose difference a coded column is; -1:
                              none. Row 0 is the intercept */
};

/* All members lie in scratch; if that counts, only the rank is set, to the most. data without fixed effects have the intercept alone. -1 and err: out of
 * memory. */
int fixed_design_init(struct fixed_design *design, const struct dataset *data, const int32_t *train,
                      int32_t n_train, struct arena *scratch, struct err *err);

/* C outputs. */
struct fixed_effects {
    int32_t n;         /* q */
    int32_t n_outputs; /* C */
    double *b;         /* (q, C) */
    double *intercept; /* [C] */
};

/* Zeros, in scratch. */
int fixed_effects_init(struct fixed_effects *effects, int32_t n, int32_t n_outputs,
                       struct arena *scratch, struct err *err);

/* Effects of an output from coefficients c [p] of the basis, which are overwritten. */
void fixed_effects_take(struct fixed_effects *effects, const struct fixed_design *design, double *c,
                        int32_t output);

/* Solve a x = b by elimination without pivoting.
 *   a  inout  (n, n) symmetric and positive definite; overwritten
 *   b  inout  [n] */
void fixed_solve(double *b, double *a, int32_t n);

/* Output 0 by least squares. c scratch [p]. */
void fixed_least_squares(struct fixed_effects *effects, const struct fixed_design *design,
                         const double *y, double *c);

/* Multinomial logistic regression of all classes by Newton's method with conjugate gradients.
 *
 *   label   [n] of the training samples
 *   weight  [C] of the classes, or NULL
 *
 * A penalty of 1e-6 / 2 on the squares of the basis's coefficients keeps them finite where a column
 * separates the classes. -1 and err: out of memory.
 * Source: Krishnapuram et al. 2005, IEEE TPAMI 27:957; Nocedal & Wright 2006, algorithm 7.1. */
int fixed_logistic(struct fixed_effects *effects, const struct fixed_design *design,
                   const int32_t *label, const float *weight, struct arena *scratch,
                   struct err *err);

/* Floating-point operations of a design and its fit; 0 without fixed effects. */
double fixed_flops(const struct dataset *data, int32_t n_train);

/* intercept + x b of one output, x [q]. */
double fixed_effect(const struct fixed_effects *effects, const double *x, int32_t output);

#endif
