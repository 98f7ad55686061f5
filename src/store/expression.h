/* SPDX-License-Identifier: BSD-3-Clause */
/* Limits on SQL expressions from users. Internal to src/store; struct store_predicate (store.h)
 * limits `where` over the axes of a sweep file. */
#ifndef STORE_EXPRESSION_H
#define STORE_EXPRESSION_H

#include <sqlite3.h>
#include <stdint.h>

#include "base/err.h"

struct store;

/* Prepare a query with the condition `where` (NULL: none), which can read only tables and views of
 * this program. Every err names the condition: the rest of sql is ours. */
sqlite3_stmt *expression_prepare(struct store *store, const char *sql, const char *where,
                                 struct err *err);

struct expression_limit {
    int64_t calls; /* of SQLite's progress handler */
};

/* Limit a statement's steps, because a condition may contain a query that does not end. The limit
 * grows with the file's trials; expression_end() fails if it was reached. `limit` must not move in
 * between. */
int expression_begin(struct expression_limit *limit, struct store *store, struct err *err);
int expression_end(const struct expression_limit *limit, struct store *store, const char *where,
                   struct err *err);

#endif
