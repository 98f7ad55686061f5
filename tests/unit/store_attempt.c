/* SPDX-License-Identifier: BSD-3-Clause */
/* Running attempts, and how they end. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "store/db.h"
#include "storelib.h"

#define INI "[sweep]\nname = s\nreplicates = 3\n[grid]\nhidden_size = 16, 32\n"

static const struct trial_member members[] = {{1, "node1"}, {2, "node2"}, {5, "node2"}};
static const struct store_place place_1 = {.rank = 1, .host = "node1", .pid = 7};
static const struct store_place place_2 = {.rank = 2, .host = "node2", .pid = 8};
static const struct store_place gang = {
    .rank = 1, .host = "node1", .pid = 7, .members = members, .n_members = 3};
static const struct store_place pair = {
    .rank = 1, .host = "node1", .pid = 7, .members = members, .n_members = 2};
static const struct store_session session = {"espalier run", "0", "", "", "", "", "node0", 3, 5};

static struct store *open_session(struct fixture *f)
{
    struct store *store = fixture_store(f);
    struct err err;

    if (store_begin_session(store, &session, &err))
        fail_msg("%s", err.text);
    return store;
}

static void begin(struct fixture *f, struct store *store, int64_t trial,
                  const struct store_place *place, double started)
{
    struct err err;

    if (store_attempt_begin(store, f->known.ids[trial], place, started, &err) ||
        store_commit(store, &err))
        fail_msg("%s", err.text);
}

static void crash(struct fixture *f, struct store *store, int64_t trial,
                  const struct store_place *place)
{
    struct err err;

    if (store_attempt_crashed(store, f->known.ids[trial], place, "no sign of life", &err) ||
        store_commit(store, &err))
        fail_msg("%s", err.text);
}

/* The trial ran on rank 1 of node1. */
static void end(struct fixture *f, struct store *store, int64_t trial, enum trial_state state)
{
    fixture_put(f, store, trial, state, 0.5);
    fixture_commit(store);
}

/* wanted: "state attempts; outcome@rank start-finish error, ...". */
static void expect(struct fixture *f, int64_t trial, const char *wanted)
{
    char sql[512];

    snprintf(sql, sizeof sql,
             "SELECT state || ' ' || attempts || coalesce((SELECT group_concat("
             "printf('; %%s@%%d %%g-%%s%%s', outcome, rank, started, coalesce(finished, ''),"
             " coalesce(' ' || error, '')), '') FROM (SELECT * FROM attempt"
             " WHERE trial_id = t.trial_id ORDER BY attempt_id)), '')"
             " FROM trial AS t WHERE trial_id = %lld",
             (long long)f->known.ids[trial]);
    fixture_sql_is(f, sql, wanted);
}

static void test_begun_and_ended(void **state)
{
    struct fixture f;
    struct store *store;

    (void)state;
    fixture_open(&f, INI);
    store = open_session(&f);
    begin(&f, store, 0, &place_1, 900);
    expect(&f, 0, "running 1; running@1 900-");
    begin(&f, store, 0, &place_1, 950); /* reported twice */
    expect(&f, 0, "running 1; running@1 900-");
    end(&f, store, 0, TRIAL_DONE);
    expect(&f, 0, "done 1; done@1 1000-1000.5");
    /* No start was reported. */
    end(&f, store, 1, TRIAL_FAILED);
    expect(&f, 1, "failed 1; failed@1 1000-1000.5 no reason");
    begin(&f, store, 2, &place_1, 900);
    end(&f, store, 2, TRIAL_PENDING);
    expect(&f, 2, "pending 1; stopped@1 1000-1000.5");
    fixture_sql_is(&f, "SELECT count(DISTINCT session_id) || count(session_id) FROM attempt", "13");
    fixture_end(&f, store);
}

/* One rank was declared lost too early. */
static void test_on_two_ranks(void **state)
{
    struct fixture f;
    struct store *store;

    (void)state;
    fixture_open(&f, INI);
    store = open_session(&f);
    begin(&f, store, 0, &place_2, 900);
    begin(&f, store, 0, &place_1, 950);
    expect(&f, 0, "running 2; running@2 900-; running@1 950-");
    end(&f, store, 0, TRIAL_DONE);
    expect(&f, 0, "done 2; stopped@2 900-1000.5; done@1 1000-1000.5");
    begin(&f, store, 0, &place_2, 1100); /* the trial has a result */
    expect(&f, 0, "done 2; stopped@2 900-1000.5; done@1 1000-1000.5");
    /* One rank gave it back while the other still runs it. */
    begin(&f, store, 1, &place_2, 900);
    begin(&f, store, 1, &place_1, 950);
    end(&f, store, 1, TRIAL_PENDING);
    expect(&f, 1, "running 2; running@2 900-; stopped@1 1000-1000.5");
    /* This rank had not reported a start. */
    begin(&f, store, 2, &place_2, 900);
    end(&f, store, 2, TRIAL_DONE);
    expect(&f, 2, "done 2; stopped@2 900-1000.5; done@1 1000-1000.5");
    fixture_end(&f, store);
}

