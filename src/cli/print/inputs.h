/* SPDX-License-Identifier: BSD-3-Clause */
/* The files that a command must not overwrite: those that it reads or that its database was made
 * from, those beside the database, and without --force any other. The command checks this before
 * the work. cli_save() checks again, because files may have moved. */
#ifndef CLI_PRINT_INPUTS_H
#define CLI_PRINT_INPUTS_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/text_list.h"
#include "grid/settings.h"
#include "store/store.h"

/* Zero-initialise to begin. */
struct inputs {
    struct buf paths; /* each followed by a NUL */
    const char *db;   /* borrowed; NULL: none */
    bool is_forced;   /* other existing files may be replaced */
};

/* Add a file and those that are read with it (data/text/file_names.h). NULL and "" add nothing. */
void inputs_add(struct inputs *in, const char *path);
void inputs_add_settings(struct inputs *in, const union value v[P_MAX]);
/* Add the database and the sweep files and data of its sweeps, at the recorded paths and at those
 * of `set` (NULL: none). -1 and err: the database cannot be read. */
int inputs_add_database(struct inputs *in, const char *db, struct store *store,
                        const struct text_list *set, struct err *err);
void inputs_release(struct inputs *in);

/* -1 and err: path must not be written, because it is empty, a folder, a database, one of the
 * inputs, also by another name, has a name that SQLite or a run may give to a file beside the
 * database, or exists. A pipe or a device may exist. */
int inputs_check(const struct inputs *in, const char *path, struct err *err);

/* The same for a folder to write, whose content the command checks. */
int inputs_check_folder(const struct inputs *in, const char *path, struct err *err);

#endif
