/* SPDX-License-Identifier: BSD-3-Clause */
/* Ridge regression with an unpenalised intercept, solved exactly in the dual: the baseline of a
 * graph convolution.
 *
 * Z (N, F) are the scaled features that the network sees, and K = Z Z^T / F. The training part t
 * with targets y gives
 *
 *   V = K_tt + lambda I
 *   b = 1^T V^-1 y / 1^T V^-1 1     the intercept: the mean of y by generalised least squares
 *   alpha = V^-1 (y - b)
 *
 * and the predictions are K_.t alpha + b. The weights w = Z_t^T alpha / F of the features predict
 * the same; they and b minimise |y - Z_t w - b|^2 + F lambda |w|^2. The dual has N unknowns, the
 * primal F.
 *
 * With standardised markers K is a genomic relationship matrix, and this is GBLUP with the mean as
 * its fixed effect: lambda is the residual over the genetic variance, (1 - h2) / h2 for a trait of
 * heritability h2. An offset of the features, which are centred over all samples and not over the
 * training part, changes b and no prediction.
 *
 * There is no epoch to choose, so no part that chooses one: what others keep for it (the stop part,
 * data/core/split.h) is trained on, and val is the same.
 *
 * Classes are regressed on too, one against the rest: +1 for samples of the class, -1 for others,
 * each with an intercept of its own, as RidgeClassifier of scikit-learn does it. The largest score
 * decides. Scores are no probabilities: there is no log_loss, and no loss.
 *
 * Source: Hoerl & Kennard 1970, Technometrics 12:55; the dual: Saunders et al. 1998, ICML; the
 * fixed effect: Henderson 1975, Biometrics 31:423; GBLUP: VanRaden 2008, J Dairy Sci 91:4414; that
 * weights of markers and relationships predict the same: Habier et al. 2007, Genetics 177:2389, and
 * Goddard 2009, Genetica 136:245. */
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

/* What all trials of a scale start from: K of all samples. */
struct ridge_inputs {
    const struct dataset *data; /* borrowed */
    double *kernel;             /* (n, n) */
    int32_t n;                  /* N */
    bool is_view; /* the kernel is somebody else's (ridge_inputs_view()): never freed here */
};

/* Pair with ridge_inputs_release(). Sets OpenBLAS to one thread, for the same bits everywhere; cost
 * N^2 F flop. -1 and err where memory is short or sparse features would fill in. */
int ridge_inputs_init(struct ridge_inputs *inputs, const struct dataset *data,
                      enum feature_scale scale, struct err *err);
void ridge_inputs_release(struct ridge_inputs *inputs);

/* Memory of the inputs. */
double ridge_inputs_bytes(const struct dataset *data);
/* Memory that ridge_inputs_init() and a training take together, at most. */
double ridge_bytes(const struct dataset *data);

/* The inputs as one block of bytes (gcn/packed.h): block out [ridge_inputs_packed_bytes()], 64-byte
 * aligned. A view borrows block and data, which must outlive it. */
size_t ridge_inputs_packed_bytes(const struct ridge_inputs *inputs);
void ridge_inputs_pack(void *block, const struct ridge_inputs *inputs);
int ridge_inputs_view(struct ridge_inputs *inputs, const struct dataset *data, const void *block,
                      size_t bytes, struct err *err);

/* One trial to fit. All is borrowed. */
struct ridge_training {
    const struct ridge_spec *spec;
    const struct ridge_inputs *inputs;
    const struct split *split;
    int threads;
    struct arena *scratch; /* holds everything the fit needs; not reset */
    const struct clock *clock;
    const struct lapack_watch *watch; /* NULL: nobody asks */
};

/* What was fitted; everything in scratch. */
struct ridge {
    struct training_target target;
    int32_t n_train;
    int32_t n_outputs; /* C: 1, or the classes */
    double *alpha;     /* (C, n_train), then V^-1 1 [n_train] */
    double *intercept; /* [C] of the standardised target, or of the classes */
};

/* Fit and score: outcome in full (no epochs; losses of classes are NaN), or GCN_STOPPED where the
 * watch says so. -1 and err when memory is short, or lambda is too small beside K for double
 * precision. */
int ridge_train(struct gcn_outcome *outcome, struct ridge *ridge,
                const struct ridge_training *training, struct err *err);

/* The same model as weights of the scaled features: outputs are Z w + b, standardised for
 * regression.
 *   weights  out  [(F + 1) C] w (F, C), then b [C], as struct model holds a single layer
 * Reads the features once more. -1 and err when memory is short. */
int ridge_weights(float *weights, const struct ridge *ridge, const struct dataset *data,
                  enum feature_scale scale, const struct split *split, struct err *err);

/* The work of ridge_train(). */
struct gcn_cost ridge_cost(const struct dataset *data, const struct split *split);

#endif
