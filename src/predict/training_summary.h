/* SPDX-License-Identifier: BSD-3-Clause */
/* Stands in for the training data: a data set of one sample, the mean, without a target, with the
 * names and alleles of features, and the classes, from a kept model (trial/kept.h). It suffices to
 * code and scale new samples for models without a graph. */
#ifndef PREDICT_TRAINING_SUMMARY_H
#define PREDICT_TRAINING_SUMMARY_H

#include "data/core/dataset.h"
#include "gcn/scale.h"

struct training_summary {
    struct dataset data;
    /* Without the sample, for a predictor: among few samples it would change the rounding. */
    struct dataset nobody;
};

/* Pair with training_summary_release(), also after a failure. -1 and err: the model's first layer is
 * stored by samples (kept_is_complete()), it lacks the means of the features (only dosages and
 * standardised features have them), it is damaged, or memory is short. */
int training_summary_init(struct training_summary *s, const void *file, size_t bytes,
                          struct err *err);
void training_summary_release(struct training_summary *s);

/* Replace the summary's scaling by that of the training data. -1 and err: the model is damaged. */
int training_summary_scaling(struct scaling *scaling, const void *file, size_t bytes,
                             struct err *err);

#endif
