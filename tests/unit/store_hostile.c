/* SPDX-License-Identifier: BSD-3-Clause */
/* Databases changed by other programs, maliciously or to keep notes. None of their code runs. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "store/db.h"
#include "store/merge.h"
#include "store/query/progress.h"
#include "storelib.h"

#define INI "[sweep]\nname = s\nreplicates = 2\n[grid]\nhidden_size = 16, 32\n"

static void make(struct fixture *f)
{
    struct store *store;
    struct err err;

    store = fixture_begin(f, INI);
    fixture_put(f, store, 0, TRIAL_DONE, 0.5);
    assert_int_equal(store_put_model(store, f->known.ids[0], "model", 5, &err), 0);
    assert_int_equal(store_commit(store, &err), 0);
    store_close(store);
}

static void check_refused(const struct fixture *f, const char *wanted)
{
    struct merge_input input = {.path = f->path};
    struct errlist notes = {0};
    struct store *store;
    struct err err = {""};
    char out[192];

    assert_int_equal(store_open_reader(&store, f->path, &err), -1);
    if (!strstr(err.text, wanted))
        fail_msg("reader: %s", err.text);
    assert_int_equal(store_open(&store, f->path, &err), -1);
    if (!strstr(err.text, wanted))
        fail_msg("writer: %s", err.text);
    snprintf(out, sizeof out, "%s/out.db", f->folder);
    assert_int_equal(merge_databases(out, &input, 1, &notes, &err), -1);
    if (!strstr(err.text, wanted))
        fail_msg("merge: %s", err.text);
    assert_int_not_equal(access(out, F_OK), 0);
    errlist_release(&notes);
}

static void take_nothing(void *arg, const struct result_table *row)
{
    (void)arg;
    (void)row;
}

static int ask_leaderboard(struct store *store, const struct query_sweep *sweep, const char *where,
                           struct err *err)
{
    struct query_filter filter = {.where = where, .limit = -1};
    struct query_alike alike;
    struct result_table table;

    if (query_leaderboard(&table, &alike, store, sweep, &filter, err))
        return -1;
    result_table_release(&table);
    return 0;
}

/* Errors are allowed. */
static void ask_all(struct store *store)
{
    static const int64_t ids[] = {0, 1, 2, -1, INT64_MAX};
    struct query_filter filter = {.limit = 1};
    struct query_sweep sweep;
    struct result_table table;
    struct buf out = {0};
    struct err err;

    for (int q = 0; q < QUERY_COUNT; q++)
        for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
            if (!query_table(&table, store, (enum query)q, ids[i], &err))
                result_table_release(&table);
    query_trials(store, NULL, take_nothing, NULL, &err);
    if (!query_sweep(&sweep, store, NULL, &err)) {
        ask_leaderboard(store, &sweep, "mean > 0", &err);
        ask_leaderboard(store, &sweep, NULL, &err);
        for (int rule = 0; rule < QUERY_N_RULES; rule++)
            if (!query_choose(&table, NULL, store, &sweep, (enum query_rule)rule, &filter, &err))
                result_table_release(&table);
    }
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        struct trial_checkpoint checkpoint;

        query_ini(&out, store, ids[i], &err);
        store_find_model(&out, store, ids[i], &err);
        store_checkpoint_find(&checkpoint, &out, store, ids[i], &err);
    }
    buf_release(&out);
}

