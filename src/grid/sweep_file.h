/* SPDX-License-Identifier: BSD-3-Clause */
/* Sweep files: read, checked and written. */
#ifndef GRID_SWEEP_FILE_H
#define GRID_SWEEP_FILE_H

#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "grid/sweep.h"

/* Parse text (the whole file, NUL-terminated) named path in messages; `overrides` are n texts
 * "section.key=value" or "key=value" from --set, applied after the file in their order
 * ("grid.key=1,2" sets an axis). Relative paths are those of path's directory (of --set: the
 * working directory); ${NAME} in a path is the environment's. Every fault is added to `errors`, as
 * "path:line: ..." in the order of lines, then "--set key=value: ...". -1 if there was any.
 * A text without data.format means simulated data where it has no other setting that belongs to one
 * format: databases hold such texts. Pair with sweep_release(). */
int sweep_parse(struct sweep *sweep, const char *path, const char *text,
                const char *const *overrides, size_t n_overrides, struct errlist *errors);

/* The same of a text that sweep_write() wrote, perhaps in an earlier version: a missing setting has
 * the value that it had then (settings_before). */
int sweep_parse_stored(struct sweep *sweep, const char *path, const char *text,
                       struct errlist *errors);

/* The same of a file, which must be a text of at most SWEEP_MAX_BYTES and must give data.format
 * (or `overrides` must). */
#define SWEEP_MAX_BYTES (16 << 20)
int sweep_load(struct sweep *sweep, const char *path, const char *const *overrides,
               size_t n_overrides, struct errlist *errors);

/* Write a sweep file that trains exactly these settings: data.format and every one that differs
 * from its default (paths absolute) and that its type of model has, no axes. One exception: a
 * setting that is part of the key only when it is an axis (threads) stays an axis of one value, so
 * that the trials keep their keys. settings are a plan's point, resolved or not. */
void sweep_write(struct buf *out, const struct sweep *sweep, const struct settings *settings);

/* The same with the defaults written out, so that the file keeps its meaning where defaults are
 * others: every setting that the data format and the type of model have. */
void sweep_write_effective(struct buf *out, const struct sweep *sweep,
                           const struct settings *settings);

#endif
