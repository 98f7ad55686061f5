/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of the store share: short forms of SQLite's calls, and what single files do for the
 * others. Internal to src/store. */
#ifndef STORE_DB_H
#define STORE_DB_H

#include <sqlite3.h>

#include "store/connection.h"
#include "store/result_table.h"
#include "trial/result.h"

/* A database is untrusted input. Before any other SQL: nothing can be attached, no trigger and no
 * view of the file runs, its expressions call harmless functions only, and pages are checked as
 * they are read. */
int db_distrust(struct store *store, struct err *err);

/* Functions for SQL of this program; a view must do without them:
 *   t95(n)                      the two-sided 95 % point of Student's t with n degrees of freedom
 *   model_type_is(type, fact)   of the type of model with this name (trial/model_type.h) */
int db_add_functions(struct store *store, struct err *err);

/* "PATH: what failed, why, and what to do" (store/sqlite_error.h). Always -1. */
int db_fail(struct store *store, struct err *err);

/* Constant text only, of one or more statements. Use db_run() for text that is put together. */
int db_exec(struct store *store, const char *sql, struct err *err);

/* Exactly one statement, run to its end. */
int db_run(struct store *store, const struct buf *sql, struct err *err);

/* Append an identifier or a string literal of SQL, quoted. */
void db_put_name(struct buf *sql, const char *name);
void db_put_text(struct buf *sql, const char *text);

/* Open a transaction, unless one is: store_commit() ends it. */
int db_begin(struct store *store, struct err *err);

/* A statement of its own, to be finalized. NULL and err when it cannot be prepared, or when more
 * than one statement is in sql. */
sqlite3_stmt *db_prepare(struct store *store, const char *sql, struct err *err);

/* A statement of the table, reset, with its parameters bound from the arguments, one for each
 * letter of `types`: i int64_t, n int, d double (NaN is NULL), s const char * (NULL is NULL;
 * borrowed until the next use), b const void * and size_t (likewise). NULL and err when it cannot
 * be prepared. */
sqlite3_stmt *db_bind(struct store *store, enum statement id, struct err *err, const char *types,
                      ...);

/* 1: a row is there, 0: no more (the statement is reset then), -1 and err. */
int db_step(struct store *store, sqlite3_stmt *statement, struct err *err);

/* Check the columns of a row from the first on, one letter each: i an integer, n one from 0 to
 * INT32_MAX, r a real number, s a text, t the name of a trial's state, b a blob, ? anything. An
 * upper-case letter also allows NULL. -1 and err, which names the column and what it holds. */
int db_check_row(struct store *store, sqlite3_stmt *row, const char *types, struct err *err);

/* The same, and read them into the arguments: i int64_t *, n int32_t *, r double * (NULL is NaN),
 * s const char ** (borrowed until the next step), t enum trial_state *. NULL is 0 or NULL
 * elsewhere. */
int db_read(struct store *store, sqlite3_stmt *row, struct err *err, const char *types, ...);

/* The names of the columns, copied into out->names and out->n_cols. -1: out of memory. */
int db_column_names(struct result_table *out, sqlite3_stmt *row);

/* A column of a row as a cell. SQLite owns its text until the statement's next step. */
void db_view_cell(struct cell *cell, sqlite3_stmt *row, int column);

/* Run a bound statement to its end; takes the NULL of a failed db_bind(). */
int db_finish(struct store *store, sqlite3_stmt *statement, struct err *err);

/* The first column of the only row, as an integer; `missing` where there is no row. */
int db_integer(struct store *store, sqlite3_stmt *statement, int64_t missing, int64_t *out,
               struct err *err);

/* A writer begins, and none of store->checks lives: what they have left open is lost, its trials
 * pending again. */
int session_release(struct store *store, struct err *err);

/* The models that store_put_model() holds back, those that were dropped meanwhile left out. */
int model_write_held(struct store *store, struct err *err);

/* Add to ids, as i64, the last of the columns hash, safetensors, id where the file has not that
 * hash. The rows are read to their end. */
int model_find_damaged(struct buf *ids, struct store *store, sqlite3_stmt *row, struct err *err);

/* The views `trials` and `leaderboard`, made again where their columns have changed. Inside the
 * caller's transaction. Reads all metrics, to know of which parts they are. */
int views_update(struct store *store, struct err *err);

/* The same for new trials, which have no metrics yet; has_stop: they will be scored on a stop part.
 */
int views_expect(struct store *store, bool has_stop, struct err *err);

/* A SELECT of one configuration, ?1: its sweep_id, then the columns of the view `trials` that
 * depend on it alone: the settings, and last `sweep`. */
int views_put_config(struct buf *out, struct store *store, struct err *err);

/* The SELECT of the leaderboard. last > 0: with sd, se and pairs of the places up to this one
 * alone, which takes a fraction of the time. */
int views_put_leaderboard(struct buf *out, struct store *store, int64_t last, struct err *err);

/* The views of this program as temporary ones, which hide the file's: nothing here reads those. */
int views_for_reading(struct store *store, struct err *err);

#endif