static void test_refused_by_name(void **state)
{
    static const struct {
        const char *sql, *wanted;
    } cases[] = {
        {"CREATE TRIGGER bad AFTER INSERT ON attempt BEGIN UPDATE trial SET value = 99; END",
         "trigger 'bad' is defined on a table of espalier"},
        {"CREATE TRIGGER bad INSTEAD OF INSERT ON trials BEGIN DELETE FROM trial; END",
         "trigger 'bad' is defined on a table of espalier"},
        {"CREATE TRIGGER config AFTER UPDATE ON sweep BEGIN DELETE FROM trial; END",
         "trigger 'config'"},
        {"CREATE INDEX mine ON trial (value)", "index 'mine' is defined on a table of espalier"},
        {"DROP INDEX attempt_of_trial", "index 'attempt_of_trial' is missing"},
        {"DROP INDEX attempt_of_trial; CREATE INDEX attempt_of_trial ON attempt (abs(trial_id))",
         "index 'attempt_of_trial' differs from what espalier creates"},
        {"DROP TABLE curve", "table 'curve' is missing"},
        {"DROP TABLE member", "table 'member' is missing"},
        {"ALTER TABLE metric RENAME TO m; CREATE VIEW metric AS SELECT * FROM m",
         "view 'metric' differs from what espalier creates"},
        {"ALTER TABLE trial ADD COLUMN more INTEGER GENERATED ALWAYS AS (abs(fold)) VIRTUAL",
         "table 'trial' differs from what espalier creates"},
        {"ALTER TABLE trial ADD COLUMN \"x\"\" FROM main.trial; DELETE FROM trial; --\" TEXT",
         "table 'trial' differs from what espalier creates"},
        {"UPDATE sqlite_schema SET sql = replace(sql, ' NOT NULL', '') WHERE name = 'session'",
         "table 'session' differs from what espalier creates"},
        {"UPDATE sqlite_schema SET sql = replace(sql, ', ''running''', '') WHERE name = 'trial'",
         "table 'trial' differs from what espalier creates"},
        {"UPDATE sqlite_schema SET sql = replace(sql, ' STRICT', '') WHERE name = 'trial'",
         "table 'trial' differs from what espalier creates"},
        {"DROP VIEW trials; CREATE TABLE trials (trial)",
         "table 'trials' has the name of a view of espalier"},
        {"CREATE TABLE json_each (key, value)",
         "table 'json_each' has the name of an SQLite function"},
        {"CREATE VIEW Pragma_Table_Info AS SELECT 1 AS name",
         "view 'Pragma_Table_Info' has the name of an SQLite function"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fixture f;

        make(&f);
        fixture_exec(&f, cases[i].sql);
        check_refused(&f, cases[i].wanted);
        fixture_close(&f);
    }
}

/* Names of axes are neither SQL nor file names. */
static void test_axis_names(void **state)
{
    static const char *const names[] = {
        "a'' AS b FROM config; VACUUM INTO ''pwned''; --",
        "hidden_size\", (SELECT 1) AS \"x",
        "",
        "Hidden_Size",
    };

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct fixture f;
        char sql[256];

        make(&f);
        snprintf(sql, sizeof sql, "UPDATE axis SET name = '%s'", names[i]);
        fixture_exec(&f, sql);
        check_refused(&f, "is not a setting of this espalier");
        assert_int_not_equal(access("pwned", F_OK), 0);
        fixture_close(&f);
    }
}

static void test_own_objects(void **state)
{
    static const char *const foreign[] = {
        "config IN (SELECT config FROM notes)", "1 IN (SELECT 1 FROM mine)",
        "(SELECT count(*) FROM notes)",         "EXISTS (SELECT 1 FROM notes)",
        "(SELECT count(*) FROM sqlite_schema)", "(SELECT count(*) FROM pragma_table_list)"};
    static const char *const ours[] = {"config IN (SELECT config_id FROM config)",
                                       "(SELECT count(*) FROM trial)",
                                       "(WITH w (n) AS (SELECT 1) SELECT count(*) FROM w)",
                                       "place <= (SELECT count(*) FROM leaderboard)"};
    struct fixture f;
    struct store *store;
    struct query_sweep sweep;
    struct err err;

    (void)state;
    make(&f);
    fixture_exec(&f, "CREATE TABLE notes (config, text UNIQUE); CREATE INDEX n ON notes (config);"
                     "CREATE VIEW mine AS SELECT * FROM leaderboard;"
                     "CREATE TRIGGER t AFTER INSERT ON notes BEGIN DELETE FROM trial; END;"
                     "CREATE TABLE counted (n INTEGER PRIMARY KEY AUTOINCREMENT);"
                     "INSERT INTO notes VALUES (1, 'good'); ANALYZE");
    store_close(fixture_store(&f));
    store = fixture_reader(&f);
    ask_all(store);
    assert_int_equal(query_sweep(&sweep, store, NULL, &err), 0);
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
        if (ask_leaderboard(store, &sweep, foreign[i], &err) != -1)
            fail_msg("%s is answered", foreign[i]);
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        if (ask_leaderboard(store, &sweep, ours[i], &err))
            fail_msg("%s", err.text);
    store_close(store);
    fixture_sql_is(&f, "SELECT text FROM notes", "good");
    fixture_close(&f);
}

/* The program uses its own views: an endless view of the file never runs, and no tokenizer address
 * is read from one. */
