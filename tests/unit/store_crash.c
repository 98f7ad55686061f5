/* A writer that is killed in the middle loses nothing that it had committed. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/db.h"
#include "store/query.h"
#include "storelib.h"

#define INI "[sweep]\nname = s\nreplicates = 1000\n[grid]\nhidden_size = 16, 32\n"
#define GROUP 20

/* Write groups of results for ever, telling the parent after each commit. */
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

/* Kill a writer once it has told of n commits; returns how many it told of. */
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
        struct table table;
        struct err err;
        int64_t commits, done;
        char text[256];

        fixture_open(&f, INI);
        commits = crash_after(&f, n);
        assert_true(commits >= n);
        if (n % 2) {
            /* Somebody looks before the next run repairs. */
            assert_int_equal(store_open_reader(&store, f.path, &err), 0);
            assert_int_equal(query_table(&table, store, QUERY_SWEEPS, 0, &err), 0);
            done = table.cells[3].i;
            table_release(&table);
            store_close(store);
            assert_true(done >= commits * GROUP && done <= (commits + 1) * GROUP);
        }
        store_close(fixture_store(&f));
        fixture_sql_is(&f, "PRAGMA integrity_check", "ok");
        done = atoll(fixture_sql(&f, "SELECT count(*) FROM trial WHERE state = 'done'", text));
        /* The last commit may have happened without its message. */
        assert_true(done == commits * GROUP || done == (commits + 1) * GROUP);
        fixture_sql_is(&f,
                       "SELECT count(*) FROM trial JOIN attempt USING (trial_id) WHERE state"
                       " <> 'done'",
                       "0");
        fixture_close(&f);
    }
}

/* On a network filesystem the journal is rolled back by whoever comes next, a reader too. */
static void test_hot_journal(void **state)
{
    struct fixture f;
    struct store *store;
    struct table table;
    struct err err;
    sqlite3 *db;
    pid_t child;
    int status;

    (void)state;
    fixture_open(&f, INI);
    store_close(fixture_store(&f));
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
    if (store_open_reader(&store, f.path, &err))
        fail_msg("%s", err.text);
    assert_int_equal(query_table(&table, store, QUERY_SWEEPS, 0, &err), 0);
    assert_int_equal(table.cells[3].i, 0);
    table_release(&table);
    store_close(store);
    fixture_sql_is(&f, "PRAGMA integrity_check", "ok");
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kill),
        cmocka_unit_test(test_hot_journal),
    };

    return cmocka_run_group_tests_name("store_crash", tests, NULL, NULL);
}
