/* SPDX-License-Identifier: BSD-3-Clause */
/* Scales of figures: from values to points on the page, with round ticks. Pure. */
#ifndef REPORT_FIGURE_SCALE_H
#define REPORT_FIGURE_SCALE_H

#include <stdbool.h>

#include "base/buf.h"

enum { SCALE_TICKS = 32 };

struct axis_scale {
    double low, high; /* values, low < high; both positive if is_log */
    double from, to;  /* their points; may descend */
    bool is_log;
    double ticks[SCALE_TICKS]; /* ascending, within low and high */
    int n_ticks;
    double step; /* between ticks; 0 if is_log */
};

/* The smallest range that holds the values seen so far, some of which may be NaN or infinite. */
struct value_range {
    double low, high;
    double least_positive; /* NaN: none */
    bool is_empty;
};

struct value_range value_range_empty(void);
void value_range_add(struct value_range *range, double value);

/* Make a scale for a range, about n ticks apart, from point `from` to `to`. The ends are extended to
 * the next tick (linear) or by a share of the decades (log). An empty range counts as 0 to 1, a
 * single value gets room on both sides; log without positive values is linear.
 *
 * Linear steps are 1, 2 or 5 times a power of 10. Source: Heckbert 1990, "Nice Numbers for Graph
 * Labels", Graphics Gems, pp. 61-63. Log ticks are powers of 10, every k-th if there are too many,
 * or 1, 2 and 5 times them if there are too few; within less than a decade, linear steps. */
void scale_init(struct axis_scale *scale, const struct value_range *range, int n, bool is_log,
                double from, double to);

/* End a scale exactly here, without the extension to round ticks. */
void scale_crop(struct axis_scale *scale, double low, double high);

/* The point of a value. Values outside are outside; those a log scale lacks are at the low end. */
double scale_at(const struct axis_scale *scale, double value);

/* Append a tick's label: as many decimals as the step needs, or an exponent, as in 2e-5. */
void scale_label(struct buf *out, const struct axis_scale *scale, double tick);

/* Append a number with up to `digits` significant digits, and U+2212 as its sign. NaN: nothing. */
void number_label(struct buf *out, double value, int digits);

#endif
