/* SPDX-License-Identifier: BSD-3-Clause */
/* An axis and its values, as written in [grid].
 *
 *   16, 32, full        values of the setting, separated by commas
 *   0.2:0.5:0.1         lo, lo + step, ... up to hi, inclusive
 *   log(1e-4, 1e-1, 4)  n values from lo to hi at equal ratios; n = 1 gives lo
 *
 * In place of a list, an axis of numbers may have a range, from which a search draws its values:
 *
 *   uniform(a, b)       numbers from a to b
 *   loguniform(a, b)    likewise, evenly spread by their logarithms
 *   int(a, b)           whole numbers from a to b, both included
 *   logint(a, b)        likewise, evenly spread by their logarithms
 *
 * A free name may have a condition behind its values, `0.5, 0.9 if optimizer = 'sgd'`, in the language of
 * [sweep] where. At points where it does not hold, the axis has no value.
 *
 * One list may mix all three. Computed values are rounded to 12 significant digits, and to integers
 * for integer settings, so 0.2:0.5:0.1 and 0.2, 0.3, 0.4, 0.5 give the same trials. Values of free names
 * are written as in grid/free_value.h; without quotes, one with only one of [ and ] is refused. */
#ifndef GRID_AXIS_H
#define GRID_AXIS_H

#include "grid/param.h"

#define AXIS_MAX_VALUES 100000 /* a longer axis is a typing error */

struct axis_range {
    const char *name; /* uniform ...; NULL: the axis is a list */
    bool is_whole, is_log;
    double low, high;
    union value ends[2]; /* low and high; of a free name, texts owned by the axis */
};

struct axis {
    enum param_id id;
    const struct param *row; /* with the key; borrowed */
    struct axis_range range; /* then n is 0 */
    union value *values;     /* [n] owned, in file order, distinct; texts are owned, too */
    bool *is_quoted;         /* [n] owned: written in quotes; NULL: unknown */
    int32_t n;
    char *condition; /* owned; NULL: none */
    int line;        /* in the file, or SWEEP_LINE_SET */
};

/* Replace the axis's values or range by those of text; a condition stays if text has none. The setting must not be
 * TEXT, PATH or METRIC. -1 and err, with the axis unchanged: a value is invalid (`auto` always is) or repeated. */
int axis_parse(struct axis *axis, const char *text, struct err *err);
/* Allocate n zeroed values; -1: out of memory. */
int axis_reserve(struct axis *axis, int32_t n);
bool axis_is_range(const struct axis *axis);
/* Set the range whose name is `name`, with the ends low and high. -1: no range has that name, or out of memory. */
int axis_set_range(struct axis *axis, const char *name, double low, double high);
/* Append "loguniform(0.0001, 0.1)". */
void axis_put_range(struct buf *out, const struct axis *axis);
/* Append the text of the value in a range that is next to `number`: rounded to 6 significant digits or to a whole number,
 * and never outside the range. Parsing the text gives the bits of the value. */
void axis_put_number(struct buf *out, const struct axis *axis, double number);
void axis_release(struct axis *axis);

#endif
