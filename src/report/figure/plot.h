/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts that figures share: axes, labels of levels, keys of marks, notes. */
#ifndef REPORT_FIGURE_PLOT_H
#define REPORT_FIGURE_PLOT_H

#include <stdint.h>

#include "base/buf.h"
#include "report/figure/canvas.h"
#include "report/figure/scale.h"

#define PLOT_SIZE 7.0  /* of text */
#define PLOT_SMALL 6.0 /* of notes and of numbers in cells */
#define PLOT_EDGE 4.0  /* margin of a figure */

extern const struct stroke PLOT_AXIS, PLOT_GRID;

/* Text in PLOT_SIZE; its middle is at height y. */
void plot_text(struct canvas *canvas, double x, double y, enum anchor anchor, const char *text);
void plot_bold(struct canvas *canvas, double x, double y, enum anchor anchor, const char *text);
/* Text in PLOT_SMALL, muted. */
void plot_note(struct canvas *canvas, double x, double y, enum anchor anchor, const char *text);
void plot_notef(struct canvas *canvas, double x, double y, enum anchor anchor, const char *format,
                ...) __attribute__((format(printf, 5, 6)));
/* Like plot_text(), cut to a width. */
void plot_cut(struct canvas *canvas, double x, double y, enum anchor anchor, double width,
              const char *text);

/* A note over several lines, no wider than `width`. canvas: NULL to measure only. Returns the height
 * below y, the top. */
double plot_paragraph(struct canvas *canvas, double x, double y, double width, const char *text);

/* An axis below a plot, at height y, with its name; it takes PLOT_X_ROOM. Labels that would overlap
 * are left out. */
#define PLOT_X_ROOM 24.0
void plot_x_axis(struct canvas *canvas, const struct axis_scale *scale, double y, const char *name);
/* An axis to the left of a plot. name: NULL for none. It takes plot_y_room(). */
void plot_y_axis(struct canvas *canvas, const struct axis_scale *scale, double x, const char *name);
double plot_y_room(const struct axis_scale *scale, const char *name);
/* An axis to the right of a plot, without a name. */
void plot_right_axis(struct canvas *canvas, const struct axis_scale *scale, double x);
/* Lines across the plot at the ticks of a y axis. */
void plot_y_grid(struct canvas *canvas, const struct axis_scale *scale, double left, double right);

/* Labels in a row, below a plot: horizontal, or upwards and cut. Those that would overlap the one
 * before are left out. */
struct plot_labels {
    const char *const *text; /* [n] borrowed */
    const double *at;        /* [n] borrowed: centres, ascending */
    int32_t n;
    bool is_upwards;
    double height;
};
/* may_skip: rather leave out some than turn all. */
void plot_labels_init(struct plot_labels *labels, const char *const *text, const double *at,
                      int32_t n, bool may_skip);
void plot_labels_draw(const struct plot_labels *labels, struct canvas *canvas, double y);

/* A key: a mark and its meaning. Returns x behind it. */
double plot_key(struct canvas *canvas, double x, double y, enum mark mark, struct ink fill,
                const struct stroke *pen, const char *text);
/* Likewise, for a line. */
double plot_line_key(struct canvas *canvas, double x, double y, const struct stroke *pen,
                     const char *text);

/* The bar of viridis with its ends, for values from low to high; PLOT_BAR wide. */
#define PLOT_BAR 90.0
void plot_colour_bar(struct canvas *canvas, double x, double y, double low, double high,
                     const char *name);

/* Decimals that show two significant digits of a spread; 3 if it is 0 or unknown. */
int plot_decimals(double spread);
/* Append a number with so many decimals and U+2212 as its sign. NaN: nothing. */
void plot_put_fixed(struct buf *out, double value, int decimals);

#endif
