/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages for failures of SQLite, for the user who has to fix them. Internal to src/store. */
#ifndef STORE_SQLITE_ERROR_H
#define STORE_SQLITE_ERROR_H

#include <stddef.h>

#include "base/err.h"

struct store;

/* Describe the last failure, as the text after "PATH: ": the operation, the system's reason and,
 * unless evident, the remedy. */
void sqlite_error_describe(char *out, size_t size, struct store *store);

/* "PATH: damaged (WHAT)" and the remedy. Always -1. */
int sqlite_error_damage(struct store *store, const char *what, struct err *err);

#endif
