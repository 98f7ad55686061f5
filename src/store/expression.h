/* SPDX-License-Identifier: BSD-3-Clause */
/* Limits on SQL expressions from users: what they may read, and for how long. Here, internal to
 * src/store, `--where` over the leaderboard; `where` over the axes of a sweep file is struct
 * store_predicate (store.h). */
#ifndef STORE_EXPRESSION_H
#define STORE_EXPRESSION_H

#include <sqlite3.h>
#include <stdint.h>

#include "base/err.h"

struct store;

/* Prepare a query with the condition `where` (NULL: none), which can read only tables and views of
 * this program. NULL and err, which names the condition: the rest of sql is ours, so only it can be
 * wrong. */
sqlite3_stmt *expression_prepare(struct store *store, const char *sql, const char *where,
                                 struct err *err);

struct expression_limit {
    int64_t calls; /* remaining calls of SQLite's progress handler */
};

/* Limit the steps of a statement between these calls, because a condition may contain a query that
 * does not end. The limit grows with the file's trials. expression_end() fails if SQLite stopped
 * the statement. `limit` must not move in between. */
int expression_begin(struct expression_limit *limit, struct store *store, struct err *err);
int expression_end(const struct expression_limit *limit, struct store *store, const char *where,
                   struct err *err);

#endif
