/* SPDX-License-Identifier: BSD-3-Clause */
/* The seconds of configurations that were not measured, as sched/cost.h predicts them. There is one
 * kind in each file sched/cost_*.c. Pure. */
#ifndef SCHED_COST_FORMULA_H
#define SCHED_COST_FORMULA_H

#include "sched/cost.h"

/* A configuration with its mean logarithm of seconds on an average rank. */
struct cost_row {
    int32_t config;
    double log_s;
};

struct cost_formula {
    void *self;
    /* Return the seconds of one trial; above 0. */
    double (*seconds)(const void *self, int32_t config);
    /* Fit to 1 .. most_rows rows. True if their predictions moved by more than COST_MOVED since the
     * last true. */
    bool (*fit)(void *self, const struct cost_row *rows, int32_t n);
    void (*destroy)(void *self); /* also of NULL */
    int32_t most_rows;
    bool is_blind; /* before the first row all predictions are guesses */
};

/* Least change in the logarithm that is reported. */
#define COST_MOVED 0.02

/* Return the n / 2-th smallest of n > 0 values, which become ascending. */
double cost_median(double *values, int32_t n);

/* work: [n_configs] borrowed */
int cost_formula_work(struct cost_formula *formula, const struct gcn_cost *work, struct err *err);

int cost_formula_levels(struct cost_formula *formula, const struct cost_levels *levels,
                        struct err *err);

#endif
