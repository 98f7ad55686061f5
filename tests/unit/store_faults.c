/* SPDX-License-Identifier: BSD-3-Clause */
/* The disk fails at each call in turn, once or for good, or the process dies there. The database
 * opened next is sound and contains all commits. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/process.h"
#include "faulty.h"
#include "store/db.h"
#include "storelib.h"
#include "stride.h"

#define INI "[sweep]\nname = s\nreplicates = 4\n[grid]\nhidden_size = 16, 32\n"
#define TRIALS 8
#define GROUP 2
#define EXT4 0xef53
#define NFS 0x6969

static struct faulty sound;

/* *safe counts the results of acknowledged commits. */
static int run_sweep(struct fixture *f, volatile int *safe, struct err *err)
{
    struct store *store;
    int rc = store_open(&store, f->path, err);

    if (rc)
        return -1;
    rc = store_register(store, &f->plan, &f->data, NULL, &f->known, err) ||
         store_begin_session(store, &fixture_session, err);
    for (int64_t t = 0; !rc && t < TRIALS; t++) {
        struct trial_result r;

        fixture_result(&r, t, 0.5);
        rc = store_result(store, f->known.ids[t], &r, err);
        trial_result_release(&r);
        if (!rc && t % GROUP == GROUP - 1) {
            rc = store_commit(store, err);
            if (!rc)
                *safe = (int)t + 1;
        }
    }
    rc = rc || store_end_session(store, "finished", err) || store_settle(store, err);
    store_close(store);
    return rc ? -1 : 0;
}

static void check_what_is_left(struct fixture *f, int safe, const char *what, int n)
{
    char text[256];
    int done;

    store_close(fixture_store(f));
    fixture_sql_is(f, "PRAGMA integrity_check", "ok");
    done = atoi(fixture_sql(f, "SELECT count(*) FROM trial WHERE state = 'done'", text));
    if (done < safe || done > TRIALS || done % GROUP)
        fail_msg("%s %d: %d results, %d were acknowledged", what, n, done, safe);
    fixture_sql_is(f,
                   "SELECT count(*) - (SELECT count(*) FROM trial WHERE state = 'done')"
                   " FROM attempt",
                   "0");
    fixture_sql_is(f,
                   "SELECT count(*) - 2 * (SELECT count(*) FROM trial WHERE state = 'done')"
                   " FROM curve",
                   "0");
}

/* Fail the n-th call for every n that a run reaches. Return the last n. */
static int fail_each(struct faulty fault, const char *what)
{
    const int step = test_stride();

    for (int n = 1;; n += step) {
        struct fixture f;
        struct err err = {""};
        volatile int safe = 0;
        int rc;

        fixture_open(&f, INI);
        fault.at = n;
        faulty_set(&fault);
        rc = run_sweep(&f, &safe, &err);
        faulty_set(&sound);
        if (rc && strncmp(err.text, f.path, strlen(f.path)) != 0)
            fail_msg("%s %d: %s", what, n, err.text);
        if (!rc && safe != TRIALS)
            fail_msg("%s %d: %d results, and nothing was said", what, n, safe);
        if (rc && !fault.failed)
            fail_msg("%s %d: %s, and nothing had failed", what, n, err.text);
        check_what_is_left(&f, safe, what, n);
        fixture_close(&f);
        if (!fault.failed)
            return n - step;
    }
}

static const char *const names[FAULTY_CALLS] = {"any",    "open", "write",  "sync",   "truncate",
                                                "delete", "lock", "shmmap", "shmlock"};

static void fail_all(long magic)
{
    faulty_magic = magic;
    for (int call = FAULTY_OPEN; call < FAULTY_CALLS; call++)
        for (int good = 0; good < 2; good++) {
            struct faulty fault = {.call = (enum faulty_call)call, .for_good = good};
            int n = fail_each(fault, names[call]);
            bool of_log = call == FAULTY_SHM_MAP || call == FAULTY_SHM_LOCK;

            if (n < 1 && (magic == EXT4 || (!of_log && call != FAULTY_TRUNCATE)))
                fail_msg("%s is never called", names[call]);
        }
    faulty_magic = 0;
}

