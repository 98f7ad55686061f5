/* SPDX-License-Identifier: BSD-3-Clause */
/* Write kept models to files. */
#ifndef CLI_PRINT_MODELS_H
#define CLI_PRINT_MODELS_H

#include "cli/print/cli.h"
#include "store/store.h"

/* Write the model of a trial to path, or the models of a configuration; with several models, the
 * trial stands before the last dot of each name. After a reduction the data are read, to compute
 * weights for the original features; set overrides their settings. -1 and err: no model is kept,
 * path must not be written (inputs_check()), or the data have changed. */
int models_save(const char *path, bool is_forced, const char *db, struct store *store,
                bool is_trial, int64_t id, const struct text_list *set, struct err *err);

#endif