static void test_views_of_the_file(void **state)
{
    static const char *const views[] = {
        "WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c)"
        " SELECT 's' AS sweep, n AS place, n AS config, n AS trial, n AS stop_loss FROM c",
        "SELECT fts3_tokenizer('simple', x'4141414141414141') AS sweep, 1 AS trial",
        "SELECT * FROM nowhere",
    };

    (void)state;
    for (size_t i = 0; i < sizeof views / sizeof *views; i++) {
        struct fixture f;
        struct store *store;
        struct result_table table;
        struct err err;
        char sql[640];

        make(&f);
        snprintf(sql, sizeof sql,
                 "DROP VIEW trials; DROP VIEW leaderboard; CREATE VIEW trials AS %s;"
                 "CREATE VIEW leaderboard AS %s",
                 views[i], views[i]);
        fixture_exec(&f, sql);
        store = fixture_reader(&f);
        ask_all(store);
        assert_int_equal(query_table(&table, store, QUERY_CONFIG, 1, &err), 0);
        assert_int_equal(table.n_rows, 1);
        result_table_release(&table);
        store_close(store);
        store_close(fixture_store(&f));
        fixture_sql_is(&f, "SELECT group_concat(place) FROM leaderboard", "1,2");
        fixture_close(&f);
    }
}

static void test_connection(void **state)
{
    static const char *const refused[] = {
        "ATTACH 'other.db' AS other",
        "SELECT fts3_tokenizer('simple', x'4141414141414141')",
        "UPDATE sqlite_schema SET sql = NULL",
        "SELECT load_extension('x')",
    };
    struct fixture f;
    struct store *store;

    (void)state;
    store = fixture_begin(&f, INI);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        assert_int_not_equal(sqlite3_exec(store->db, refused[i], NULL, NULL, NULL), SQLITE_OK);
    fixture_end(&f, store);
}

/* Store values that the tables forbid, and keep the tables' constraints as text. */
static void plant(const struct fixture *f, const char *sql)
{
    fixture_exec(f, "CREATE TABLE kept AS SELECT name, sql FROM sqlite_schema WHERE type = 'table';"
                    "UPDATE sqlite_schema SET sql = replace(replace(replace(replace(sql,"
                    " 'IS NOT NULL', '<> -1'), ' NOT NULL', ''), ' STRICT,', ''), ' STRICT', '')"
                    " WHERE type = 'table' AND name <> 'kept'");
    fixture_exec(f, "PRAGMA ignore_check_constraints = on");
    fixture_exec(f, sql);
    fixture_exec(f, "UPDATE sqlite_master SET sql = (SELECT k.sql FROM kept AS k"
                    " WHERE k.name = sqlite_master.name) WHERE name IN (SELECT name FROM kept);"
                    "DROP TABLE kept");
}

static void test_forbidden_values(void **state)
{
    static const char *const changes[] = {
        "UPDATE trial SET state = NULL, key = NULL, attempts = NULL",
        "UPDATE trial SET replicate = NULL, fold = NULL WHERE trial_id = 1",
        "UPDATE trial SET state = 'odd', value = 'text', error = x'00'",
        "UPDATE session SET command = NULL, host = NULL, outcome = NULL, started = NULL",
        "INSERT INTO session (outcome) VALUES ('running')",
        "UPDATE sweep SET objective = NULL, ini = NULL, data_digest = NULL, file = NULL",
        "UPDATE sweep SET name = NULL, direction = NULL, updated = NULL, task = 7",
        "UPDATE config SET params = NULL, key = NULL",
        "UPDATE config SET params = x'ff00', sweep_id = 'q'",
        "UPDATE attempt SET outcome = NULL, host = NULL, started = NULL, rank = 'r'",
        "UPDATE metric SET value = NULL; UPDATE curve SET seconds = x''",
        "UPDATE timing SET seconds = NULL",
        "UPDATE model SET hash = NULL, safetensors = NULL",
        "UPDATE axis SET ordinal = 'o', levels = NULL",
        "INSERT INTO checkpoint (trial_id) VALUES (1)",
    };

    (void)state;
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        struct fixture f;
        struct store *store;
        struct err err;
        char sql[512];

        make(&f);
        snprintf(sql, sizeof sql, "PRAGMA ignore_check_constraints = on; %s", changes[i]);
        plant(&f, sql);
        if (!store_open_reader(&store, f.path, &err)) {
            ask_all(store);
            store_find(store, &f.plan, &f.data, &f.known, &err);
            store_close(store);
        }
        /* A file without sessions has none to damage. */
        if (strstr(changes[i], "UPDATE session"))
            assert_int_equal(store_open(&store, f.path, &err), 0);
        else if (!store_open(&store, f.path, &err))
            fail_msg("%s: was opened", changes[i]);
        if (strstr(changes[i], "UPDATE session"))
            store_close(store);
        else if (!strstr(err.text, "damaged"))
            fail_msg("%s: %s", changes[i], err.text);
        fixture_close(&f);
    }
}

