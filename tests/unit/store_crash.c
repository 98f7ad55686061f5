/* SPDX-License-Identifier: BSD-3-Clause */
/* A writer that is killed loses nothing that it has committed. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/db.h"
#include "store/query/query.h"
#include "storelib.h"

#define INI "[sweep]\nname = s\nreplicates = 1000\n[grid]\nhidden_size = 16, 32\n"
#define GROUP 20

/* Notify the parent after each commit; then wait. */
static void write_groups(struct fixture *f, int told)
{
    struct store *store = fixture_store(f);
    struct trial_result r;
    struct err err;

    for (int64_t t = 0; t < f->plan.n_trials; t++) {
        fixture_result(&r, t, 0.5);
        if (store_result(store, f->known.ids[t], &r, &err))
            _exit(1);
        trial_result_release(&r);
        if (t % GROUP == GROUP - 1 && (store_commit(store, &err) || write(told, "c", 1) != 1))
            _exit(1);
    }
    for (;;)
        pause();
}

/* Kill a writer after n commits. Return the number it reported. */
static int64_t crash_after(struct fixture *f, int n)
{
    int told[2];
    int status;
    int64_t commits = 0;
    char byte;
    pid_t child;

    assert_int_equal(pipe(told), 0);
    child = fork();
    if (!child) {
        close(told[0]);
        write_groups(f, told[1]);
    }
    close(told[1]);
    while (commits < n && read(told[0], &byte, 1) == 1)
        commits++;
    usleep((useconds_t)(n * 137 % 1000));
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    assert_true(WIFSIGNALED(status));
    while (read(told[0], &byte, 1) == 1)
        commits++;
    close(told[0]);
    return commits;
}

static void test_kill(void **state)
{
    (void)state;
    for (int n = 1; n <= 10; n++) {
        struct fixture f;
        struct store *store;
        struct result_table table;
        struct err err;
        int64_t commits, done;
        char text[256];

        fixture_open(&f, INI);
        commits = crash_after(&f, n);
        assert_true(commits >= n);
        if (n % 2) {
            /* A reader comes before the next run repairs the file. */
            store = fixture_reader(&f);
            assert_int_equal(query_table(&table, store, QUERY_SWEEPS, 0, &err), 0);
            done = table.cells[3].i;
            result_table_release(&table);
            store_close(store);
            assert_true(done >= commits * GROUP && done <= (commits + 1) * GROUP);
        }
        store_close(fixture_store(&f));
        fixture_sql_is(&f, "PRAGMA integrity_check", "ok");
        done = atoll(fixture_sql(&f, "SELECT count(*) FROM trial WHERE state = 'done'", text));
        /* The last commit may have been done but not reported. */
        assert_true(done == commits * GROUP || done == (commits + 1) * GROUP);
        fixture_sql_is(&f,
                       "SELECT count(*) FROM trial JOIN attempt USING (trial_id) WHERE state"
                       " <> 'done'",
                       "0");
        fixture_close(&f);
    }
}

/* On a network filesystem, the next process rolls the journal back, even if it is a reader. */
static void test_hot_journal(void **state)
{
    struct fixture f;
    struct store *store;
    struct result_table table;
    struct err err;
    sqlite3 *db;
    pid_t child;
    int status;

    (void)state;
    store_close(fixture_begin(&f, INI));
    child = fork();
    if (!child) {
        sqlite3_open(f.path, &db);
        sqlite3_exec(db,
                     "PRAGMA cache_size = 1; BEGIN;"
                     "UPDATE trial SET state = 'done', error = printf('%1000s', '')",
                     NULL, NULL, NULL);
        raise(SIGKILL);
    }
    waitpid(child, &status, 0);
    assert_true(WIFSIGNALED(status));
    store = fixture_reader(&f);
    assert_int_equal(query_table(&table, store, QUERY_SWEEPS, 0, &err), 0);
    assert_int_equal(table.cells[3].i, 0);
    result_table_release(&table);
    store_close(store);
    fixture_sql_is(&f, "PRAGMA integrity_check", "ok");
    fixture_close(&f);
}

