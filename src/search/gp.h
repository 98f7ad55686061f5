/* SPDX-License-Identifier: BSD-3-Clause */
/* A Gaussian process over the unit cube, with a Matern 5/2 kernel that has a length scale for each axis, and
 * the choice of points by expected improvement. Pure. Plain loops in double: no decision depends on a BLAS.
 *
 * Sources: Rasmussen & Williams 2006, "Gaussian Processes for Machine Learning", algorithm 2.1 and equation
 * 4.17; Jones, Schonlau & Welch 1998, J. Global Optimization 13, 455-492 (expected improvement); Ginsbourger,
 * Le Riche & Carraro 2010 (kriging believer). */
#ifndef SEARCH_GP_H
#define SEARCH_GP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct gp {
    int32_t n_columns, n_axes;
    const int32_t *axis; /* [n_columns] of each column; borrowed */
    double *scale;       /* [n_axes] owned: length scales */
    double *inverse;     /* [n_columns] owned: 1 / scale of the column's axis */
    double noise;        /* variance, in units of the signal's */
    double variance;     /* of the signal */
    int32_t n;           /* points that were seen */
    const double *u;     /* (n, n_columns) borrowed: the points that were seen */
    double *factor;      /* (n, n) owned: lower Cholesky factor of kernel + noise */
    double *weights;     /* [n] owned: (kernel + noise)^-1 z */
    double *work;        /* owned: scratch, so a process is not for two threads */
};

/* z out [n]: what a process is fitted to. Means of the scores (n, folds; search/paired.h), less the mean of each fold,
 * clipped below at the lower quartile of those that did not fail, with mean 0 and sd 1. A configuration that failed,
 * or without a value, is at that quartile. noise out: the mean square of the standard errors over the folds, of those
 * that are not clipped, in units of z; NaN: no configuration has two values, or z is 0. Returns the unit of z in scores; 0: all
 * are equal, and z is 0. -1: memory is short. */
double gp_targets(double *z, double *noise, const double *scores, int32_t n, int32_t folds);

/* The points that a process has seen; all borrowed. */
struct gp_points {
    const double *u;     /* (n, n_columns) */
    const int32_t *axis; /* [n_columns] */
    const double *z;     /* [n] of mean 0 */
    double noise;        /* variance of z that folds show; NaN: unknown */
    int32_t n, n_columns, n_axes;
};

/* Fit to n >= 2 points, which must outlive the process. Length scales are taken from 0.2, 0.4, 0.8 and 1.6 and the
 * noise from 0.001, 0.01, 0.05 and 0.2: two rounds of coordinate search for the largest likelihood, less
 * 0.5 sum(log(scale / 0.4)^2) and 0.5 log(noise variance / points->noise)^2. Pair with gp_release(). -1 and err:
 * memory is short. */
int gp_fit(struct gp *gp, const struct gp_points *points, struct err *err);
void gp_release(struct gp *gp);

/* mean, sd out [m]: the posterior at the rows of u (m, n_columns), without noise. */
void gp_predict(double *mean, double *sd, const struct gp *gp, const double *u, int32_t m);

/* E[max(X - best, 0)] of a normal X. */
double gp_improvement(double mean, double sd, double best);

/* out [n_out]: the rows of u (m, n_columns) to try next, each with the largest expected improvement over the
 * best posterior mean so far, ties to the lower number; after each, the process believes its own mean there.
 * improvement [n_out]: this improvement, in units of z. is_seen [m]: not to be chosen. n_out is at most the number of the others. -1 and err: memory is short. */
int gp_choose(int32_t *out, double *improvement, int32_t n_out, const struct gp *gp,
              const double *u, int32_t m, const bool *is_seen, struct err *err);

#endif
