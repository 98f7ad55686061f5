/* SPDX-License-Identifier: BSD-3-Clause */
/* The files that a command reads, or that its database was made from, and that it must not
 * overwrite. The command checks this before the work. cli_save() checks again, because files may
 * have moved. */
#ifndef CLI_PRINT_INPUTS_H
#define CLI_PRINT_INPUTS_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/text_list.h"
#include "grid/settings.h"
#include "store/store.h"

/* Zero-initialise to begin. */
struct text_list;
struct inputs {
    struct buf paths; /* each followed by a NUL */
};

/* Add a file and those that are read with it (data/text/file_names.h). NULL and "" add nothing. */
void inputs_add(struct inputs *in, const char *path);
void inputs_add_settings(struct inputs *in, const struct settings *settings);
/* Add the database and the sweep files and data of its sweeps, at the recorded paths and at those
 * of `set` (NULL: none). -1 and err: the database cannot be read. */
int inputs_add_database(struct inputs *in, const char *db, struct store *store,
                        const struct text_list *set, struct err *err);
void inputs_release(struct inputs *in);

/* -1 and err: path must not be written, because it is empty, a folder, a database, or one of the
 * inputs, also by another name. */
int inputs_check(const struct inputs *in, const char *path, struct err *err);

/* Also refuse a path that exists, unless --force was given. A pipe or a device may exist. */
int inputs_check_new(const struct inputs *in, const char *path, bool is_forced, struct err *err);

#endif
