/* A sum of terms with coefficients above 0, fitted to measurements by the factor it is off. */
#ifndef SCHED_FIT_H
#define SCHED_FIT_H

#include <stdint.h>

enum { FIT_TERMS = 4, FIT_MAX_ROWS = 256 };

struct fit_row {
    double x[FIT_TERMS]; /* at least 0, not all 0 */
    double log_y;        /* natural logarithm of what was measured */
};

/* sum of c_j x_j */
double fit_predict(const double c[FIT_TERMS], const double x[FIT_TERMS]);

/* Minimise the sum over the rows of Huber(log(c x) - log_y), k = 0.1, in u = log c, with a weak
 * pull of every u_j to log(c_j) as it comes in, times one common factor (found first, as a median):
 * what the rows do not tell stays in proportion. 1 .. FIT_MAX_ROWS rows. Gauss-Newton with
 * weights; a fixed number of rounds, a bounded step.
 *   c  inout  above 0
 * Source: Huber 1964, Ann Math Stat 35:73; Holland & Welsch 1977, Comm Stat A6:813 (iterated
 * weights). */
void fit(double c[FIT_TERMS], const struct fit_row *rows, int32_t n);

#endif
