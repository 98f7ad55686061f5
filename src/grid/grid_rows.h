/* SPDX-License-Identifier: BSD-3-Clause */
/* The configurations of a full grid, as rows of values.
 *
 * Points are in row-major order of the axes in the file, the last axis fastest. Those that `where`
 * refuses are dropped, and those that differ from an earlier one only in settings that their model
 * type lacks. */
#ifndef GRID_GRID_ROWS_H
#define GRID_GRID_ROWS_H

#include "base/err.h"
#include "grid/sweep.h"

#define GRID_MAX_POINTS 10000000 /* more are refused as a mistake */

/* keep() returns 1 to keep, 0 to drop, -1 and err. NULL: keep all. */
struct predicate {
    int (*keep)(void *arg, const struct sweep *sweep, const struct settings *point,
                struct err *err);
    void *arg;
    /* Likewise for the conditions of axes. holds: NULL: all hold. */
    int (*holds)(void *condition, const struct sweep *sweep, const struct settings *point,
                 struct err *err);
    void *const *conditions; /* [n_axes] NULL: the axis has none */
};

struct grid_rows {
    union value
        *v; /* [n][n_axes] owned; texts borrowed from the axes, NULL: the axis has no value */
    int32_t n;
    int32_t n_repeats; /* points dropped because a kept one trains the same model */
};

/* fixed: the values of settings that are no axes. The caller frees out->v. -1 and err: there are too many points (counted before memory is allocated)
 * or none, or the predicate fails. */
int grid_rows_make(struct grid_rows *out, const struct sweep *sweep, const struct settings *fixed,
                   const struct predicate *predicate, struct err *err);

#endif
