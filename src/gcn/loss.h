/* SPDX-License-Identifier: BSD-3-Clause */
/* Targets and loss of a training. */
#ifndef GCN_LOSS_H
#define GCN_LOSS_H

#include "base/arena.h"
#include "data/core/dataset.h"
#include "data/core/split.h"
#include "gcn/fixed.h"
#include "gcn/spec.h"

struct training_target {
    enum task task;
    int32_t n_outputs;     /* C; 1 for regression */
    const int32_t *label;  /* [N] classification; borrowed */
    const float *original; /* [N] regression, in the target's units; borrowed */
    float *standardized;   /* [N] regression: (original - mean) / sd */
    double mean, sd;       /* of the training part; population sd, or 1 for 0 */
    float *class_weight;   /* [C]; NULL: 1 */

    /* Fixed effects (gcn/fixed.h), in the target's units; n is 0 without. The model is added to them:
     * its outputs are compared with the targets after target_add_offset(). In regression, mean is
     * that of the fitted values and sd that of the residuals. */
    struct fixed_effects fixed;
    float *offset; /* (N, C) effects of each sample, in units of the outputs; NULL: none */
};

/* Take memory from scratch. A balanced class weighs n / (C n_c), as in scikit-learn, with n_c of n
 * training nodes and C classes among them; an absent class has n_c = 1 (doc/decisions/0027). */
int training_target_init(struct training_target *target, const struct gcn_spec *spec,
                         const struct dataset *data, const int32_t *train, int32_t n_train,
                         struct arena *scratch, struct err *err);

/* Fit the fixed effects of the data, if any, to the training part: by least squares, or for classes
 * by logistic regression with the weights of the classes. Sets mean, sd and `standardized` anew. */
int training_target_fit_fixed(struct training_target *target, const struct dataset *data,
                              const int32_t *train, int32_t n_train, struct arena *scratch,
                              struct err *err);

/* Bytes that both take, without class weights. */
double training_target_bytes(const struct dataset *data, const struct split *split);

/* z (n, C) += the offsets of nodes [n]. */
void target_add_offset(struct mat *z, const int32_t *nodes, const struct training_target *target);

/* Sum of the weights of nodes [n], the divisor of their mean loss as in
 * torch.nn.CrossEntropyLoss(weight). */
double loss_weight(const struct training_target *target, const int32_t *nodes, int32_t n);

/* Weighted sum of losses of nodes [z->n_rows] with outputs z (n, C).
 *   d        out (n, C)  gradient of the sum / divisor; may be NULL
 *   divisor  loss_weight() of these nodes, or of more */
double loss_of(struct mat *d, double divisor, const struct mat *z, const int32_t *nodes,
               const struct training_target *target);

#endif
