/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of proposers: which configurations a sweep tries. One row and one file (propose_NAME.c) for each;
 * no other code names one. Pure functions of the sweep file and of scores: never of time, rank count or order
 * of arrival. */
#ifndef SEARCH_PROPOSER_H
#define SEARCH_PROPOSER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "grid/grid_rows.h"
#include "grid/sweep.h"

/* All members are borrowed. */
struct proposing {
    const struct sweep *sweep;
    const struct settings
        *fixed; /* the sweep's settings, resolved; those of axes count for nothing */
    const struct predicate *predicate; /* NULL: keep all */
};

struct proposer {
    const char *name;  /* choice of search.propose */
    const char *words; /* for a paper: "drawn at random"; NULL: `name` */
    bool takes_ranges; /* axes may be ranges */
    bool has_end;      /* also with ranges: a number of configurations need not be given */
    bool is_adaptive;  /* rows after the first depend on scores: next() */

    /* Make the first n rows, or all if n < 0, which only lists of values and tables have; fewer if there are no
     * more. An adaptive one makes those that need no scores. Each row of a larger n begins with those of a
     * smaller one, and the file's `start` is the first. Pair with grid_rows_release(). -1 and err, as
     * grid_rows_make(). */
    int (*first)(struct grid_rows *out, const struct proposing *proposing, int32_t n,
                 struct err *err);

    /* Append up to n rows to rows->v, which has room for them, and set rows->n; fewer if all points were
     * proposed. scores (rows->n on entry, each): of the configurations so far, larger is better, -INFINITY:
     * failed or diverged, NaN: no value. value [n]: what each promises (expected improvement, in the scale of
     * the scores). NULL unless is_adaptive. */
    int (*next)(struct grid_rows *rows, const struct proposing *proposing, int32_t n,
                const double *scores, int32_t each, double *value, struct err *err);
};

const struct proposer *proposer_of(const struct settings *fixed);

/* Rows of the sweep's proposer: those of the number that [search] configs gives that need no scores. *n_configs out: how many
 * there will be at most. Pair with grid_rows_release(). -1 and err, with the line of the sweep file: the settings do not fit
 * together, no point is left, or as first(). */
int proposer_rows(struct grid_rows *out, int32_t *n_configs, const struct proposing *proposing,
                  struct err *err);

/* Append how n_configs configurations come about: "64 configurations by model, batches of 8, of a grid of 432". Nothing
 * for a whole grid. */
void proposer_put(struct buf *out, const struct sweep *sweep, const struct settings *fixed,
                  int32_t n_configs);

/* How many rows an adaptive proposer makes without scores. */
int32_t proposer_initial(const struct proposing *proposing);

/* Set err to "PATH:LINE: message", the place of a setting. Always -1. */
int proposer_fault(struct err *err, const struct sweep *sweep, enum param_id id, const char *format,
                   ...) __attribute__((format(printf, 4, 5)));

#endif
