/* SPDX-License-Identifier: BSD-3-Clause */
/* The values of an axis, as written in [grid].
 *
 *   16, 32, full        values of the setting, separated by commas
 *   0.2:0.5:0.1         lo, lo + step, ... up to hi, inclusive
 *   log(1e-4, 1e-1, 4)  n values from lo to hi at equal ratios; n = 1 is lo
 *
 * The three mix freely in one list. Values of ranges and logs are rounded to 12 significant
 * digits (and to integers where the setting is one), so that 0.2:0.5:0.1 and 0.2, 0.3, 0.4, 0.5
 * are the same trials. */
#ifndef GRID_AXIS_H
#define GRID_AXIS_H

#include "grid/param.h"

#define AXIS_MAX_VALUES 100000 /* a longer axis is a slip of the pen */

struct axis {
    enum param_id id;
    union value *values; /* [n] owned, in file order, no two alike */
    int32_t n;
    int line; /* of the file; -1: from --set */
};

/* Read text into axis->values, in place of what was there. id must not be TEXT or PATH. -1 and err:
 * an empty list or value, a value not allowed (auto is none), a range or log that makes no sense or
 * is too long, a value that comes twice; the axis is then as before. */
int axis_parse(struct axis *axis, const char *text, struct err *err);
void axis_release(struct axis *axis);

#endif
