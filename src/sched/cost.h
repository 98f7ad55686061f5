/* SPDX-License-Identifier: BSD-3-Clause */
/* Predict trial times from measurements (doc/decisions/0012).
 *
 *     seconds = formula x correction of the configuration x slowness of the rank
 *
 * The formula is a flops + b bytes + c steps + d, with a, b, c, d >= 0. The coefficients start from a
 * usual machine. They are fitted to measured configurations: in the logarithm, since the relative error
 * counts, and with Huber's weights, so that outliers count little. For programs, whose work is unknown,
 * the formula is the mean logarithm of all measured configurations; before the first one there are
 * guesses, whose order spreads the first trials over the grid.
 *
 * The mean of a configuration's measured trials replaces the formula for its others. A rank's slowness is
 * its mean ratio of measured to predicted, relative to all ranks' mean.
 *
 * Pure: no clock, no I/O. One thread at a time. */
#ifndef SCHED_COST_H
#define SCHED_COST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "gcn/cost.h"
#include "gcn/train.h"

struct cost;

/* work: [n_configs] of one trial of each configuration, borrowed; NULL: of programs. */
struct cost *cost_create(const struct gcn_cost *work, int32_t n_configs, int32_t n_workers,
                         struct err *err);

void cost_destroy(struct cost *cost);

/* Learn a trial's seconds on a worker (-1: none of this run), if finite and positive. O(1). */
void cost_observe(struct cost *cost, int32_t config, int32_t worker, double seconds);

/* A trial of the configuration took at least so long: cost_seconds() is no less from now on. */
void cost_at_least(struct cost *cost, int32_t config, double seconds);

/* Fit the formula if enough was measured. True if predictions moved by more than 2 percent since
 * the last true. A fit takes about 0.1 ms; it comes ever more rarely. */
bool cost_refit(struct cost *cost);

bool cost_is_measured(const struct cost *cost);

/* False: cost_seconds() is a guess, which says nothing about how long a trial takes. */
bool cost_is_known(const struct cost *cost);

/* Return the seconds of one trial on an average rank; above 0. */
double cost_seconds(const struct cost *cost, int32_t config);

/* Return a worker's seconds relative to an average rank's; 1 if not measured. */
double cost_slowness(const struct cost *cost, int32_t worker);

/* Learn the ratio of a trial's seconds to those predicted when it was handed out. */
void cost_compare(struct cost *cost, double ratio);
/* Return the factor by which nearly all trials take less than predicted; at least 1.1. */
double cost_margin(const struct cost *cost);

#endif
