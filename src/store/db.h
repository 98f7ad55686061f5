/* SPDX-License-Identifier: BSD-3-Clause */
/* Short forms of SQLite calls, and functions that files of src/store share. */
#ifndef STORE_DB_H
#define STORE_DB_H

#include <sqlite3.h>

#include "store/connection.h"
#include "store/result_table.h"
#include "trial/result.h"

/* Restrict a new connection before any other SQL (doc/decisions/0034). Nothing can be attached, the
 * file's triggers and views do not run, its expressions call only harmless functions, and SQLite
 * checks pages as it reads them. */
int db_distrust(struct store *store, struct err *err);

/* Define SQL functions for this program; views of the file cannot use them.
 *   t95(n)                      the two-sided 95 % point of Student's t with n degrees of freedom
 *   program_checkpoints()       JSON array of the trials of which a program left a checkpoint
 *   program_epoch(trial)        trial_files_epoch(); NULL: unknown
 *   program_saved(trial)        trial_files_saved(); NULL: no checkpoint
 *   program_seconds(trial)      trial_files_seconds(); NULL: unknown */
int db_add_functions(struct store *store, struct err *err);

/* Set err to "PATH: operation, reason, remedy". Always -1. */
int db_fail(struct store *store, struct err *err);

/* Run constant text with one or more statements. */
int db_exec(struct store *store, const char *sql, struct err *err);

/* Run composed text: one statement, to its end. */
int db_run(struct store *store, const struct buf *sql, struct err *err);

/* Append a quoted SQL identifier or string literal. */
void db_put_name(struct buf *sql, const char *name);
void db_put_text(struct buf *sql, const char *text);

/* Open a transaction unless one is open. */
int db_begin(struct store *store, struct err *err);

/* Prepare exactly one statement, which the caller finalizes. NULL and err on failure. */
sqlite3_stmt *db_prepare(struct store *store, const char *sql, struct err *err);

/* Reset a statement of the table and bind its parameters. `types` has one letter for each:
 *   i  int64_t
 *   n  int
 *   d  double (NaN is NULL)
 *   s  const char * (NULL is NULL), borrowed until the next use
 *   b  const void * and size_t, likewise
 * NULL and err if SQLite cannot prepare it. */
sqlite3_stmt *db_bind(struct store *store, enum statement id, struct err *err, const char *types,
                      ...);

/* 1: a row; 0: the end, and the statement is reset; -1 and err. */
int db_step(struct store *store, sqlite3_stmt *statement, struct err *err);

/* Check the first columns of a row. `types` has one letter for each: i integer, n integer from 0 to
 * INT32_MAX, r real, s text, t name of a trial state, p name of a part or empty, b blob, ? anything.
 * Upper case also allows NULL. err names the column and its value. */
int db_check_row(struct store *store, sqlite3_stmt *row, const char *types, struct err *err);

/* Check and read columns: i int64_t *, n int32_t *, r double *, s const char ** (borrowed until the
 * next step), t enum trial_state *. NULL reads as NaN (r), NULL (s) or 0. */
int db_read(struct store *store, sqlite3_stmt *row, struct err *err, const char *types, ...);

int db_column_names(struct result_table *out, sqlite3_stmt *row);

/* The text is borrowed until the statement's next step. */
void db_view_cell(struct cell *cell, sqlite3_stmt *row, int column);

/* A budget for statements that might not end. */
struct step_limit {
    int64_t calls; /* of SQLite's progress handler; below 0: the statement was interrupted */
};

/* Interrupt statements of a connection once the calls are used up. `limit` is borrowed. */
void db_limit_steps(sqlite3 *db, int steps_a_call, struct step_limit *limit);

/* A NULL from db_bind() fails with its err. */
int db_finish(struct store *store, sqlite3_stmt *statement, struct err *err);

/* Read an integer from the only row; `missing` without a row. */
int db_integer(struct store *store, sqlite3_stmt *statement, int64_t missing, int64_t *out,
               struct err *err);

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

/* Append the SELECT of the leaderboard. last > 0: omit sd, se and pairs beyond place `last`, which
 * saves most of the time. */
int views_put_leaderboard(struct buf *out, struct store *store, int64_t last, struct err *err);

/* Create temporary views, which hide the file's untrusted ones. */
int views_for_reading(struct store *store, struct err *err);

#endif
