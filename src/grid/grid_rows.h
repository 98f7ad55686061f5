/* SPDX-License-Identifier: BSD-3-Clause */
/* The configurations of a full grid, as rows of values.
 *
 * Points are in row-major order of the axes in the file, the last axis fastest. Those that `where`
 * refuses are dropped, and those that differ from an earlier one only in settings that their model
 * type lacks. */
#ifndef GRID_GRID_ROWS_H
#define GRID_GRID_ROWS_H

#include "base/arena.h"
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
    /* [n][n_axes] owned; texts are borrowed from the axes, or for ranges from `texts`. NULL: the axis has no value */
    union value *v;
    int32_t n;
    int32_t n_repeats; /* points dropped because a kept one trains the same model */
    bool is_whole;     /* every point of the grid that `where` keeps has a row */
    struct arena texts;
};

void grid_rows_release(struct grid_rows *rows);

/* The number of points of the lists and of ranges of whole numbers, as a double holds it; INFINITY with another range. */
double grid_points(const struct sweep *sweep);

/* Take the values from axes of the point whose condition does not hold, and decide whether `where` keeps it. *has_all
 * out: no axis has lost its value. -1 and err: the predicate fails. */
int grid_decide(bool *is_kept, bool *has_all, const struct sweep *sweep,
                const struct predicate *predicate, struct settings *point, struct err *err);

/* fixed: the values of settings that are no axes. Pair with grid_rows_release(). -1 and err: an axis is a range, there are
 * too many points (counted before memory is allocated) or none, or the predicate fails. */
int grid_rows_make(struct grid_rows *out, const struct sweep *sweep, const struct settings *fixed,
                   const struct predicate *predicate, struct err *err);

#endif