static void test_log(void **state)
{
    (void)state;
    fail_all(EXT4);
}

static void test_journal(void **state)
{
    (void)state;
    fail_all(NFS);
}

static void test_full(void **state)
{
    struct faulty fault = {.call = FAULTY_WRITE, .for_good = true, .is_full = true};

    (void)state;
    for (int i = 0; i < 2; i++) {
        faulty_magic = i ? NFS : EXT4;
        assert_true(fail_each(fault, "full") > 20);
    }
    faulty_magic = 0;
}

static bool kill_at(int n, volatile int *safe)
{
    struct faulty fault = {.call = FAULTY_ANY, .at = n, .kills = true};
    struct fixture f;
    struct err err;
    pid_t child;
    int status;

    *safe = 0;
    fixture_open(&f, INI);
    child = fork();
    if (!child) {
        faulty_set(&fault);
        _exit(run_sweep(&f, safe, &err) ? 1 : 0);
    }
    waitpid(child, &status, 0);
    if (!WIFSIGNALED(status) && status)
        fail_msg("the run failed by itself");
    if (n % 2) { /* before the repair */
        struct store *reader;

        if (!store_open_reader(&reader, f.path, &err))
            store_close(reader);
        else if (*safe)
            fail_msg("kill %d: %s", n, err.text);
    }
    check_what_is_left(&f, *safe, "kill", n);
    fixture_close(&f);
    return WIFSIGNALED(status);
}

