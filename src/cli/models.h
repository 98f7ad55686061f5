/* SPDX-License-Identifier: BSD-3-Clause */
/* Writing kept models to files. */
#ifndef CLI_MODELS_H
#define CLI_MODELS_H

#include "cli/cli.h"
#include "store/store.h"

/* Write the model of a trial, or the models of a configuration. One model goes to path. Several go
 * to one file each, with the trial before the last dot of the name. The data are read if a reduction
 * has to be undone; set: overrides of their settings. -1 and err: no model is kept, path is an
 * input, or the data have changed. */
int models_save(const char *path, const char *db, struct store *store, bool is_trial, int64_t id,
                const struct text_list *set, struct err *err);

#endif
