/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings as the database has them: sweep files, axes, and those of configurations. Internal to
 * src/store. */
#ifndef STORE_STORED_SETTINGS_H
#define STORE_STORED_SETTINGS_H

#include <sqlite3.h>

#include "store/store.h"

/* A sweep file as `sweep.ini` holds it. Pair with sweep_release(). */
int stored_settings_parse_sweep(struct sweep *sweep, struct store *store, const char *ini,
                                struct err *err);

/* Set varies[id] for each setting that a row of the statement names, whose first column is
 * axis.name, and step it to its end. -1 and err, also for a statement that is NULL. */
int stored_settings_mark_axes(bool varies[P_COUNT], struct store *store, sqlite3_stmt *row,
                              struct err *err);

/* Put the values of `config.params`, a JSON object, into settings. -1 and err also where a name or
 * a value is unknown: it comes from a newer program. */
int stored_settings_overlay(struct settings *settings, struct store *store, const char *params,
                            struct err *err);

#endif
