/* SPDX-License-Identifier: BSD-3-Clause */
/* The tables of the database: those of each version, the check that a file has them, and the way from
 * an older version to the newest. Internal to src/store. */
#ifndef STORE_SCHEMA_H
#define STORE_SCHEMA_H

#include <sqlite3.h>
#include <stdint.h>

#include "base/err.h"

struct store;

#define SCHEMA_APPLICATION_ID 0x4553504cu /* "ESPL"; db/schema.sql sets the same */
#define SCHEMA_VERSION 3u                 /* likewise; schema.c leads from older ones to it */

/* The SQL that makes the tables of each schema from 1 on (db/schema*.sql, generated at build
 * time). */
extern const char *const schema_sql[SCHEMA_VERSION + 1];

/* Compare the file's schema with what this program makes as `version`, also by migration. -1 and
 * err, which names the object: a table or index of ours is missing or differs, a trigger or a
 * foreign index stands on one, or a name hides a function of SQLite. Other objects that people
 * added are tolerated; nothing reads them. Costs a few milliseconds, whatever the file's size. */
int schema_check(struct store *store, uint32_t version, struct err *err);

/* What user_version says. (The file's header may be behind a log that a killed run left.) -1 and
 * err: it cannot be read, or is newer than this program. */
int schema_version(struct store *store, uint32_t *version, struct err *err);

/* Make the tables of schema `from`, brought to `to`, in an empty database. A code of SQLite. */
int schema_make(sqlite3 *db, uint32_t from, uint32_t to);

/* Bring an older schema to SCHEMA_VERSION, in one transaction. */
int schema_migrate(struct store *store, uint32_t from, struct err *err);

/* Make an older schema look like today's to this connection, without writing. */
int schema_migrate_for_reading(struct store *store, uint32_t from, struct err *err);

#endif
