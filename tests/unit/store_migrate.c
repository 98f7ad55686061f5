/* SPDX-License-Identifier: BSD-3-Clause */
/* A database made by an older version is read as it is, and migrated by a writer. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "store/merge.h"
#include "store/query/query.h"
#include "store/schema.h"
#include "storelib.h"

#define INI "[sweep]\nname = s\nreplicates = 2\n[grid]\nhidden_size = 16, 32\n"

/* One finished sweep, with the views of schema 1. */
static const char content_1[] =
    "INSERT INTO sweep VALUES (1, 'old', 'val_pearson', 'max', 'regression', 'o.ini', '', 'd', 9,"
    " 3, 0, 1.5, 2.5);"
    "INSERT INTO axis VALUES (1, 1, 'hidden_size', '[16]');"
    "INSERT INTO config VALUES (1, 1, 1, 'k', '{\"hidden_size\":16}', 1e6);"
    "INSERT INTO trial VALUES (1, 1, 0, 0, 'k0', 'done', 0.75, 5, 4, 0.5, 1e6, 4096, 1, NULL);"
    "INSERT INTO metric VALUES (1, 'val', 'pearson', 0.75), (1, 'test', 'pearson', 0.25);"
    "INSERT INTO session VALUES (1, 'espalier run', '0.1.0', 'h', 7, 2, 'c', 'm', 'b', 'k', 10, 11,"
    " 'finished');"
    "INSERT INTO attempt VALUES (1, 1, 1, 0, 'h', 7, 10, 10.5, 'done', NULL);"
    "CREATE VIEW trials AS SELECT trial_id AS trial, seconds FROM trial;"
    "CREATE VIEW leaderboard AS SELECT sweep.name AS sweep, 1 AS place, config_id AS config,"
    " 1 AS trials, 0.75 AS mean, NULL AS sd, NULL AS se, 0.5 AS seconds"
    " FROM config JOIN sweep USING (sweep_id);";

static void make_old(const struct fixture *f, const char *more)
{
    sqlite3 *db;

    assert_int_equal(sqlite3_open(f->path, &db), SQLITE_OK);
    if (sqlite3_exec(db, schema_sql[1], NULL, NULL, NULL) ||
        sqlite3_exec(db, content_1, NULL, NULL, NULL) || sqlite3_exec(db, more, NULL, NULL, NULL))
        fail_msg("%s", sqlite3_errmsg(db));
    sqlite3_close(db);
}

static void test_read_as_it_is(void **state)
{
    struct fixture f;
    struct store *store;
    struct result_table table;
    struct err err;

    (void)state;
    fixture_open(&f, INI);
    make_old(&f, "");
    if (store_open_reader(&store, f.path, &err))
        fail_msg("%s", err.text);
    for (int q = 0; q < QUERY_COUNT; q++) {
        if (query_table(&table, store, (enum query)q, 1, &err))
            fail_msg("%s", err.text);
        if (q == QUERY_TRIAL) {
            assert_int_equal(table.n_rows, 1);
            assert_string_equal(table.names[9], "seconds");
            assert_true(table.cells[9].f == 0.5);
            assert_string_equal(table.names[10], "predicted");
            assert_int_equal(table.cells[10].type, CELL_NULL);
        }
        result_table_release(&table);
    }
    assert_int_equal(store_find(store, &f.plan, &f.data, &f.known, &err), 0);
    store_close(store);
    fixture_sql_is(&f, "PRAGMA user_version", "1");
    fixture_close(&f);
}

static void test_brought_up_to_date(void **state)
{
    struct fixture f;
    struct store *store;
    struct trial_result r;
    struct err err;

    (void)state;
    fixture_open(&f, INI);
    make_old(&f, "");
    store = fixture_store(&f);
    fixture_result(&r, 1, 0.5);
    r.metrics[PART_STOP][METRIC_PEARSON] = 0.875;
    assert_int_equal(store_result(store, f.known.ids[1], &r, &err), 0);
    assert_int_equal(store_commit(store, &err), 0);
    trial_result_release(&r);
    store_close(store);
    fixture_sql_is(&f, "PRAGMA user_version", "5");
    fixture_sql_is(&f, "PRAGMA integrity_check", "ok");
    fixture_sql_is(&f, "SELECT count(*) FROM trial", "5");
    fixture_sql_is(&f, "SELECT group_concat(split || value) FROM metric WHERE trial_id = 1",
                   "test0.25,val0.75");
    fixture_sql_is(&f, "SELECT value FROM metric WHERE split = 'stop'", "0.875");
    fixture_sql_is(&f,
                   "SELECT seconds || ' ' || ifnull(predicted, 'none') || ' ' || value"
                   " FROM trials WHERE trial = 1",
                   "0.5 none 0.75");
    fixture_sql_is(&f, "SELECT predicted FROM trials WHERE sweep = 's' AND predicted IS NOT NULL",
                   "0.25");
    fixture_sql_is(&f, "SELECT group_concat(sweep || place) FROM leaderboard WHERE trials > 0",
                   "old1,s1");
    /* The migration runs once. */
    store_close(fixture_store(&f));
    fixture_sql_is(&f, "SELECT count(*) FROM trial", "5");
    fixture_close(&f);
}

