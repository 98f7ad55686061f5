/* SPDX-License-Identifier: BSD-3-Clause */
/* The files that a command will read, or that its database was made from: none of them may be what
 * it writes. Who writes asks before the work; cli_save() asks again, as files may have moved. */
#ifndef CLI_INPUTS_H
#define CLI_INPUTS_H

#include "base/buf.h"
#include "base/text_list.h"
#include "grid/settings.h"
#include "store/store.h"

/* Zero-initialise to begin. */
struct text_list;
struct inputs {
    struct buf paths; /* each with a NUL behind it */
};

/* A file that an option or a setting names, with those that are read along with it
 * (data/text/file_names.h). Takes NULL and "". */
void inputs_add(struct inputs *in, const char *path);
/* Those of all settings. */
void inputs_add_settings(struct inputs *in, const struct settings *settings);
/* The database itself, and the sweep files and data of its sweeps: those that were given, and where
 * `set` (--set; NULL: none) says that they lie now. -1 and err: it cannot be read. */
int inputs_add_database(struct inputs *in, const char *db, struct store *store,
                        const struct text_list *set, struct err *err);
void inputs_release(struct inputs *in);

/* -1 and err: a file is not to be written to path, which is none, a folder, or one of the inputs
 * under whatever name (links do not hide it). */
int inputs_check(const struct inputs *in, const char *path, struct err *err);

#endif
