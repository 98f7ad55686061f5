/* SPDX-License-Identifier: BSD-3-Clause */
/* How the labels of a data set are distributed. Only labelled samples count. */
#ifndef DATA_CORE_LABEL_SUMMARY_H
#define DATA_CORE_LABEL_SUMMARY_H

#include "data/core/dataset.h"

/* Count the samples of each class and group: out [n_classes], [n_groups]. */
void label_class_sizes(int64_t *sizes, const struct dataset *d);
void label_group_sizes(int64_t *sizes, const struct dataset *d);

struct target_summary {
    int32_t n;                                       /* values; 0: the rest is 0, too */
    double mean, sd;                                 /* sd: with n - 1; 0 for one value */
    double min, quartile_1, median, quartile_3, max; /* quartiles: between the two nearest values */
};

/* sorted: out [n_samples], of which n are filled: the values, ascending. */
void target_summarize(struct target_summary *out, double *sorted, const struct dataset *d);

#endif
