/* SPDX-License-Identifier: BSD-3-Clause */
/* Kept models, written out as files. */
#ifndef CLI_MODELS_H
#define CLI_MODELS_H

#include "cli/cli.h"
#include "store/store.h"

/* Write the model of a trial to path, or those of a configuration: to path where it has one, else
 * to one file each with the trial in its name, before the last dot. Where weights are to be brought
 * back from a reduction the data are read (set: overrides of their settings). -1 and err: none is
 * kept, path is a file that was read, the data are others. */
int models_save(const char *path, const char *db, struct store *store, bool is_trial, int64_t id,
                const struct text_list *set, struct err *err);

#endif