static void test_merged(void **state)
{
    struct fixture f, old;
    struct merge_input input = {0};
    struct errlist conflicts = {0};
    struct err err;

    (void)state;
    fixture_open(&f, INI);
    fixture_open(&old, INI);
    make_old(&old, "");
    store_close(fixture_store(&f));
    input.path = old.path;
    if (merge_databases(f.path, &input, 1, &conflicts, &err))
        fail_msg("%s", err.text);
    fixture_sql_is(&f,
                   "SELECT seconds || ' ' || ifnull(predicted, 'none') || ' ' || value || ' ' ||"
                   " attempts FROM trials WHERE sweep = 'old'",
                   "0.5 none 0.75 1");
    fixture_sql_is(&f, "SELECT count(*) FROM trial", "5");
    fixture_sql_is(&old, "PRAGMA user_version", "1");
    fixture_close(&old);
    fixture_close(&f);
}

/* The second step fails because a table already has a name that it needs. */
static void test_all_or_nothing(void **state)
{
    struct fixture f;
    struct store *store;
    struct err err;

    (void)state;
    fixture_open(&f, INI);
    make_old(&f, "CREATE TABLE checkpoint (own)");
    assert_int_equal(store_open(&store, f.path, &err), -1);
    assert_non_null(strstr(err.text, "cannot migrate schema 1 to 5: "));
    assert_non_null(strstr(err.text, "checkpoint already exists"));
    fixture_sql_is(&f, "SELECT count(*) FROM pragma_table_info('trial')", "14");
    fixture_sql_is(&f, "PRAGMA user_version", "1");
    fixture_close(&f);
}

/* Users' views, tables and triggers refer to tables which are rebuilt. */
static void test_own_objects(void **state)
{
    static const char own[] =
        "CREATE VIEW tried AS SELECT trial_id, count(*) AS n FROM attempt GROUP BY 1;"
        "CREATE VIEW scores AS SELECT * FROM metric;"
        "CREATE VIEW firsts AS SELECT config FROM leaderboard WHERE place = 1;"
        "CREATE VIEW broken AS SELECT x FROM nowhere;"
        "CREATE TABLE notes (attempt_id REFERENCES attempt, note TEXT);"
        "INSERT INTO notes VALUES (1, 'slow');"
        "CREATE TRIGGER noted AFTER INSERT ON notes BEGIN DELETE FROM attempt WHERE 0; END;";
    static const char texts[] =
        "SELECT group_concat(sql) FROM (SELECT sql FROM sqlite_schema"
        " WHERE name IN ('tried', 'scores', 'notes', 'noted') ORDER BY name)";
    char before[256], after[256];
    struct fixture f;

    (void)state;
    fixture_open(&f, INI);
    make_old(&f, own);
    fixture_sql(&f, texts, before);
    store_close(fixture_store(&f));
    fixture_sql_is(&f, "PRAGMA user_version", "5");
    assert_string_equal(fixture_sql(&f, texts, after), before);
    fixture_sql_is(&f, "SELECT n FROM tried WHERE trial_id = 1", "1");
    fixture_sql_is(&f, "SELECT count(*) FROM scores", "2");
    fixture_sql_is(&f, "SELECT count(*) FROM firsts", "2");
    fixture_sql_is(&f, "SELECT note FROM notes JOIN attempt USING (attempt_id)", "slow");
    fixture_sql_is(&f, "SELECT count(*) FROM pragma_foreign_key_check", "0");
    fixture_close(&f);
}

static void test_every_schema(void **state)
{
    struct fixture f;
    struct store *store;
    struct err err;

    (void)state;
    for (uint32_t from = 1; from <= SCHEMA_VERSION; from++)
        for (uint32_t to = from; to <= SCHEMA_VERSION; to++) {
            sqlite3 *db;

            fixture_open(&f, INI);
            assert_int_equal(sqlite3_open(f.path, &db), SQLITE_OK);
            assert_int_equal(schema_make(db, from, to), SQLITE_OK);
            sqlite3_close(db);
            if (store_open_reader(&store, f.path, &err))
                fail_msg("%u to %u: %s", from, to, err.text);
            store_close(store);
            store_close(fixture_store(&f));
            if (store_open_reader(&store, f.path, &err))
                fail_msg("%u to %u, brought up: %s", from, to, err.text);
            store_close(store);
            fixture_close(&f);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read_as_it_is), cmocka_unit_test(test_brought_up_to_date),
        cmocka_unit_test(test_merged),        cmocka_unit_test(test_all_or_nothing),
        cmocka_unit_test(test_own_objects),   cmocka_unit_test(test_every_schema),
    };

    return cmocka_run_group_tests_name("store_migrate", tests, NULL, NULL);
}
