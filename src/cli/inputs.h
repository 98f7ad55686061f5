/* SPDX-License-Identifier: BSD-3-Clause */
/* The input files of a command, and those that its database was made from. The command must not
 * write any of them. It checks its outputs before the work; cli_save() checks again, since files may
 * have moved. */
#ifndef CLI_INPUTS_H
#define CLI_INPUTS_H

#include "base/buf.h"
#include "base/text_list.h"
#include "grid/settings.h"
#include "store/store.h"

/* Zero-initialise to begin. */
struct text_list;
struct inputs {
    struct buf paths; /* each followed by a NUL */
};

/* Add a file that an option or a setting names, and those that are read with it
 * (data/text/file_names.h). NULL and "" add nothing. */
void inputs_add(struct inputs *in, const char *path);
/* Add the files of all settings. */
void inputs_add_settings(struct inputs *in, const struct settings *settings);
/* Add the database itself, and the sweep files and data of its sweeps: their paths in the database,
 * and those that `set` (--set, or NULL) gives now. -1 and err: the database cannot be read. */
int inputs_add_database(struct inputs *in, const char *db, struct store *store,
                        const struct text_list *set, struct err *err);
void inputs_release(struct inputs *in);

/* Check that an output may be written to path. -1 and err: it is empty, a folder, a file of a
 * database, or one of the inputs, also under another name or behind a link. */
int inputs_check(const struct inputs *in, const char *path, struct err *err);

#endif