static void test_kill_everywhere(void **state)
{
    volatile int *safe =
        mmap(NULL, sizeof *safe, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    (void)state;
    assert_true(safe != MAP_FAILED);
    for (int i = 0; i < 2; i++) {
        int n = 1;

        faulty_magic = i ? NFS : EXT4;
        while (kill_at(n, safe))
            n += test_stride();
        assert_true(n > 50);
        assert_int_equal(*safe, TRIALS);
    }
    faulty_magic = 0;
    munmap((void *)(uintptr_t)safe, sizeof *safe);
}

/* ---- other processes ---- */

static bool note_wait(void *arg, double waited_s, const char *holder)
{
    char *seen = arg;

    if (waited_s > 0.1)
        snprintf(seen, 64, "%s", holder);
    return true;
}

/* The child holds the database in a statement. */
static pid_t hold(const struct fixture *f, const char *sql)
{
    int told[2];
    char byte;
    pid_t child;

    assert_int_equal(pipe(told), 0);
    child = fork();
    if (!child) {
        sqlite3 *db;
        sqlite3_stmt *row;

        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (sqlite3_open(f->path, &db) || sqlite3_prepare_v2(db, sql, -1, &row, NULL))
            _exit(1);
        sqlite3_step(row);
        if (write(told[1], "h", 1) == 1)
            pause();
        _exit(0);
    }
    close(told[1]);
    assert_int_equal(read(told[0], &byte, 1), 1);
    close(told[0]);
    return child;
}

static void let_go(pid_t child)
{
    int status;

    kill(child, SIGKILL);
    waitpid(child, &status, 0);
}

/* A commit that waits longer than its patience names the holder, and can be repeated. */
static void wait_for(const char *sql, long magic, bool at_commit)
{
    char seen[64] = "", wanted[64], name[32];
    struct fixture f;
    struct trial_result r;
    struct store *store;
    struct err err;
    pid_t child;

    faulty_magic = magic;
    store = fixture_begin(&f, INI);
    store_be_patient(store, 0.3, note_wait, seen);
    child = hold(&f, sql);
    fixture_result(&r, 0, 0.5);
    if (at_commit) {
        assert_int_equal(store_result(store, f.known.ids[0], &r, &err), 0);
        assert_int_equal(store_commit(store, &err), -1);
    } else {
        assert_int_equal(store_result(store, f.known.ids[0], &r, &err), -1);
    }
    snprintf(wanted, sizeof wanted, "pid %ld (%s)", (long)child,
             process_name(name, sizeof name, getpid()));
    assert_string_equal(seen, wanted);
    if (!strstr(err.text, wanted))
        fail_msg("%s", err.text);
    let_go(child);
    if (!at_commit)
        assert_int_equal(store_result(store, f.known.ids[0], &r, &err), 0);
    assert_int_equal(store_commit(store, &err), 0);
    trial_result_release(&r);
    store_close(store);
    fixture_sql_is(&f, "SELECT count(*) FROM attempt", "1");
    fixture_close(&f);
    faulty_magic = 0;
}

static void test_held(void **state)
{
    (void)state;
    faulty_set(&sound);
    wait_for("BEGIN IMMEDIATE", EXT4, false);
    wait_for("BEGIN IMMEDIATE", NFS, false);
    wait_for("SELECT * FROM trial", NFS, true);
}

/* Another process removes the file during a run: all commits are saved. With a log, this includes
 * the commit that detects the loss. */
static void lose_file(const char *command, long magic)
{
    struct fixture f;
    struct store *store;
    struct trial_result r;
    struct err err;
    char line[512];

    faulty_magic = magic;
    store = fixture_begin(&f, INI);
    fixture_put(&f, store, 0, TRIAL_DONE, 0.5);
    fixture_commit(store);
    fixture_result(&r, 1, 0.5);
    snprintf(line, sizeof line, "sh -c '%s' sh '%s'", command, f.path);
    assert_int_equal(system(line), 0);
    assert_true(store_result(store, f.known.ids[1], &r, &err) || store_commit(store, &err));
    if (!strstr(err.text, "all that was committed is in ") || !strstr(err.text, "r.db.saved"))
        fail_msg("%s", err.text);
    trial_result_release(&r);
    store_close(store);
    snprintf(line, sizeof line, "mv %s.saved %s", f.path, f.path);
    assert_int_equal(system(line), 0);
    store_close(fixture_store(&f));
    fixture_sql_is(&f, "SELECT count(*) FROM trial WHERE state = 'done'", magic == NFS ? "1" : "2");
    fixture_sql_is(&f, "PRAGMA integrity_check", "ok");
    fixture_close(&f);
    faulty_magic = 0;
}

/* The checkpoint of the log after the last commit detects the loss. The only copy contains this
 * commit. */
static void test_file_removed_at_the_end(void **state)
{
    struct fixture f;
    struct store *store;
    struct err err;
    char line[512];

    (void)state;
    faulty_set(&sound);
    faulty_magic = EXT4;
    store = fixture_begin(&f, INI);
    fixture_put(&f, store, 0, TRIAL_DONE, 0.5);
    fixture_commit(store);
    assert_int_equal(unlink(f.path), 0);
    assert_int_equal(store_settle(store, &err), -1);
    assert_non_null(strstr(err.text, "all that was committed is in "));
    assert_int_equal(store_settle(store, &err), -1);
    assert_non_null(strstr(err.text, "r.db.saved: move that file back"));
    store_close(store);
    snprintf(line, sizeof line, "! ls %s-wal %s.saved.2 2>/dev/null && mv %s.saved %s", f.path,
             f.path, f.path, f.path);
    assert_int_equal(system(line), 0);
    fixture_sql_is(&f, "SELECT count(*) FROM trial WHERE state = 'done'", "1");
    fixture_close(&f);
    faulty_magic = 0;
}

static void test_file_removed(void **state)
{
    (void)state;
    faulty_set(&sound);
    for (int i = 0; i < 2; i++) {
        lose_file("rm \"$1\"", i ? NFS : EXT4);
        lose_file("mv \"$1\" \"$1.old\"", i ? NFS : EXT4);
        lose_file("cp \"$1\" \"$1.new\" && mv -f \"$1.new\" \"$1\"", i ? NFS : EXT4);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_log),
        cmocka_unit_test(test_journal),
        cmocka_unit_test(test_full),
        cmocka_unit_test(test_kill_everywhere),
        cmocka_unit_test(test_held),
        cmocka_unit_test(test_file_removed),
        cmocka_unit_test(test_file_removed_at_the_end),
    };

    return cmocka_run_group_tests_name("store_faults", tests, NULL, NULL);
}
