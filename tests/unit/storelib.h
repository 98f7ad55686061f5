/* SPDX-License-Identifier: BSD-3-Clause */
/* What the tests of the store share: a sweep, a dataset without data, made-up results. */
#ifndef STORELIB_H
#define STORELIB_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "store/store.h"

struct fixture {
    char folder[64]; /* a fresh one under $TMPDIR */
    char path[96];   /* of a database in it; not made yet */
    struct sweep sweep;
    struct dataset data;
    struct plan plan;
    struct store_trials known;
};

/* The text of a sweep file; asserts that it is right. */
void fixture_open(struct fixture *f, const char *ini);
/* Another sweep file over the same folder and data. */
void fixture_plan(struct fixture *f, const char *ini);
void fixture_close(struct fixture *f); /* removes the folder */

/* Open the fixture's database for writing and register the plan. */
struct store *fixture_store(struct fixture *f);

/* A done trial with an objective, two metrics and a curve of two epochs. */
void fixture_result(struct trial_result *r, int64_t trial, double value);

/* The first column of the first row of a query on the file, by a connection of its own; into
 * text[256]; "NULL" and "" as SQL says. */
const char *fixture_sql(const struct fixture *f, const char *sql, char text[256]);
void fixture_sql_is(const struct fixture *f, const char *sql, const char *wanted);

#endif