/* ---- free pages ---- */

static int64_t file_size(const struct fixture *f)
{
    struct stat st;

    assert_int_equal(stat(f->path, &st), 0);
    return st.st_size;
}

/* A finished database of 2000 trials in which most pages are free. */
static struct store *open_loose(struct fixture *f)
{
    struct store *store;
    struct err err;

    store = fixture_begin(f, INI);
    assert_int_equal(db_exec(store,
                             "UPDATE trial SET error = printf('%8000s', ''), seconds = trial_id;"
                             "UPDATE trial SET error = NULL",
                             &err),
                     0);
    assert_int_equal(store_settle(store, &err), 0);
    assert_true(file_size(f) > 4 << 20);
    return store;
}

static void check_loose(const struct fixture *f)
{
    fixture_sql_is(f, "PRAGMA integrity_check", "ok");
    fixture_sql_is(f,
                   "SELECT count(*) || ' ' || sum(seconds = trial_id) || ' ' || count(DISTINCT key)"
                   " FROM trial",
                   "2000 2000 2000");
    fixture_sql_is(f, "PRAGMA user_version", "6");
    fixture_sql_is(f, "SELECT count(*) FROM leaderboard", "2");
}

static bool count_down(void *arg)
{
    int *left = arg;

    return --*left >= 0;
}

static bool count_to_death(void *arg)
{
    int *left = arg;

    if (--*left < 0)
        raise(SIGKILL);
    return true;
}

static void test_compact(void **state)
{
    int for_ever = 1 << 30, few = 2;
    struct fixture f;
    struct store *store = open_loose(&f), *reader;
    struct err err;
    int64_t before = file_size(&f), saved;

    (void)state;
    /* Compacting that is interrupted, or blocked by a reader, leaves the file unchanged. */
    assert_int_equal(store_compact(store, count_down, &few), 0);
    assert_int_equal(few, -1);
    assert_int_equal(file_size(&f), before);
    reader = fixture_reader(&f);
    assert_int_equal(db_exec(reader, "BEGIN; SELECT count(*) FROM trial", &err), 0);
    assert_int_equal(store_compact(store, count_down, &for_ever), 0);
    store_close(reader);
    assert_int_equal(file_size(&f), before);
    check_loose(&f);
    saved = store_compact(store, count_down, &for_ever);
    assert_int_equal(saved, before - file_size(&f));
    assert_true(file_size(&f) < before / 4);
    assert_int_equal(store_compact(store, count_down, &for_ever), 0);
    assert_int_equal(db_exec(store, "UPDATE trial SET seconds = trial_id", &err), 0);
    store_close(store);
    check_loose(&f);
    fixture_close(&f);
}

/* Kill the process after `after` calls of go_on, before the copy is complete, or after `us`
 * microseconds, while it is written back. The next process rolls back, even if it is a reader. */
static void kill_compact(struct fixture *f, int after, useconds_t us)
{
    int status;
    pid_t child = fork();

    if (!child) {
        struct store *store;

        if (store_open(&store, f->path, NULL) || store_settle(store, NULL))
            _exit(1);
        store_compact(store, count_to_death, &after);
        raise(SIGKILL);
    }
    if (us) {
        usleep(us);
        kill(child, SIGKILL);
    }
    waitpid(child, &status, 0);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    store_close(fixture_reader(f));
    check_loose(f);
}

static void test_killed_compact(void **state)
{
    struct fixture f;
    struct store *store = open_loose(&f);

    (void)state;
    store_close(store);
    for (int after = 0; after < 9; after += 4)
        kill_compact(&f, after, 0);
    for (useconds_t us = 5000; us < 50000; us += 9000)
        kill_compact(&f, 1 << 30, us);
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kill),
        cmocka_unit_test(test_hot_journal),
        cmocka_unit_test(test_compact),
        cmocka_unit_test(test_killed_compact),
    };

    return cmocka_run_group_tests_name("store_crash", tests, NULL, NULL);
}
