/* SPDX-License-Identifier: BSD-3-Clause */
/* What stands for the training data where they are not there: a data set of one sample without a
 * target, which is their mean, with their features' names and alleles and their classes, from a
 * kept model (trial/kept.h). It is enough to code new samples for models without a graph, and to
 * scale them. */
#ifndef PREDICT_TRAINING_SUMMARY_H
#define PREDICT_TRAINING_SUMMARY_H

#include "data/core/dataset.h"
#include "gcn/scale.h"

struct training_summary {
    struct dataset data;   /* points into the file and at what follows */
    struct dataset nobody; /* the same without the sample: for a predictor, which would have it
                              computed beside few new ones, and round otherwise */
    uint32_t *start;       /* of features, alleles, ids and classes, one after another */
    float *mean;           /* [F] */
    float target;
    int32_t label;
};

/* The file must outlive it. Pair with training_summary_release(), also after a failure. -1 and err:
 * the model has its first layer by samples (kept_is_complete()) or no means of its features, which
 * are there where they are dosages or standardised; it is damaged; memory is short. */
int training_summary_init(struct training_summary *s, const void *file, size_t bytes,
                          struct err *err);
void training_summary_release(struct training_summary *s); /* takes a zeroed one */

/* Scaling of columns as that of the training data, in the place of that of the summary. -1 and
 * err: the model is damaged. */
int training_summary_scaling(struct scaling *scaling, const void *file, size_t bytes,
                             struct err *err);

#endif
