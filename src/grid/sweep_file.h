/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading, checking and writing of sweep files. */
#ifndef GRID_SWEEP_FILE_H
#define GRID_SWEEP_FILE_H

#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "grid/sweep.h"

/* Parse text, the whole NUL-terminated file; messages name it by `path`. `overrides` are n texts
 * "section.key=value" or "key=value" from --set, applied after the file in order ("grid.key=1,2"
 * sets an axis). Relative paths start at path's directory, those of --set at the working directory.
 * ${NAME} in a path is an environment variable. Every fault is added to `errors`, first "path:line:
 * ..." in the order of lines, then "--set key=value: ...". Returns -1 if there was any. A text
 * without data.format means simulated data, unless it has a setting that belongs to one format:
 * databases contain such texts. Pair with sweep_release(). */
int sweep_parse(struct sweep *sweep, const char *path, const char *text,
                const char *const *overrides, size_t n_overrides, struct errlist *errors);

/* Like sweep_parse(), but for a text that sweep_write() wrote, perhaps in an earlier version.
 * Missing settings get the values of that time (settings_before). */
int sweep_parse_stored(struct sweep *sweep, const char *path, const char *text,
                       struct errlist *errors);

/* Like sweep_parse(), but for a file. It must be a text of at most SWEEP_MAX_BYTES, and the file or
 * `overrides` must give data.format. */
#define SWEEP_MAX_BYTES (16 << 20)
int sweep_load(struct sweep *sweep, const char *path, const char *const *overrides,
               size_t n_overrides, struct errlist *errors);

/* Append a sweep file that trains exactly these settings, without axes: data.format, and every
 * setting that applies to the model type and differs from its default (paths absolute). One
 * exception: a setting that is part of the key only as an axis (threads) stays an axis of one
 * value, so that trials keep their keys. settings: a point of a plan, resolved or not. */
void sweep_write(struct buf *out, const struct sweep *sweep, const struct settings *settings);

/* Like sweep_write(), but with defaults written out, so that the file keeps its meaning if defaults
 * change: every setting that applies to the data format and model type. */
void sweep_write_effective(struct buf *out, const struct sweep *sweep,
                           const struct settings *settings);

#endif
