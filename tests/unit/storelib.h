/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by tests of the store: a sweep, a data set without data, invented results. */
#ifndef STORELIB_H
#define STORELIB_H

#include "store/store.h"
#include "unit.h"

struct fixture {
    char folder[64]; /* a new one under $TMPDIR */
    char path[96];   /* of a database that does not exist yet */
    struct sweep sweep;
    struct dataset data;
    struct plan plan;
    struct store_trials known;
};

/* ini: the text of a sweep file, which must be valid. */
void fixture_open(struct fixture *f, const char *ini);
/* Plan another sweep file with the same folder and data. */
void fixture_plan(struct fixture *f, const char *ini);
void fixture_close(struct fixture *f); /* removes the folder */

/* A session of two ranks. */
extern const struct store_session fixture_session;

/* Open the database and register the plan. */
struct store *fixture_store(struct fixture *f);
/* fixture_open() and fixture_store(); store_close() and fixture_close(). */
struct store *fixture_begin(struct fixture *f, const char *ini);
void fixture_end(struct fixture *f, struct store *store);

/* A done trial with an objective, two metrics and a curve of two epochs. */
void fixture_result(struct trial_result *r, int64_t trial, double value);

/* Store a result of this state (fixture_result(), with an error if it is not done). */
void fixture_put(struct fixture *f, struct store *store, int64_t trial, enum trial_state state,
                 double value);
void fixture_commit(struct store *store);
struct store *fixture_reader(const struct fixture *f);

/* Merge a database into that of `out`, which may not exist yet. Returns the number of notes; first: a
 * copy of the first one, or NULL. */
size_t fixture_merge(const struct fixture *out, const struct fixture *in, struct err *first);

/* Run statements as another program does, which may change the schema. */
void fixture_exec(const struct fixture *f, const char *sql);

/* Run a query over its own connection; text[256] gets the first column of the first row, "NULL" and
 * "" as in SQL. */
const char *fixture_sql(const struct fixture *f, const char *sql, char text[256]);
void fixture_sql_is(const struct fixture *f, const char *sql, const char *wanted);

#endif
