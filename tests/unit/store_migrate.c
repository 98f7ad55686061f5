/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of schema 5 are brought up by a writer, and read as they are by a reader. */
#include <stdio.h>
#include <string.h>

#include "store/db.h"
#include "store/schema.h"
#include "storelib.h"

#define INI "[sweep]\nname = s\n[grid]\nhidden_size = 16, 32\n"

/* A file of schema 5 with a result, as that espalier made it. */
static void open_old(struct fixture *f)
{
    static const char *const tables[] = {"sweep", "axis",   "config",  "trial",  "metric",
                                         "curve", "timing", "session", "attempt"};
    char sql[512], now[128];
    struct store *store;

    fixture_open(f, INI);
    store = fixture_store(f);
    fixture_put(f, store, 0, TRIAL_DONE, 0.5);
    fixture_put(f, store, 1, TRIAL_FAILED, 0.25);
    fixture_commit(store);
    store_close(store);
    snprintf(now, sizeof now, "%s.now", f->path);
    assert_int_equal(rename(f->path, now), 0);
    fixture_exec(f, schema_sql[0]);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        snprintf(sql, sizeof sql, "ATTACH '%s' AS now; INSERT INTO main.%s SELECT * FROM now.%s",
                 now, tables[i], tables[i]);
        fixture_exec(f, sql);
    }
    assert_int_equal(remove(now), 0);
    fixture_sql_is(f, "PRAGMA user_version", "5");
}

static void test_brought_up(void **state)
{
    struct fixture f;
    struct store *store;
    struct err err;
    char rows[256];

    (void)state;
    open_old(&f);
    fixture_sql(&f,
                "SELECT group_concat(trial_id || state || trial.value || attempts) FROM trial"
                " JOIN metric USING (trial_id) JOIN attempt USING (trial_id)",
                rows);
    if (store_open(&store, f.path, &err) ||
        schema_check(store, &schema_history, SCHEMA_VERSION, &err))
        fail_msg("%s", err.text);
    store_close(store);
    fixture_sql_is(&f, "PRAGMA user_version", "6");
    fixture_sql_is(&f,
                   "SELECT group_concat(trial_id || state || trial.value || attempts) FROM trial"
                   " JOIN metric USING (trial_id) JOIN attempt USING (trial_id)",
                   rows);
    fixture_sql_is(&f, "SELECT count(*) FROM decision JOIN rung", "0");
    fixture_sql_is(&f, "SELECT count(*) FROM pragma_foreign_key_check", "0");
    fixture_exec(&f, "UPDATE trial SET state = 'stopped' WHERE trial_id = 2");
    fixture_close(&f);
}

/* The step fails because a table already has a name that it needs. */
static void test_all_or_nothing(void **state)
{
    struct fixture f;
    struct store *store;
    struct err err;

    (void)state;
    open_old(&f);
    fixture_exec(&f, "CREATE TABLE decision (own)");
    assert_int_equal(store_open(&store, f.path, &err), -1);
    assert_non_null(strstr(err.text, "cannot migrate schema 5 to 6: "));
    assert_non_null(strstr(err.text, "decision already exists"));
    fixture_sql_is(&f, "PRAGMA user_version", "5");
    fixture_sql_is(&f, "SELECT count(*) FROM sqlite_schema WHERE name = 'rung'", "0");
    fixture_close(&f);
}

static void test_read_as_it_is(void **state)
{
    struct fixture f;
    struct store *store;
    struct err err;

    (void)state;
    open_old(&f);
    if (store_open_reader(&store, f.path, &err) ||
        db_exec(store, "SELECT * FROM rung; SELECT * FROM decision; SELECT * FROM leaderboard",
                &err))
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
