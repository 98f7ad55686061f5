/* SPDX-License-Identifier: BSD-3-Clause */
/* What the network is asked to say, and how far off it is. */
#ifndef GCN_LOSS_H
#define GCN_LOSS_H

#include "base/arena.h"
#include "data/core/dataset.h"
#include "gcn/spec.h"

struct training_target {
    enum task task;
    int32_t n_outputs;     /* C, 1 for regression */
    const int32_t *label;  /* [N] classification; borrowed from the dataset */
    const float *original; /* [N] regression, in the target's units; borrowed */
    float *standardized;   /* [N] regression: (original - mean) / sd */
    double mean, sd;       /* of the training part; population sd, 1 where that is 0 */
    float *class_weight;   /* [C] what a sample of the class counts; NULL: 1 */
};

/* Balanced classes weigh n / (C n_c), where n_c of the n training nodes are of class c and C is how
 * many classes there are among them: the `balanced` of scikit-learn. A class that training does not
 * see weighs as if it had one node. The weights of the training nodes add up to n. Memory from
 * scratch. -1 and err when it is short. */
int training_target_init(struct training_target *target, const struct gcn_spec *spec,
                         const struct dataset *data, const int32_t *train, int32_t n_train,
                         struct arena *scratch, struct err *err);

/* What the loss of nodes [n] is divided by for their mean: their weights together, as in
 * torch.nn.CrossEntropyLoss(weight); without weights n. */
double loss_weight(const struct training_target *target, const int32_t *nodes, int32_t n);

/* Sum of the loss, each times its weight, over nodes [z->n_rows], whose outputs are z (n, C). d out
 * (n, C): gradient of the mean; NULL: not wanted. */
double loss_of(struct mat *d, const struct mat *z, const int32_t *nodes,
               const struct training_target *target);

#endif
