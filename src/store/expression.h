/* SPDX-License-Identifier: BSD-3-Clause */
/* Expressions that a user writes in SQL: what they may read, and how long they may take. `--where`
 * of a query over the leaderboard is declared here, internal to src/store; `where` over the axes of
 * a sweep file is struct store_predicate (store.h). */
#ifndef STORE_EXPRESSION_H
#define STORE_EXPRESSION_H

#include <sqlite3.h>
#include <stdint.h>

#include "base/err.h"

struct store;

/* Prepare a query that contains the condition `where` (NULL: none). The condition sees the tables
 * and views of this program, and nothing else that is in the file. NULL and err, which names the
 * condition: the rest of sql is ours, so that only this can be wrong. */
sqlite3_stmt *expression_prepare(struct store *store, const char *sql, const char *where,
                                 struct err *err);

struct expression_limit {
    int64_t calls; /* of SQLite's progress handler that are left */
};

/* Between the two, SQLite ends a statement after a number of steps, which grows with the trials in
 * the file: a condition may contain a query that does not end. expression_end(): -1 and err when that
 * happened. `limit` stays at its place until then. */
int expression_begin(struct expression_limit *limit, struct store *store, struct err *err);
int expression_end(const struct expression_limit *limit, struct store *store, const char *where,
                   struct err *err);

#endif