/* The counts of all trials when the file is opened again. */
static void expect_counts(struct fixture *f, int32_t *const *counts, const char *wanted)
{
    char got[64] = "";

    store_close(fixture_store(f));
    for (int64_t t = 0; t < f->plan.n_trials; t++)
        snprintf(got + strlen(got), sizeof got - strlen(got), "%d", (*counts)[t]);
    assert_string_equal(got, wanted);
}

static void test_crashes_are_counted(void **state)
{
    struct fixture f;
    struct store *store;

    (void)state;
    fixture_open(&f, INI);
    store = open_session(&f);
    begin(&f, store, 0, &place_1, 900);
    crash(&f, store, 0, &place_1);
    fixture_sql_is(&f, "SELECT state || attempts FROM trial WHERE trial_id = 1", "pending1");
    fixture_sql_is(&f,
                   "SELECT outcome || rank || started || error || (finished > 1e9) FROM attempt",
                   "crashed1900.0no sign of life1");
    crash(&f, store, 1, &place_2); /* no start was reported */
    fixture_sql_is(&f,
                   "SELECT state || attempts || outcome || rank || (started = finished)"
                   " FROM trial JOIN attempt USING (trial_id) WHERE trial_id = 2",
                   "pending1crashed21");
    crash(&f, store, 1, &place_1);
    crash(&f, store, 2, &place_1);
    end(&f, store, 2, TRIAL_FAILED);
    crash(&f, store, 3, &place_1);
    end(&f, store, 3, TRIAL_PENDING);
    begin(&f, store, 4, &place_2, 900);
    begin(&f, store, 4, &place_1, 950);
    crash(&f, store, 4, &place_1);
    fixture_sql_is(&f, "SELECT state FROM trial WHERE trial_id = 5", "running");
    end(&f, store, 5, TRIAL_DONE);
    crash(&f, store, 5, &place_2); /* after its result */
    fixture_sql_is(&f, "SELECT state FROM trial WHERE trial_id = 6", "done");
    store_close(store);
    expect_counts(&f, &f.known.crashes, "120110");
    /* It failed because of crashes and is tried again: its count starts again. */
    store = open_session(&f);
    begin(&f, store, 2, &place_1, 900);
    crash(&f, store, 2, &place_1);
    store_close(store);
    expect_counts(&f, &f.known.crashes, "121110");
    fixture_close(&f);
}

static void test_session_ends(void **state)
{
    struct fixture f;
    struct store *store;
    struct err err;

    (void)state;
    fixture_open(&f, INI);
    store = open_session(&f);
    begin(&f, store, 0, &place_1, 900);
    assert_int_equal(store_end_session(store, "stopped", &err), 0);
    store_close(store);
    fixture_sql_is(&f,
                   "SELECT state || outcome || (finished > 1e9) FROM trial JOIN attempt"
                   " USING (trial_id)",
                   "pendingstopped1");
    fixture_close(&f);
}

static void test_session_is_lost(void **state)
{
    struct fixture f;
    struct store *store;

    (void)state;
    fixture_open(&f, INI);
    store = open_session(&f);
    begin(&f, store, 0, &place_1, 900);
    begin(&f, store, 1, &place_2, 900);
    end(&f, store, 2, TRIAL_DONE);
    store_close(store);
    fixture_sql_is(&f, "SELECT outcome FROM session", "running");
    store = fixture_store(&f);
    for (int64_t t = 0; t < 2; t++)
        assert_int_equal(f.known.states[t], TRIAL_PENDING);
    assert_int_equal(f.known.states[2], TRIAL_DONE);
    fixture_sql_is(&f, "SELECT outcome FROM session", "lost");
    expect(&f, 0, "pending 1; lost@1 900-");
    expect(&f, 1, "pending 1; lost@2 900-");
    expect(&f, 2, "done 1; done@1 1000-1000.5");
    fixture_end(&f, store);
}

/* A process dies while it runs `trial`; it has committed the result of `finished`. */
static void die_running(struct fixture *f, int64_t trial, int64_t finished)
{
    pid_t pid = fork();
    struct store *store;

    if (!pid) {
        store = open_session(f);
        store_note_running(store, 1);
        end(f, store, finished, TRIAL_DONE);
        store_note_running(store, f->known.ids[trial]);
        _exit(0);
    }
    assert_int_equal(waitpid(pid, NULL, 0), pid);
}

