/* SPDX-License-Identifier: BSD-3-Clause */
/* The seconds of configurations that were not measured, by their work (sched/cost.h). Pure. */
#ifndef SCHED_COST_FORMULA_H
#define SCHED_COST_FORMULA_H

#include "sched/cost.h"

/* A configuration with its mean logarithm of seconds on an average rank. */
struct cost_row {
    int32_t config;
    double log_s;
};

enum { COST_ROWS = 256 };

/* Least change in the logarithm that is reported. */
#define COST_MOVED 0.02

struct cost_formula;

/* work: [n_configs] borrowed. NULL and err: out of memory. */
struct cost_formula *cost_formula_create(const struct gcn_cost *work, struct err *err);
void cost_formula_destroy(struct cost_formula *formula);
/* Return the seconds of one trial; above 0. */
double cost_formula_seconds(const struct cost_formula *formula, int32_t config);
/* Fit to 1 .. COST_ROWS rows. True if their predictions moved by more than COST_MOVED since the last
 * true. */
bool cost_formula_fit(struct cost_formula *formula, const struct cost_row *rows, int32_t n);

#endif
