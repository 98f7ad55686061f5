/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings as the database stores them. Internal to src/store. */
#ifndef STORE_STORED_SETTINGS_H
#define STORE_STORED_SETTINGS_H

#include <sqlite3.h>

#include "store/store.h"

/* Parse `sweep.ini`. Pair with sweep_release(). */
int stored_settings_parse_sweep(struct sweep *sweep, struct store *store, const char *ini,
                                struct err *err);

/* Step a statement with the column axis.name to its end, and set varies[id] for each that the settings
 * have. -1 and err also if the statement is NULL. */
int stored_settings_mark_axes(bool varies[P_MAX], const struct free_names *names,
                              struct store *store, sqlite3_stmt *row, struct err *err);

/* A text of a sweep file is one line without control characters, so commands print it as a line of one. -1
 * and err if a stored one is not. what: its name. */
int stored_settings_check_text(const struct store *store, const char *what, const char *text,
                               struct err *err);

/* Put the JSON object `config.params` into settings; `owner` keeps texts. -1 and err also for an unknown
 * name or value, which comes from a newer program. Call it for configurations of one sweep in turn,
 * then stored_settings_keep_meaning(). given: settings that one of them has. */
int stored_settings_add(struct settings *settings, bool given[P_MAX], struct sweep *owner,
                        struct store *store, const char *params, struct err *err);
void stored_settings_keep_meaning(struct settings *settings, const bool given[P_MAX]);

#endif
