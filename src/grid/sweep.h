/* SPDX-License-Identifier: BSD-3-Clause */
/* A sweep: the fixed settings and axes of a sweep file.
 *
 * A setting is fixed in its own section or an axis in [grid]. A file with both is refused, since
 * either could be a leftover. --set may fix an axis or make a fixed setting an axis. */
#ifndef GRID_SWEEP_H
#define GRID_SWEEP_H

#include <stddef.h>

#include "base/buf.h"
#include "grid/axis.h"
#include "grid/settings.h"

#define SWEEP_LINE_SET (-1) /* given by --set */

struct sweep {
    char *path; /* owned; as given by the user */
    const char
        *folder; /* of the file, absolute, with its last slash; where programs run; "": unknown */
    struct given fixed; /* defaults for axes */
    struct axis *axes;  /* [n_axes] owned, in file order */
    size_t n_axes;
    bool swept[P_MAX];
    struct free_names *names;    /* owned; with [program] only, else NULL */
    int line[P_MAX];             /* of each setting or axis; 0: default */
    const char *set[P_MAX];      /* the option that gave it, "train.epochs=9"; NULL: the file */
    bool is_quoted[P_MAX];       /* the text of a free name is in quotes */
    int section_line[P_COUNT];   /* of each setting's [section]; 0: absent */
    const char *command_comment; /* behind [program] command, "; text"; NULL: none */
    int command_comment_line;
    char **strings; /* owned text values */
    size_t n_strings;
};

void sweep_release(struct sweep *sweep);

size_t sweep_n_values(const struct sweep *sweep);

/* One more than the largest id that its settings have. */
int sweep_end(const struct sweep *sweep);
/* The row of a setting or free name, with its key. */
const struct param *sweep_row(const struct sweep *sweep, int id);

/* P_MAX: the sweep has no setting or free name of this name ("key" or "section.key"). In a sweep with
 * [program], settings of other model types are none. */
int sweep_find_name(const struct sweep *sweep, const char *name);

/* Likewise for a setting only; P_COUNT: none. */
enum param_id sweep_find_setting(const struct sweep *sweep, const char *name);
/* True for the name of a setting that only sweeps without [program] have. */
bool sweep_lacks(const struct sweep *sweep, const char *name);

/* True for a sweep with [program]. */
bool sweep_is_program(const struct sweep *sweep);

/* Hand a text over to the sweep; NULL if memory is short or text is NULL. */
const char *sweep_keep_text(struct sweep *sweep, char *text);

/* Append where a setting was given: "s.ini:5", or "s.ini" for a default. For --set the key is as the
 * user wrote it: "--set gpus", "--set grid.train.workers". */
void sweep_put_place(struct buf *out, const struct sweep *sweep, int id);

/* The axis of a setting or free name; NULL: it is none. Borrowed from the sweep. */
struct axis *sweep_axis(const struct sweep *sweep, int id);

/* The values of a setting: *n of its axis, the two ends of its range, or the fixed one. Borrowed from the sweep. */
const union value *sweep_values(const struct sweep *sweep, enum param_id id, int32_t *n);
/* True if each value of an integer setting is v. */
bool sweep_is_always(const struct sweep *sweep, enum param_id id, int64_t v);

/* type: a value of model.type. */
bool sweep_type_has(const struct sweep *sweep, union value type, enum param_id id);
/* True if a model type of the sweep has the setting. */
bool sweep_has(const struct sweep *sweep, enum param_id id);

#endif
