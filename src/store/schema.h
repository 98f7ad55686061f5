/* SPDX-License-Identifier: BSD-3-Clause */
/* The tables of the database: SQL for each version, check and migration. Internal to src/store. */
#ifndef STORE_SCHEMA_H
#define STORE_SCHEMA_H

#include <stdint.h>

#include "base/err.h"

struct store;

#define SCHEMA_APPLICATION_ID 0x4553504cu /* "ESPL", as in db/schema.sql */
#define SCHEMA_VERSION 6u                 /* as in db/schema.sql */

/* db/schema_5.sql and db/schema.sql, embedded at build time. */
extern const char *const schema_sql[];

/* From one version to the next. */
struct schema_step {
    const char *change; /* of the file */
    const char *views;  /* for a reader: temporary views that hide tables of the same name */
};

struct schema_history {
    uint32_t oldest, newest;
    const char *const *sql;          /* [newest - oldest + 1] the tables of each version */
    const struct schema_step *steps; /* [newest - oldest] */
};

/* The versions that this program reads. */
extern const struct schema_history schema_history;

/* Compare the file's schema with what the history creates or migrates to `version`. -1 and err,
 * which names the object: a table or index of ours is missing or differs, somebody else's trigger
 * or index is on one, or a name hides an SQLite function. Other objects that people added are
 * allowed; nothing reads them. */
int schema_check(struct store *store, const struct schema_history *history, uint32_t version,
                 struct err *err);

/* Read user_version through SQLite: the file's header may be older than the log of a killed run. -1
 * and err also if schema_history lacks it. */
int schema_version(struct store *store, uint32_t *version, struct err *err);

/* All steps or none. */
int schema_migrate(struct store *store, const struct schema_history *history, uint32_t from,
                   struct err *err);

/* Make an older schema look current to this connection, without writing. */
int schema_migrate_for_reading(struct store *store, const struct schema_history *history,
                               uint32_t from, struct err *err);

#endif
