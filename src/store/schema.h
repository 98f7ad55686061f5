/* SPDX-License-Identifier: BSD-3-Clause */
/* The tables of the database: their SQL in each version, the check that a file has them, and the
 * migration of older versions. Internal to src/store. */
#ifndef STORE_SCHEMA_H
#define STORE_SCHEMA_H

#include <sqlite3.h>
#include <stdint.h>

#include "base/err.h"

struct store;

#define SCHEMA_APPLICATION_ID 0x4553504cu /* "ESPL"; same value in db/schema.sql */
#define SCHEMA_VERSION 3u                 /* likewise; schema.c migrates older versions */

/* SQL that creates the tables of each schema version, from 1 (db/schema*.sql, embedded at build
 * time). */
extern const char *const schema_sql[SCHEMA_VERSION + 1];

/* Compare the file's schema with the one that this program creates for `version`, directly or by
 * migration. -1 and err, which names the object, if a table or index of ours is missing or differs,
 * if somebody else's trigger or index is on one, or if a name hides an SQLite function. Other
 * objects that people added are allowed, and nothing reads them. Takes a few milliseconds for a
 * file of any size. */
int schema_check(struct store *store, uint32_t version, struct err *err);

/* Read user_version through SQLite, because the file's header may be older than the log of a killed
 * run. -1 and err: it cannot be read, or is newer than this program. */
int schema_version(struct store *store, uint32_t *version, struct err *err);

/* Create the tables of schema `from` in an empty database and migrate them to `to`. Returns an
 * SQLite code. */
int schema_make(sqlite3 *db, uint32_t from, uint32_t to);

/* Migrate an older schema to SCHEMA_VERSION in one transaction. */
int schema_migrate(struct store *store, uint32_t from, struct err *err);

/* Make an older schema look like the current one to this connection, without writing. */
int schema_migrate_for_reading(struct store *store, uint32_t from, struct err *err);

#endif
