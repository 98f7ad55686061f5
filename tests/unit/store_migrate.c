/* SPDX-License-Identifier: BSD-3-Clause */
/* The next schema: an invented one follows today's. */
#include <stdio.h>
#include <string.h>

#include "store/db.h"
#include "store/schema.h"
#include "storelib.h"

#define INI "[sweep]\nname = s\n[grid]\nhidden_size = 16, 32\n"

/* A column, a table, and a table that is made anew. */
static const struct schema_step steps[] = {
    {"ALTER TABLE sweep ADD COLUMN colour TEXT;"
     "CREATE TABLE leaf (trial_id INTEGER PRIMARY KEY REFERENCES trial, area REAL) STRICT;"
     "CREATE TEMP TABLE metric_5 AS SELECT * FROM metric; DROP TABLE metric;"
     "CREATE TABLE metric (trial_id INTEGER NOT NULL REFERENCES trial, split TEXT NOT NULL,"
     " name TEXT NOT NULL, value REAL NOT NULL, PRIMARY KEY (trial_id, split, name)) STRICT;"
     "INSERT INTO metric SELECT * FROM temp.metric_5; DROP TABLE temp.metric_5;"
     "PRAGMA user_version = 6",
     "CREATE TEMP VIEW sweep AS SELECT *, NULL AS colour FROM main.sweep;"
     "CREATE TEMP VIEW leaf AS SELECT 0 AS trial_id, 0.0 AS area WHERE 0"},
};

static char newest[65536];
static const char *sql[2];
static const struct schema_history history = {
    .oldest = SCHEMA_VERSION, .newest = SCHEMA_VERSION + 1, .sql = sql, .steps = steps};

static void open_with_result(struct fixture *f, struct store **store)
{
    struct trial_result r;
    struct err err;

    snprintf(newest, sizeof newest, "%s%s", schema_sql[0], steps[0].change);
    sql[0] = schema_sql[0];
    sql[1] = newest;
    fixture_open(f, INI);
    *store = fixture_store(f);
    fixture_result(&r, 0, 0.5);
    assert_int_equal(store_result(*store, f->known.ids[0], &r, &err), 0);
    assert_int_equal(store_commit(*store, &err), 0);
    trial_result_release(&r);
}

static void test_brought_up(void **state)
{
    struct fixture f;
    struct store *store;
    struct err err;
    char before[256];

    (void)state;
    open_with_result(&f, &store);
    fixture_sql(&f, "SELECT count(*) || ' ' || sum(value) FROM metric", before);
    if (schema_migrate(store, &history, SCHEMA_VERSION, &err))
        fail_msg("%s", err.text);
    fixture_sql_is(&f, "PRAGMA user_version", "6");
    fixture_sql_is(&f, "SELECT count(*) || ' ' || sum(value) FROM metric", before);
    fixture_sql_is(&f, "SELECT count(*) FROM leaf", "0");
    fixture_sql_is(&f, "SELECT count(*) FROM pragma_foreign_key_check", "0");
    if (schema_check(store, &history, SCHEMA_VERSION + 1, &err))
        fail_msg("%s", err.text);
    /* Today's program refuses it. */
    store_close(store);
    assert_int_equal(store_open_reader(&store, f.path, &err), -1);
    assert_non_null(
        strstr(err.text, "made by a newer espalier (schema 6, this one supports up to 5)"));
    fixture_close(&f);
}

/* The step fails because a table already has a name that it needs. */
static void test_all_or_nothing(void **state)
{
    struct fixture f;
    struct store *store;
    struct err err;

    (void)state;
    open_with_result(&f, &store);
    assert_int_equal(db_exec(store, "CREATE TABLE leaf (own)", &err), 0);
    assert_int_equal(schema_migrate(store, &history, SCHEMA_VERSION, &err), -1);
    assert_non_null(strstr(err.text, "cannot migrate schema 5 to 6: "));
    assert_non_null(strstr(err.text, "leaf already exists"));
    fixture_sql_is(&f, "SELECT count(*) FROM pragma_table_info('sweep') WHERE name = 'colour'",
                   "0");
    fixture_sql_is(&f, "PRAGMA user_version", "5");
    fixture_end(&f, store);
}

static void test_read_as_it_is(void **state)
{
    struct fixture f;
    struct store *store;
    struct err err;

    (void)state;
    open_with_result(&f, &store);
    store_close(store);
    if (store_open_reader(&store, f.path, &err) ||
        db_exec(store, "PRAGMA query_only = off", &err) ||
        schema_migrate_for_reading(store, &history, SCHEMA_VERSION, &err) ||
        db_exec(store, "SELECT colour FROM sweep; SELECT area FROM leaf", &err))
        fail_msg("%s", err.text);
    store_close(store);
    fixture_sql_is(&f, "PRAGMA user_version", "5");
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_brought_up),
        cmocka_unit_test(test_all_or_nothing),
        cmocka_unit_test(test_read_as_it_is),
    };

    return cmocka_run_group_tests_name("store_migrate", tests, NULL, NULL);
}
