/* SPDX-License-Identifier: BSD-3-Clause */
/* Short forms of SQLite calls, and functions that files of src/store share. */
#ifndef STORE_DB_H
#define STORE_DB_H

#include <sqlite3.h>

#include "store/connection.h"
#include "store/result_table.h"
#include "trial/result.h"

/* Set err to "PATH: operation, reason, remedy". Always -1. */
int db_fail(struct store *store, struct err *err);

/* Set err to "PATH: damaged (WHAT)" and the remedy. Always -1. */
int db_damaged(struct store *store, const char *what, struct err *err);

/* Run constant text with one or more statements. */
int db_exec(struct store *store, const char *sql, struct err *err);

/* The same for composed text, in the format of sqlite3_mprintf() (%Q: a text, %w in double quotes: a
 * name). */
int db_execf(struct store *store, struct err *err, const char *format, ...);

/* Append a quoted SQL identifier or string literal. */
void db_put_name(struct buf *sql, const char *name);
void db_put_text(struct buf *sql, const char *text);

/* Open a transaction unless one is open. */
int db_begin(struct store *store, struct err *err);

/* Prepare exactly one statement and bind its parameters. The caller finalizes it. `types` has one
 * letter for each parameter:
 *   i  int64_t
 *   n  int
 *   d  double (NaN is NULL)
 *   s  const char * (NULL is NULL), borrowed until the statement ends
 *   b  const void * and size_t, likewise
 *   c  const struct cell *, likewise
 * NULL and err on failure; the functions below then return -1 and leave err. */
sqlite3_stmt *db_query(struct store *store, const char *sql, struct err *err, const char *types,
                       ...);

/* The same for a statement of the table, which is prepared once and reset here. */
sqlite3_stmt *db_bind(struct store *store, enum statement id, struct err *err, const char *types,
                      ...);

/* 1: a row; 0: the end, and the statement is reset; -1 and err. */
int db_step(struct store *store, sqlite3_stmt *statement, struct err *err);

/* Step through the rows: while (db_next(&rc, store, row, err)) rc = f(row). False at the end, with
 * *rc 0 and the statement reset, or once *rc is -1. *rc begins with 0. */
bool db_next(int *rc, struct store *store, sqlite3_stmt *statement, struct err *err);

/* Run a statement to its end. */
int db_finish(struct store *store, sqlite3_stmt *statement, struct err *err);
int db_do(struct store *store, enum statement id, struct err *err, const char *types, ...);

/* Read an integer from the only row; 0 without a row. */
int db_ask(int64_t *out, struct store *store, enum statement id, struct err *err, const char *types,
           ...);
int db_integer(int64_t *out, struct store *store, const char *sql, struct err *err,
               const char *types, ...);

/* Check the first columns of a row. `types` has one letter for each: i integer, n integer from 0 to
 * INT32_MAX, r real, s text, t name of a trial state, p name of a part or empty, b blob, ? anything.
 * Upper case also allows NULL. err names the column and its value. */
int db_check_row(struct store *store, sqlite3_stmt *row, const char *types, struct err *err);

/* Check and read columns: i int64_t *, n int32_t *, r double *, s const char ** (borrowed until the
 * next step), t enum trial_state *. NULL reads as NaN (r), NULL (s) or 0. */
int db_read(struct store *store, sqlite3_stmt *row, struct err *err, const char *types, ...);

/* True if a list of names, each with its NUL, has this one. Case does not count, as in SQLite. */
bool db_has_name(const struct buf *names, const char *name);

int db_column_names(struct result_table *out, sqlite3_stmt *row);

/* Return the place of a metric in store->reported or store->written; -1: it is not there. */
int db_find_pair(const struct buf *pairs, const char *split, const char *name);

/* The text is borrowed until the statement's next step. */
void db_view_cell(struct cell *cell, sqlite3_stmt *row, int column);

/* A budget for statements that might not end. */
struct step_limit {
    int64_t calls; /* of SQLite's progress handler; below 0: the statement was interrupted */
};

/* Interrupt statements of a connection once the calls are used up. `limit` is borrowed. */
void db_limit_steps(sqlite3 *db, int steps_a_call, struct step_limit *limit);

/* Release dead sessions: open attempts become 'lost', their trials pending. Call after
 * session_check_refuse() found none alive. */
int session_release(struct store *store, struct err *err);

int model_write_held(struct store *store, struct err *err);

/* Append the id (int64_t) of each model whose bytes do not match its hash. Columns of row: hash,
 * safetensors, id. */
int model_find_damaged(struct buf *ids, struct store *store, sqlite3_stmt *row, struct err *err);

/* Recreate the views `trials` and `leaderboard` if their columns changed, inside the caller's
 * transaction. Reads all metrics. */
int views_update(struct store *store, struct err *err);

/* The same for new trials, which have no metrics yet. has_stop: a stop part will score them. */
int views_expect(struct store *store, bool has_stop, struct err *err);

/* Append a SELECT for the configuration ?1: its sweep_id, then the columns of `trials` that depend
 * on it alone (`sweep` last). */
int views_put_config(struct buf *out, struct store *store, struct err *err);

/* Append the condition that a row of `metric AS m` has this name. */
void views_put_metric(struct buf *out, const char *name);

/* Append the SELECT of the leaderboard. is_typed: a column of numbers and words is text. last > 0:
 * omit sd, se and pairs beyond place `last`, which saves most of the time. */
int views_put_leaderboard(struct buf *out, struct store *store, bool is_typed, int64_t last,
                          struct err *err);

/* Create temporary views, which hide the file's untrusted ones. */
int views_for_reading(struct store *store, struct err *err);

#endif
