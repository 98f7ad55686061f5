/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared parts of the store: short forms of SQLite calls, and functions that one file of src/store
 * defines and others call. Internal to src/store. */
#ifndef STORE_DB_H
#define STORE_DB_H

#include <sqlite3.h>

#include "store/connection.h"
#include "store/result_table.h"
#include "trial/result.h"

/* Restrict a new connection, since a database is untrusted input. Call before any other SQL.
 * Afterwards no file can be attached, triggers and views of the file do not run, expressions of the
 * file call only harmless functions, and SQLite checks pages as it reads them. */
int db_distrust(struct store *store, struct err *err);

/* Define SQL functions for statements of this program. A view of the file cannot use them.
 *   t95(n)                      the two-sided 95 % point of Student's t with n degrees of freedom
 *   model_type_is(type, fact)   model_type_is() of trial/model_type.h; false for an unknown type */
int db_add_functions(struct store *store, struct err *err);

/* Set err to "PATH: operation, reason, remedy" (store/sqlite_error.h). Always -1. */
int db_fail(struct store *store, struct err *err);

/* Run constant text with one or more statements. Use db_run() for text that is assembled. */
int db_exec(struct store *store, const char *sql, struct err *err);

/* Run exactly one statement to its end. */
int db_run(struct store *store, const struct buf *sql, struct err *err);

/* Append a quoted SQL identifier or string literal. */
void db_put_name(struct buf *sql, const char *name);
void db_put_text(struct buf *sql, const char *text);

/* Open a transaction unless one is open. store_commit() ends it. */
int db_begin(struct store *store, struct err *err);

/* Prepare a statement; the caller finalizes it. NULL and err if SQLite cannot prepare it, or if sql
 * contains more than one statement. */
sqlite3_stmt *db_prepare(struct store *store, const char *sql, struct err *err);

/* Return a statement of the table, reset, with its parameters bound to the arguments. `types` has
 * one letter for each:
 *   i  int64_t
 *   n  int
 *   d  double (NaN is NULL)
 *   s  const char * (NULL is NULL), borrowed until the next use
 *   b  const void * and size_t, borrowed likewise
 * NULL and err if SQLite cannot prepare the statement. */
sqlite3_stmt *db_bind(struct store *store, enum statement id, struct err *err, const char *types,
                      ...);

/* Step a statement: 1 for a row, 0 at the end (the statement is then reset), -1 and err. */
int db_step(struct store *store, sqlite3_stmt *statement, struct err *err);

/* Check the columns of a row, starting with the first. `types` has one letter for each: i an
 * integer, n an integer from 0 to INT32_MAX, r a real number, s a text, t the name of a trial
 * state, b a blob, ? anything. An upper-case letter also allows NULL. -1 and err, which names the
 * column and its value. */
int db_check_row(struct store *store, sqlite3_stmt *row, const char *types, struct err *err);

/* Like db_check_row(), but also read the columns into the arguments: i int64_t *, n int32_t *, r
 * double *, s const char ** (borrowed until the next step), t enum trial_state *. NULL reads as NaN
 * for r, NULL for s, and 0 for the others. */
int db_read(struct store *store, sqlite3_stmt *row, struct err *err, const char *types, ...);

/* Copy the column names into out->names and out->n_cols. -1: out of memory. */
int db_column_names(struct result_table *out, sqlite3_stmt *row);

/* View a column of a row as a cell. SQLite owns the text until the statement's next step. */
void db_view_cell(struct cell *cell, sqlite3_stmt *row, int column);

/* Run a bound statement to its end. Takes the NULL of a failed db_bind(). */
int db_finish(struct store *store, sqlite3_stmt *statement, struct err *err);

/* Read the first column of the only row as an integer; `missing` if there is no row. */
int db_integer(struct store *store, sqlite3_stmt *statement, int64_t missing, int64_t *out,
               struct err *err);

/* Release dead sessions for a new writer, after session_check_refuse() found none of store->checks
 * alive. Their open attempts become 'lost' and their trials pending. */
int session_release(struct store *store, struct err *err);

/* Write the models that store_put_model() holds back, except those dropped since. */
int model_write_held(struct store *store, struct err *err);

/* Step a statement with the columns hash, safetensors and id to its end. Append the id (int64_t) of
 * each model whose bytes do not match its hash to ids. */
int model_find_damaged(struct buf *ids, struct store *store, sqlite3_stmt *row, struct err *err);

/* Recreate the views `trials` and `leaderboard` if their columns have changed. Runs inside the
 * caller's transaction. Reads all metrics to find the parts that they belong to. */
int views_update(struct store *store, struct err *err);

/* Like views_update(), but for new trials, which have no metrics yet. has_stop: these trials will
 * be scored on a stop part. */
int views_expect(struct store *store, bool has_stop, struct err *err);

/* Append a SELECT for the configuration ?1: its sweep_id, then the columns of the view `trials`
 * that depend on the configuration alone (the settings, and `sweep` last). */
int views_put_config(struct buf *out, struct store *store, struct err *err);

/* Append the SELECT of the leaderboard. With last > 0, sd, se and pairs are computed only for
 * places up to `last`, which takes a fraction of the time. */
int views_put_leaderboard(struct buf *out, struct store *store, int64_t last, struct err *err);

/* Create this program's views as temporary views. They hide the file's views, which the program
 * never reads. */
int views_for_reading(struct store *store, struct err *err);

#endif