/* A rank begins a trial microseconds after the one before it, and attempts of a rank must not overlap. */
static void test_begin_of_the_lost(void **state)
{
    struct fixture f;
    double *before =
        mmap(NULL, sizeof *before, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    double off = 1, started;
    char text[256];
    pid_t pid;

    (void)state;
    assert_true(before != MAP_FAILED);
    fixture_open(&f, INI);
    pid = fork();
    if (!pid) {
        struct store *store = open_session(&f);

        while (off > 1e-4 || fabs(*before - round(*before * 1e3) * 1e-3) < 2e-4) {
            *before = clock_unix();
            store_note_running(store, f.known.ids[3]);
            off = clock_unix() - *before;
        }
        _exit(0);
    }
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    store_close(fixture_store(&f));
    started = strtod(fixture_sql(&f, "SELECT printf('%!.6f', started) FROM attempt", text), NULL);
    assert_true(fabs(started - *before) < 1.1e-4);
    fixture_close(&f);
    munmap(before, sizeof *before);
}

static void test_killed_before_a_commit(void **state)
{
    struct fixture f;
    struct store *store;

    (void)state;
    fixture_open(&f, INI);
    die_running(&f, 3, 0);
    expect_counts(&f, &f.known.lost, "000100");
    fixture_sql_is(&f,
                   "SELECT t.state || attempts || a.outcome || rank || (a.started > 1e9)"
                   " || s.outcome || (a.pid = s.pid) FROM trial AS t JOIN attempt AS a"
                   " USING (trial_id) JOIN session AS s USING (session_id) WHERE trial_id = 4",
                   "pending1lost01lost1");
    expect_counts(&f, &f.known.lost, "000100"); /* counted once */
    die_running(&f, 3, 1);
    expect_counts(&f, &f.known.lost, "000200");
    /* Its result was already committed. */
    die_running(&f, 2, 2);
    expect_counts(&f, &f.known.lost, "000200");
    expect(&f, 2, "done 1; done@1 1000-1000.5");
    store = open_session(&f);
    end(&f, store, 3, TRIAL_FAILED);
    store_close(store);
    expect_counts(&f, &f.known.lost, "000000");
    fixture_close(&f);
}

/* wanted: "attempt: rank@host ...; ...". */
static void expect_members(struct fixture *f, const char *wanted)
{
    fixture_sql_is(
        f,
        "SELECT coalesce(group_concat(line, '; '), '') FROM (SELECT attempt_id || ': ' ||"
        " group_concat(rank || '@' || host, ' ') AS line FROM member GROUP BY attempt_id)",
        wanted);
}

/* The gang goes back, and begins again with the same leader and fewer members. */
static void test_members(void **state)
{
    struct fixture f;
    struct store *store;
    struct trial_result r;
    struct err err;

    (void)state;
    fixture_open(&f, INI);
    store = open_session(&f);
    begin(&f, store, 0, &gang, 900);
    begin(&f, store, 0, &gang, 901);
    expect_members(&f, "1: 1@node1 2@node2 5@node2");
    assert_int_equal(store_attempt_stopped(store, f.known.ids[0], &gang, &err), 0);
    assert_int_equal(store_attempt_stopped(store, f.known.ids[0], &gang, &err), 0);
    assert_int_equal(store_attempt_stopped(store, f.known.ids[1], &gang, &err), 0);
    assert_int_equal(store_commit(store, &err), 0);
    fixture_sql_is(&f,
                   "SELECT group_concat(state || attempts || coalesce(outcome, '')) FROM trial"
                   " LEFT JOIN attempt USING (trial_id)",
                   "pending1stopped,pending0,pending0,pending0,pending0,pending0");
    begin(&f, store, 0, &pair, 950);
    end(&f, store, 0, TRIAL_DONE); /* the open attempt has its members */
    expect_members(&f, "1: 1@node1 2@node2 5@node2; 2: 1@node1 2@node2");
    /* No start was reported. */
    fixture_result(&r, 1, 0.5);
    r.members = members;
    r.n_members = 2;
    assert_int_equal(store_result(store, f.known.ids[1], &r, &err), 0);
    trial_result_release(&r);
    crash(&f, store, 2, &pair);
    end(&f, store, 2, TRIAL_DONE); /* on one rank */
    expect_members(&f, "1: 1@node1 2@node2 5@node2; 2: 1@node1 2@node2; 3: 1@node1 2@node2;"
                       " 4: 1@node1 2@node2");
    store_close(store);
    store_close(fixture_store(&f));
    /* of the last result alone */
    assert_non_null(f.known.ranks);
    assert_int_equal(f.known.ranks[0], 2);
    assert_int_equal(f.known.ranks[1], 2);
    assert_int_equal(f.known.ranks[2], 0);
    assert_int_equal(f.known.ranks[3], 0);
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_begun_and_ended),        cmocka_unit_test(test_on_two_ranks),
        cmocka_unit_test(test_crashes_are_counted),    cmocka_unit_test(test_session_ends),
        cmocka_unit_test(test_session_is_lost),        cmocka_unit_test(test_begin_of_the_lost),
        cmocka_unit_test(test_killed_before_a_commit), cmocka_unit_test(test_members),
    };

    return cmocka_run_group_tests_name("store_attempt", tests, NULL, NULL);
}
