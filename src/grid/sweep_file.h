/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading, checking and writing of sweep files. */
#ifndef GRID_SWEEP_FILE_H
#define GRID_SWEEP_FILE_H

#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "grid/sweep.h"

/* Parse text, a whole file that messages call `path`. `overrides` are n texts "section.key=value"
 * or "key=value" from --set, applied in order after the file ("grid.key=1,2" sets an axis).
 * Relative paths start at path's directory, those of --set at the working directory; ${NAME} in a
 * path is an environment variable. Returns -1 and adds faults to `errors`: "path:line: ..." by
 * line, then "--set key=value: ...". Without data.format the data are simulated, as in databases,
 * unless the text has a setting of another format. Pair with sweep_release(). */
int sweep_parse(struct sweep *sweep, const char *path, const char *text,
                const char *const *overrides, size_t n_overrides, struct errlist *errors);

/* Likewise for a text of sweep_write(). Missing settings get settings_before(). */
int sweep_parse_stored(struct sweep *sweep, const char *path, const char *text,
                       struct errlist *errors);

/* Likewise for a file of at most SWEEP_MAX_BYTES. The file or `overrides` must give data.format. */
#define SWEEP_MAX_BYTES (16 << 20)
int sweep_load(struct sweep *sweep, const char *path, const char *const *overrides,
               size_t n_overrides, struct errlist *errors);

/* Append a sweep file without axes that trains the settings v, given or resolved (of a point of a plan):
 * data.format, and settings of the model type that differ from their defaults (paths absolute). An
 * axis with the flag SWEPT stays an axis of one value, so that trials keep their keys. `where` must
 * be empty for a single point. */
void sweep_write(struct buf *out, const struct sweep *sweep, const union value v[P_MAX]);

/* Likewise with defaults, so that the file keeps its meaning if they change. */
void sweep_write_effective(struct buf *out, const struct sweep *sweep, const union value v[P_MAX]);

/* Likewise without the axes of `sweep`: the caller appends [grid]. */
void sweep_write_fixed(struct buf *out, const struct sweep *sweep, const union value v[P_MAX]);

#endif
