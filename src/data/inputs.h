/* SPDX-License-Identifier: BSD-3-Clause */
/* The files in [program] inputs, and those that its command names, as they are now. A word of the command
 * names a file if a regular one is there, below the start folder or relative to it. Each is a feature of the
 * data set, named "path hash". */
#ifndef DATA_INPUTS_H
#define DATA_INPUTS_H

#include <limits.h>

#include "base/err.h"
#include "base/hash.h"
#include "data/core/data_spec.h"

/* A hash of the files' names, inodes, sizes and times: if it is the same as before, so are their
 * contents. Nothing is read. -1 and err like data_load(). */
int inputs_state(struct hash *out, const struct data_spec *spec, struct err *err);

enum inputs_role {
    INPUTS_LISTED, /* in inputs */
    INPUTS_SCRIPT, /* named by the command: executable, or with the ending of a script */
    INPUTS_NAMED   /* another file that the command names, which the program may write */
};

enum inputs_role inputs_role(const struct data_spec *spec, const char *path);

/* Split a name "path hash". Returns the hash, a part of name. */
const char *inputs_split(char path[PATH_MAX], const char *name);

/* True for the name "path hash" of this path. */
bool inputs_is_name(const char *name, const char *path);

#endif
