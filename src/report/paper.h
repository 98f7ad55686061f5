/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of the leaderboard as a paper shows them: mean ± sd, and the difference with its interval,
 * each in one column, with as many digits as its standard error warrants; no columns besides that
 * compare or count. A dagger marks means over fewer trials than the others, and then their number
 * has a column. */
#ifndef REPORT_PAPER_H
#define REPORT_PAPER_H

#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "store/result_table.h"

/* Zero-initialise to begin, or set `reference`. */
struct paper {
    int64_t reference;         /* the configuration that others are compared with; 0: the first */
    struct result_table table; /* the arrays are owned, the texts borrowed */
    struct buf texts;          /* owned */
    int64_t n_marked;          /* rows with a dagger */
    int64_t n_empty;           /* without a mean */
    int64_t n_differences, n_intervals; /* from the reference, without itself */
};

/* rows: of query_leaderboard() or QUERY_CONFIG_TEST. n_trials: of each configuration. mean_name,
 * diff_name: of the columns with mean and difference. All are borrowed. -1 and err. Pair with
 * paper_release(). */
int paper_make(struct paper *paper, const struct result_table *rows, int64_t n_trials,
               const char *mean_name, const char *diff_name, struct err *err);
void paper_release(struct paper *paper);

/* Return the number of decimals that a value with this standard error warrants: two significant
 * digits of the error if its first three are 100 to 354, or if they round to 1000, else one.
 *
 * Source: Particle Data Group, Review of Particle Physics, introduction, "Rounding". */
int paper_decimals(double error);

/* Append a value with these decimals. error: 0 or NaN without one, which gives five digits. */
void paper_put_number(struct buf *out, double value, double error);

#endif
