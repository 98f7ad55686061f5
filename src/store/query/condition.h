/* SPDX-License-Identifier: BSD-3-Clause */
/* Conditions of the user on the leaderboard (--where). Internal to src/store/query. */
#ifndef STORE_QUERY_CONDITION_H
#define STORE_QUERY_CONDITION_H

#include "store/db.h"

/* Prepare a query with the condition `where` (NULL: none), which can read only tables and views of
 * this program. Every err names the condition: the rest of sql is ours. */
sqlite3_stmt *condition_prepare(struct store *store, const char *sql, const char *where,
                                struct err *err);

/* Limit a statement's steps, because a condition may contain a query that does not end. The limit
 * grows with the file's trials; condition_end() fails if it was reached. `limit` must not move in
 * between. */
int condition_begin(struct step_limit *limit, struct store *store, struct err *err);
int condition_end(const struct step_limit *limit, struct store *store, const char *where,
                  struct err *err);

#endif
