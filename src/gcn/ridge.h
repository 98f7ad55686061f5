/* SPDX-License-Identifier: BSD-3-Clause */
/* Ridge regression with unpenalised fixed effects, solved exactly in the dual: the baseline of a
 * graph convolution (doc/decisions/0028).
 *
 * With Z (N, F), the scaled features of the network, K = Z Z^T / F, targets y of the training part t,
 * and X its intercept and fixed effects (gcn/fixed.h):
 *
 *   V = K_tt + lambda I
 *   b = (X_t^T V^-1 X_t)^-1 X_t^T V^-1 y     by generalised least squares
 *   alpha = V^-1 (y - X_t b)
 *
 * Predictions are K_.t alpha + X b. The feature weights w = Z_t^T alpha / F predict the same; with b
 * they minimise |y - Z_t w - X_t b|^2 + F lambda |w|^2.
 *
 * With standardised markers this is GBLUP with fixed effects: K is a genomic relationship matrix and lambda residual over genetic variance, (1 - h2) / h2 for heritability h2.
 *
 * There is no epoch to choose, so ridge also trains on the stop part (data/core/split.h).
 *
 * Each class is regressed against the rest, +1 against -1, with its own intercept, like
 * RidgeClassifier of scikit-learn. The largest score decides; scores are not probabilities.
 *
 * Source: Hoerl & Kennard 1970, Technometrics 12:55; the dual: Saunders et al. 1998, ICML; the
 * fixed effects: Henderson 1975, Biometrics 31:423; GBLUP: VanRaden 2008, J Dairy Sci 91:4414; equal
 * predictions by markers and relationships: Habier et al. 2007, Genetics 177:2389, and Goddard
 * 2009, Genetica 136:245. */
#ifndef GCN_RIDGE_H
#define GCN_RIDGE_H

#include "base/arena.h"
#include "base/clock.h"
#include "gcn/cost.h"
#include "gcn/loss.h"
#include "gcn/outcome.h"
#include "gcn/spec.h"
#include "tensor/lapack.h"

struct ridge_spec {
    double lambda; /* above 0 */
    enum metric objective;
};

/* K of all samples, for all trials of a scale. */
struct ridge_inputs {
    const struct dataset *data; /* borrowed */
    double *kernel;             /* (n, n) */
    int32_t n;                  /* N */
    bool is_view;               /* kernel is borrowed */
};

/* Make K; costs N^2 F flop. Sets OpenBLAS to one thread, for the same bits everywhere. Pair with
 * ridge_inputs_release(). -1 and err: out of memory, or scaling would make sparse features
 * dense. */
int ridge_inputs_init(struct ridge_inputs *inputs, const struct dataset *data,
                      enum feature_scale scale, struct err *err);
void ridge_inputs_release(struct ridge_inputs *inputs);

double ridge_inputs_bytes(const struct dataset *data);
/* Most bytes of ridge_inputs_init() and a training together. */
double ridge_bytes(const struct dataset *data);

extern const struct packed_type ridge_inputs_packed; /* as one block */

/* All members are borrowed. */
struct ridge_training {
    const struct ridge_spec *spec;
    const struct ridge_inputs *inputs;
    const struct split *split;
    int threads;
    struct arena *scratch; /* not reset */
    const struct clock *clock;
    const struct lapack_watch *watch; /* may be NULL */
};

/* A fitted model, in scratch. */
struct ridge {
    struct training_target target;
    int32_t n_train;
    int32_t n_outputs;          /* 1, or number of classes */
    double *alpha;              /* (C, n_train), then V^-1 of the basis of the fixed effects */
    struct fixed_effects fixed; /* of the standardised target or of each class */
};

/* Fit and score. Fills outcome (no epochs; losses of classes are NaN), or sets GCN_STOPPED if the
 * watch stops it. -1 and err: out of memory, or lambda is too small beside K for double
 * precision. */
int ridge_train(struct gcn_outcome *outcome, struct ridge *ridge,
                const struct ridge_training *training, struct err *err);

/* The model as weights of the scaled features, which are read again: outputs are Z w + b,
 * standardised for regression. With fixed effects b is 0, and their own intercept counts.
 *   weights  out  [(F + 1) C] w (F, C), then b [C] */
int ridge_weights(float *weights, const struct ridge *ridge, const struct dataset *data,
                  enum feature_scale scale, const struct split *split, struct err *err);

struct gcn_cost ridge_cost(const struct dataset *data, const struct split *split);

#endif
