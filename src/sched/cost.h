/* SPDX-License-Identifier: BSD-3-Clause */
/* How long trials will take: predicted from their shapes, corrected by what ranks measure.
 *
 *     seconds = (a flops + b bytes + c steps + d) x correction of the configuration x slowness of
 *               the rank                                             a, b, c, d >= 0
 *
 * The coefficients start from those of a usual machine and are fitted to the configurations that
 * were measured, in the logarithm (what counts is by what factor a prediction is off), robustly
 * (Huber's weights: a trial during which the machine slept says little). Once trials of a
 * configuration were measured, their mean takes the place of the formula for the others. A rank's
 * slowness is its mean ratio of measured to predicted, relative to the mean of all ranks.
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

/* work: [n_configs] of one trial of each configuration, borrowed; n_workers: ranks that will
 * measure. NULL and err when memory is short. */
struct cost *cost_create(const struct gcn_cost *work, int32_t n_configs, int32_t n_workers,
                         struct err *err);
void cost_destroy(struct cost *cost); /* takes NULL */

/* A trial of a configuration took so long on a worker; worker -1: before this run (a finished
 * trial of the database, a probe), with no rank to learn about. Seconds that are not finite and
 * positive are ignored. O(1). */
void cost_observe(struct cost *cost, int32_t config, int32_t worker, double seconds);

/* Fit the coefficients where enough was measured since the last fit. True where predictions of
 * configurations not measured yet have moved by more than 2 percent since it was true last. About
 * 0.1 ms when it fits; fits grow rarer as more is known. */
bool cost_refit(struct cost *cost);

/* Whether anything was measured; until then predictions are those of a usual machine. */
bool cost_is_measured(const struct cost *cost);

/* Seconds of one trial of a configuration on a rank of average speed; above 0. */
double cost_seconds(const struct cost *cost, int32_t config);

/* The same of any work, by the coefficients alone. */
double cost_of_work(const struct cost *cost, const struct gcn_cost *work);

/* The worker's seconds are those of an average rank times this; 1 for one not measured yet. */
double cost_slowness(const struct cost *cost, int32_t worker);

#endif
