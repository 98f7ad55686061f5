/* SPDX-License-Identifier: BSD-3-Clause */
/* How queries are run. Internal to src/store/query. */
#ifndef STORE_QUERY_QUERY_ROWS_H
#define STORE_QUERY_QUERY_ROWS_H

#include <sqlite3.h>

#include "store/result_table.h"
#include "store/store.h"

/* Prepare a statement and bind ?1, if it has one. NULL and err on failure. */
sqlite3_stmt *query_prepare(struct store *store, const char *sql, int64_t id, struct err *err);

/* Return all rows of a statement, and finalize it. types_of: as in QUERY_TABLE. */
int query_collect(struct result_table *out, struct store *store, sqlite3_stmt *row,
                  const char *types_of, struct err *err);

#endif
