/* SPDX-License-Identifier: BSD-3-Clause */
/* What SQLite's failures mean to whoever has to mend them. Internal to src/store. */
#ifndef STORE_SQLITE_ERROR_H
#define STORE_SQLITE_ERROR_H

#include <stddef.h>

#include "base/err.h"

struct store;

/* The text after "PATH: " for the last failure of the store's connection: what was being done, the
 * system's reason, and what to do where that is not evident. */
void sqlite_error_describe(char *out, size_t size, struct store *store);

/* "PATH: damaged (WHAT)", and what to do. Always -1. */
int sqlite_error_damage(struct store *store, const char *what, struct err *err);

#endif
