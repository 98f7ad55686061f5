/* SPDX-License-Identifier: BSD-3-Clause */
/* Scores of predictions. */
#ifndef GCN_METRIC_H
#define GCN_METRIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "data/core/dataset.h"

/* name, words, task, larger is better, least and largest value, the parts that have none and what
 * to do */
#define METRIC_TABLE(X)                                                                         \
    X(PEARSON, "pearson", "Pearson correlation", TASK_REGRESSION, true, -1, 1,                  \
      METRIC_NO_CORRELATION)                                                                    \
    X(R2, "r2", "coefficient of determination R2", TASK_REGRESSION, true, -INFINITY, 1,         \
      "a part with equal values has none; choose objective = val_rmse or fewer folds")          \
    X(RMSE, "rmse", "root mean squared error", TASK_REGRESSION, false, 0, INFINITY,             \
      METRIC_NO_SAMPLE)                                                                         \
    X(MAE, "mae", "mean absolute error", TASK_REGRESSION, false, 0, INFINITY, METRIC_NO_SAMPLE) \
    X(SPEARMAN, "spearman", "Spearman rank correlation", TASK_REGRESSION, true, -1, 1,          \
      METRIC_NO_CORRELATION)                                                                    \
    X(ACCURACY, "accuracy", "accuracy", TASK_CLASSIFICATION, true, 0, 1, METRIC_NO_SAMPLE)      \
    X(MACRO_F1, "macro_f1", "macro-averaged F1 score", TASK_CLASSIFICATION, true, 0, 1,         \
      METRIC_NO_SAMPLE)                                                                         \
    X(ROC_AUC, "roc_auc", "area under the ROC curve", TASK_CLASSIFICATION, true, 0, 1,          \
      "a part with one class has none; choose objective = val_accuracy or fewer folds")         \
    X(LOG_LOSS, "log_loss", "log loss", TASK_CLASSIFICATION, false, 0, INFINITY, METRIC_NO_SAMPLE)

#define METRIC_NO_CORRELATION                                                                 \
    "a part with equal values or equal predictions has none; choose objective = val_rmse or " \
    "fewer "                                                                                  \
    "folds"
#define METRIC_NO_SAMPLE "a part without samples has none; choose fewer folds"

enum metric {
#define METRIC_ENUM(id, name, words, task, larger, least, most, lack) METRIC_##id,
    METRIC_TABLE(METRIC_ENUM)
#undef METRIC_ENUM
        METRIC_COUNT
};

extern const struct metric_row {
    const char *name;
    const char *words; /* as in a paper: "Pearson correlation" */
    enum task task;
    bool is_larger_better;
    double least, most; /* that it can have */
    const char *lack;   /* the parts for which it is undefined, and a remedy: a clause */
} metric_rows[METRIC_COUNT];

/* -1: no such metric. */
int metric_parse(const char *name);

/* n_classes: 0 for regression. */
size_t metric_scratch_bytes(int32_t n, int32_t n_classes);

/* Regression scores of n pairs in the target's units; NaN if n is 0 or a prediction is NaN.
 *   pearson   NaN if either side is constant
 *   spearman  pearson of mid-ranks
 *   r2        1 - SS_res / SS_tot; NaN if truth is constant
 * scratch: metric_scratch_bytes(n, 0), aligned for double. */
double metric_regression(enum metric metric, const float *truth, const float *prediction, int32_t n,
                         void *scratch);

/* Classification scores of n rows of log-probabilities (n, C); NaN if n is 0 or one is NaN.
 *   accuracy  the first of equal probabilities is the prediction
 *   macro_f1  mean over classes that occur in truth or prediction
 *   roc_auc   class 1 of two; of more, each class against the rest, mean over those with both
 *             sides present, NaN if none. Ties count half (Mann & Whitney 1947).
 *   log_loss  mean of minus the log-probability of the truth
 * scratch: metric_scratch_bytes(n, n_classes), aligned for double. */
double metric_classification(enum metric metric, const int32_t *truth, const float *log_prob,
                             int32_t n, int32_t n_classes, void *scratch);

#endif
