/* SPDX-License-Identifier: BSD-3-Clause */
/* Replaces missing training data by their mean: a data set of one sample without a target, with
 * names and alleles of features, and classes, from a kept model (trial/kept.h). This suffices to
 * code and scale new samples for models without a graph. */
#ifndef PREDICT_TRAINING_SUMMARY_H
#define PREDICT_TRAINING_SUMMARY_H

#include "data/core/dataset.h"
#include "gcn/scale.h"

struct training_summary {
    struct dataset data;   /* points into the file and to the arrays below */
    struct dataset nobody; /* without the sample, for a predictor, which would compute it beside few
                            * new ones and round differently */
    uint32_t *start;       /* offsets of features, alleles, ids and classes, one list after
                            * another */
    float *mean;           /* [F] */
    float target;
    int32_t label;
};

/* The file must outlive it. Pair with training_summary_release(), also after a failure. Returns -1
 * and err if the model's first layer is stored by samples (kept_is_complete()), if it lacks the
 * features' means (only dosages and standardised features have them), if it is damaged, or if
 * memory is short. */
int training_summary_init(struct training_summary *s, const void *file, size_t bytes,
                          struct err *err);
void training_summary_release(struct training_summary *s); /* accepts a zeroed one */

/* Replace the summary's scaling by that of the training data. -1 and err: the model is damaged. */
int training_summary_scaling(struct scaling *scaling, const void *file, size_t bytes,
                             struct err *err);

#endif
