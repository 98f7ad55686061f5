/* SPDX-License-Identifier: BSD-3-Clause */
/* SQL expressions from users: limits on what they may read and how long they may take. This header,
 * internal to src/store, covers `--where` of a query over the leaderboard; `where` over the axes of
 * a sweep file is struct store_predicate (store.h). */
#ifndef STORE_EXPRESSION_H
#define STORE_EXPRESSION_H

#include <sqlite3.h>
#include <stdint.h>

#include "base/err.h"

struct store;

/* Prepare a query that contains the condition `where` (NULL: none). The condition can read the
 * tables and views of this program, and nothing else in the file. NULL and err, which names the
 * condition: the rest of sql is ours, so only the condition can be wrong. */
sqlite3_stmt *expression_prepare(struct store *store, const char *sql, const char *where,
                                 struct err *err);

struct expression_limit {
    int64_t calls; /* remaining calls of SQLite's progress handler */
};

/* Limit the steps of a statement between these two calls, because a condition may contain a query
 * that does not end. The limit grows with the trials in the file. expression_end(): -1 and err if
 * SQLite stopped the statement. `limit` must not move until then. */
int expression_begin(struct expression_limit *limit, struct store *store, struct err *err);
int expression_end(const struct expression_limit *limit, struct store *store, const char *where,
                   struct err *err);

#endif
