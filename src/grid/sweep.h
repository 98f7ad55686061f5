/* A sweep file, read and checked: fixed settings and axes. The only user of inih's ini.h is
 * sweep.c. */
#ifndef GRID_SWEEP_H
#define GRID_SWEEP_H

#include <stddef.h>

#include "grid/settings.h"

struct axis {
    enum param_id id;
    union value *values; /* [n] owned, in file order, no two alike */
    int32_t n;
    int line; /* of the file; 0: from --set */
};

struct sweep {
    char *path;             /* owned; as given */
    struct settings fixed;  /* values of [section]s; for an axis: the default */
    struct axis *axes;      /* [n_axes] owned, in file order */
    size_t n_axes;
    bool swept[P_COUNT];
    int line[P_COUNT];      /* where each setting was given; 0: default */
    char **strings;         /* owned text values */
    size_t n_strings;
};

/* Parse text (the whole file, NUL-terminated) named path in messages; `overrides` are n texts
 * "section.key=value" or "key=value" from --set, applied after the file ("grid.key=1,2" sets an
 * axis). Relative paths become relative to path's directory; ${NAME} in a path is the
 * environment's. Every fault is added to `errors` as "file:line: ...". -1 if there was any.
 * Pair with sweep_release(). */
int sweep_parse(struct sweep *sweep, const char *path, const char *text,
                const char *const *overrides, size_t n_overrides, struct errlist *errors);
void sweep_release(struct sweep *sweep);

/* Write a sweep file that trains exactly these settings: no axes, every setting that differs from
 * its default (paths absolute). */
void sweep_write(struct buf *out, const struct sweep *sweep, const struct settings *settings);

#endif
