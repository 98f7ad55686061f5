/* SPDX-License-Identifier: BSD-3-Clause */
/* The axes of a sweep as a unit cube: rows of values as points for a model, and points as rows.
 *
 * An axis of numbers is one column. A list has its smallest value at 0, its largest at 1 and the others evenly
 * between them, whatever their distances; a range has its values where they are, by their logarithms if it is
 * a range of logarithms. An axis with words has a column for each value, which is sqrt(1/2) for the value of
 * the row and 0 for others, so that two words are at distance 1. An axis without a value, or one that the
 * row's model type lacks, is at 1/2, or is no word. */
#ifndef SEARCH_SPACE_H
#define SEARCH_SPACE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "data/text/names.h"
#include "grid/settings.h"
#include "grid/sweep.h"

struct space {
    const struct sweep *sweep;    /* borrowed */
    const struct settings *fixed; /* borrowed: the values of settings that are no axes */
    int32_t n_axes, n_columns;
    int32_t *axis;  /* [n_columns] owned: of each column */
    int32_t *first; /* [n_axes] owned: its first column */
    bool *is_word;  /* [n_axes] owned */
    double **place; /* [n_axes] owned: of each value of a list of numbers; NULL: another axis */
};

/* Pair with space_release(). -1 and err: memory is short. */
int space_init(struct space *space, const struct sweep *sweep, const struct settings *fixed,
               struct err *err);
void space_release(struct space *space);

/* True if the row's model type has the axis and the axis a value. */
bool space_has(const struct space *space, const union value *row, int32_t axis);

/* u [n_columns]: the point of a row. */
void space_encode(double *u, const struct space *space, const union value *row);

/* Set row[axis] to the value at u in [0, 1): value number floor(u n) of a list, or the value in a range. Texts of
 * ranges are from `texts`. -1: memory is short. */
int space_decode(union value *row, const struct space *space, int32_t axis, double u,
                 struct arena *texts);
/* The inverse for any value of the axis: in the middle of what space_decode() takes for it. */
double space_place(const struct space *space, const union value *row, int32_t axis);

/* Read a value of an axis as a sweep file writes it. -1 and err, "dropout = 2: must be in ...": it is none, or is not
 * among the values of the axis, or not in its range. Texts as above. */
int space_parse(union value *out, const struct axis *axis, const char *text, struct arena *texts,
                struct err *err);

/* Add the model that a row trains, unless a row with the same model is there. Returns its number, from 0, or -1 and err:
 * memory is short. line: names_line() of a new one. */
int32_t space_find_or_add(struct names *models, const struct space *space, const union value *row,
                          int64_t line, struct err *err);

#endif
