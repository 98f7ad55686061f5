/* SPDX-License-Identifier: BSD-3-Clause */
/* A sweep: fixed settings and axes, as a sweep file (grid/sweep_file.h) gives them.
 *
 * A setting is fixed in its own section or an axis in [grid], not both: a file that has both is
 * refused, since either could be the one that was forgotten. --set speaks last: it may fix an axis
 * of the file or make an axis of what the file fixes. */
#ifndef GRID_SWEEP_H
#define GRID_SWEEP_H

#include <stddef.h>

#include "grid/axis.h"
#include "grid/settings.h"

#define SWEEP_LINE_SET (-1) /* given by --set, not by a line of the file */

struct sweep {
    char *path;            /* owned; as given */
    struct settings fixed; /* values of [section]s; for an axis: the default */
    struct axis *axes;     /* [n_axes] owned, in file order */
    size_t n_axes;
    bool swept[P_COUNT];
    int line[P_COUNT];         /* where each setting or axis was given; 0: default */
    int section_line[P_COUNT]; /* where the [section] of each setting begins; 0: the file has none
                                */
    char **strings;            /* owned text values */
    size_t n_strings;
};

/* Takes a zeroed one, and one that sweep_parse() refused. */
void sweep_release(struct sweep *sweep);

/* Values of all axes together. */
size_t sweep_n_values(const struct sweep *sweep);

/* Hand a text over to the sweep. NULL when memory is short (or text was NULL for that reason). */
const char *sweep_keep_text(struct sweep *sweep, char *text);

/* The values that a setting takes: *n of its axis, or the fixed one. Borrowed from the sweep. */
const union value *sweep_values(const struct sweep *sweep, enum param_id id, int32_t *n);

/* Whether trials of this model type, a value of model.type, have the setting, with the sweep's fixed
 * settings. */
bool sweep_type_has(const struct sweep *sweep, union value type, enum param_id id);

#endif
