/* A user's condition in a query over the leaderboard: what it may read, and how long it may take.
 * Internal to src/store. */
#ifndef STORE_WHERE_H
#define STORE_WHERE_H

#include <sqlite3.h>
#include <stdint.h>

#include "base/err.h"

struct store;

/* Prepare a query that contains the condition `where` (NULL: none). The condition sees the tables
 * and views of this program, and nothing else that is in the file. NULL and err, which names the
 * condition: the rest of sql is ours, so that only this can be wrong. */
sqlite3_stmt *where_prepare(struct store *store, const char *sql, const char *where,
                            struct err *err);

struct where_limit {
    int64_t calls; /* of SQLite's progress handler that are left */
};

/* Between the two, SQLite ends a statement after a number of steps, which grows with the trials in
 * the file: a condition may contain a query that does not end. where_end(): -1 and err when that
 * happened. `limit` stays at its place until then. */
int where_begin(struct where_limit *limit, struct store *store, struct err *err);
int where_end(const struct where_limit *limit, struct store *store, const char *where,
              struct err *err);

#endif