static void test_ranges(void **state)
{
    static const struct {
        const char *sql, *wanted;
    } cases[] = {
        {"UPDATE trial SET fold = -3 WHERE trial_id = 1", "has '-3' in the column 'fold'"},
        {"UPDATE trial SET replicate = 4294967297 WHERE trial_id = 1",
         "has '4294967297' in the column 'replicate'"},
        {"UPDATE trial SET best_epoch = -1 WHERE trial_id = 1",
         "has '-1' in the column 'best_epoch'"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct merge_input input = {0};
        struct errlist notes = {0};
        struct fixture f, out;
        struct store *store;
        struct result_table table;
        struct err err;

        make(&f);
        fixture_open(&out, INI);
        fixture_exec(&f, cases[i].sql);
        store = fixture_reader(&f);
        assert_int_equal(query_table(&table, store, QUERY_TRIAL_RECORD, 1, &err), -1);
        if (!strstr(err.text, cases[i].wanted))
            fail_msg("%s", err.text);
        store_close(store);
        input.path = f.path;
        assert_int_equal(merge_databases(out.path, &input, 1, &notes, &err), i < 2 ? -1 : 0);
        if (i < 2)
            assert_non_null(strstr(err.text, "must be from 0 to 2147483647"));
        errlist_release(&notes);
        fixture_close(&out);
        fixture_close(&f);
    }
}

/* An invalid checkpoint is ignored: the trial starts again. */
static void test_checkpoints(void **state)
{
    static const char *const rows[] = {"1, -5, 0.5, 1.0, x'00'", "1, 1, 7.0, 1.0, x'00'",
                                       "1, 1, -1e300, 1.0, x'00'", "1, 1, 0.5, 9e999, x'00'",
                                       "1, 4294967297, 0.5, 1.0, x'00'"};

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct trial_checkpoint checkpoint;
        struct buf bytes = {0};
        struct fixture f;
        struct store *store;
        struct err err;
        char sql[128];

        make(&f);
        snprintf(sql, sizeof sql, "INSERT INTO checkpoint VALUES (%s)", rows[i]);
        fixture_exec(&f, sql);
        store = fixture_store(&f);
        assert_int_equal(store_checkpoint_find(&checkpoint, &bytes, store, 1, &err), 0);
        assert_true(f.known.left[0] > 0 && f.known.left[0] <= 1);
        store_close(store);
        buf_release(&bytes);
        fixture_close(&f);
    }
}

/* Rolling back this journal would delete the file that it names. */
static void test_journal_that_names_a_file(void **state)
{
    static const char end[] = "/tmp/victim\0\0\0\0\0\0\0\0\xd9\xd5\x05\xf9\x20\xa1\x63\xd7";
    struct fixture f;
    char journal[128];
    FILE *file;

    (void)state;
    make(&f);
    snprintf(journal, sizeof journal, "%s-journal", f.path);
    file = fopen(journal, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(end, 1, sizeof end - 1, file), sizeof end - 1);
    assert_int_equal(fclose(file), 0);
    check_refused(&f, "names another file, which SQLite would delete");
    assert_int_equal(unlink(journal), 0);
    fixture_end(&f, fixture_store(&f));
}

static void test_endless_condition(void **state)
{
    struct fixture f;
    struct store *store;
    struct query_sweep sweep;
    struct err err;

    (void)state;
    make(&f);
    store = fixture_reader(&f);
    assert_int_equal(query_sweep(&sweep, store, NULL, &err), 0);
    assert_int_equal(ask_leaderboard(store, &sweep,
                                     "1 < (WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT"
                                     " n + 1 FROM c) SELECT max(n) FROM c)",
                                     &err),
                     -1);
    assert_non_null(strstr(err.text, "takes too long and was stopped"));
    assert_int_equal(ask_leaderboard(store, &sweep, "1", &err), 0);
    fixture_end(&f, store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refused_by_name),
        cmocka_unit_test(test_axis_names),
        cmocka_unit_test(test_own_objects),
        cmocka_unit_test(test_views_of_the_file),
        cmocka_unit_test(test_connection),
        cmocka_unit_test(test_forbidden_values),
        cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_checkpoints),
        cmocka_unit_test(test_endless_condition),
        cmocka_unit_test(test_journal_that_names_a_file),
    };

    return cmocka_run_group_tests_name("store_hostile", tests, NULL, NULL);
}
