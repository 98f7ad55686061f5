/* SPDX-License-Identifier: BSD-3-Clause */
/* Static figures of a sweep, for papers and for pages without a script: 85 or 180 mm wide, text of
 * 6 to 8 points. Colours are never the only difference. */
#ifndef REPORT_FIGURE_FIGURE_H
#define REPORT_FIGURE_FIGURE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/outfile.h"
#include "report/figure/canvas.h"
#include "report/figure/scale.h"
#include "report/sweep/sweep_data.h"

/* X(ID, name): the name is that of the file and of the panel on the page. figure_NAME() draws it. */
#define FIGURE_TABLE(X)     \
    X(FOREST, forest)       \
    X(FOLDS, folds)         \
    X(AXIS, axis)           \
    X(PAIR, pair)           \
    X(PARALLEL, parallel)   \
    X(CURVES, curves)       \
    X(COST, cost)           \
    X(TYPES, types)         \
    X(PREDICTED, predicted) \
    X(RUN, run)             \
    X(DATA, data)

enum figure {
#define FIGURE_ENUM(id, name) FIGURE_##id,
    FIGURE_TABLE(FIGURE_ENUM)
#undef FIGURE_ENUM
        FIGURE_COUNT
};

const char *figure_name(enum figure figure);
/* -1: no figure has this name. */
int figure_find(const char *name);

/* Append a figure. False: the sweep has no data for it (nothing is appended), or memory was short
 * (buf_failed()). */
bool figure_put(struct buf *out, enum figure figure, const struct sweep_data *data,
                enum canvas_kind kind);

/* Write NAME.svg and NAME.pdf of each figure that has data into a folder, which is made if it is
 * missing. mode: OUTFILE_NEW refuses before it writes anything if one of the files exists.
 * All are on the disk before the first one gets its name, so a full disk leaves none. n_figures: out,
 * how many were written. Without cairo only SVG is written (canvas_has()). -1 and err: a file could
 * not be written. */
int figures_save(int32_t *n_figures, const char *dir, const struct sweep_data *data,
                 enum outfile_mode mode, struct err *err);

/* ---- for the files that draw ---- */

/* Return the axes with several levels, at most `most`: by falling share of the variance where it is
 * known, else by the number of configurations that have them, then in the order of the sweep file.
 */
int32_t figure_axes(int32_t *axes, int32_t most, const struct sweep_data *data);
/* The two axes that a heat map shows first, across and up: the first of figure_axes(). False: there
 * are fewer. */
bool figure_pair_axes(int32_t pair[2], const struct sweep_data *data);
/* The share of the variance that an axis explains alone; NaN: unknown. */
double figure_share(const struct sweep_data *data, int32_t axis);

/* Return the names of an axis' levels (axis->n), long numbers with three significant digits. They
 * belong to the axis or to memory. */
const char *const *figure_levels(struct arena *memory, const struct sweep_axis *axis);

/* The range of the configurations' means without outliers: those that lie ten times as far from the
 * median as the best does. Figures draw them at the end of the axis. */
struct value_range figure_scores(const struct sweep_data *data);

/* Each draws one figure, or returns false without data. */

#define FIGURE_DECLARE(id, name) \
    bool figure_##name(struct canvas *canvas, const struct sweep_data *data);
FIGURE_TABLE(FIGURE_DECLARE)
#undef FIGURE_DECLARE

#endif
