/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/merge.h"
#include "storelib.h"

#define INI "[sweep]\nname = s\nreplicates = 2\n[grid]\nhidden_size = 16, 32\n"

struct pair {
    struct fixture a, b;
    struct fixture out; /* only its folder and path are used */
};

static void pair_open(struct pair *p)
{
    fixture_open(&p->a, INI);
    fixture_open(&p->b, INI);
    fixture_open(&p->out, INI);
}

static void pair_close(struct pair *p)
{
    fixture_close(&p->a);
    fixture_close(&p->b);
    fixture_close(&p->out);
}

/* Each call makes a session of its own; `started` distinguishes them. */
static void put(struct fixture *f, int64_t trial, enum trial_state state, double value)
{
    struct store_session session = {.command = "c", .version = "v", .host = "h", .ranks = 1};
    struct store *store = fixture_store(f);
    struct err err;

    assert_int_equal(store_begin_session(store, &session, &err), 0);
    fixture_put(f, store, trial, state, value);
    assert_int_equal(store_end_session(store, "finished", &err), 0);
    store_close(store);
}

static void merged(struct pair *p, const struct fixture *first, const struct fixture *second)
{
    struct merge_input inputs[2] = {{.path = first->path}, {.path = second->path}};
    struct errlist conflicts = {0};
    struct err err;

    if (merge_databases(p->out.path, inputs, 2, &conflicts, &err))
        fail_msg("%s", err.text);
    assert_int_equal(conflicts.n, 0);
    fixture_sql_is(&p->out, "PRAGMA integrity_check", "ok");
    fixture_sql_is(&p->out, "SELECT count(*) FROM pragma_foreign_key_check", "0");
}

static void refused(struct pair *p, const struct fixture *f, const char *wanted,
                    const char *wanted_conflict)
{
    struct merge_input inputs[2] = {{.path = p->a.path}, {.path = f->path}};
    struct errlist conflicts = {0};
    struct err err;

    assert_int_equal(merge_databases(p->out.path, inputs, 2, &conflicts, &err), -1);
    if (!strstr(err.text, wanted))
        fail_msg("%s", err.text);
    if (wanted_conflict && (conflicts.n != 1 || !strstr(conflicts.text[0], wanted_conflict)))
        fail_msg("%zu: %s", conflicts.n, conflicts.n ? conflicts.text[0] : "");
    errlist_release(&conflicts);
}

/* Each database has done a trial that failed in the other. */
static void test_best_of_both(void **state)
{
    struct pair p;

    (void)state;
    for (int order = 0; order < 2; order++) {
        pair_open(&p);
        put(&p.a, 0, TRIAL_DONE, 0.5);
        put(&p.a, 1, TRIAL_FAILED, NAN);
        put(&p.a, 2, TRIAL_FAILED, NAN);
        put(&p.b, 0, TRIAL_FAILED, NAN);
        put(&p.b, 1, TRIAL_DONE, 0.25);
        merged(&p, order ? &p.b : &p.a, order ? &p.a : &p.b);
        merged(&p, &p.a, &p.b);
        fixture_sql_is(&p.out,
                       "SELECT group_concat(state || coalesce(value, '') || attempts ||"
                       " coalesce(error, ''), ' ') FROM trial",
                       "done0.52 done0.252 failed1no reason pending0");
        fixture_sql_is(&p.out, "SELECT count(*) FROM session", "5");
        fixture_sql_is(&p.out, "SELECT count(DISTINCT session_id) FROM attempt", "5");
        fixture_sql_is(&p.out, "SELECT count(*) FROM curve", "6");
        fixture_sql_is(&p.out, "SELECT val_pearson FROM trials WHERE trial = 2", "0.25");
        fixture_sql_is(&p.out, "SELECT levels FROM axis", "[16,32]");
        pair_close(&p);
    }
}

static void test_session_that_ended(void **state)
{
    struct pair p;

    (void)state;
    pair_open(&p);
    put(&p.a, 0, TRIAL_DONE, 0.5);
    fixture_exec(&p.a, "UPDATE session SET outcome = 'running', finished = NULL");
    merged(&p, &p.a, &p.a);
    fixture_exec(&p.out, "UPDATE session SET outcome = 'lost'");
    fixture_exec(&p.a, "UPDATE session SET outcome = 'finished', finished = 9");
    merged(&p, &p.a, &p.a);
    fixture_sql_is(&p.out, "SELECT group_concat(outcome || finished) FROM session", "finished9.0");
    fixture_exec(&p.a, "UPDATE session SET outcome = 'running', finished = NULL");
    merged(&p, &p.a, &p.a);
    fixture_sql_is(&p.out, "SELECT group_concat(outcome || finished) FROM session", "finished9.0");
    pair_close(&p);
}

/* A difference in the last bit of any field counts. */
static void test_conflicts(void **state)
{
    static const struct {
        const char *change, *what;
    } cases[] = {
        {"UPDATE trial SET value = 0.50000000000000011 WHERE trial_id = 1", "differ in value"},
        {"UPDATE trial SET value = NULL WHERE trial_id = 1", "differ in value"},
        {"UPDATE trial SET state = 'diverged' WHERE trial_id = 1", "differ in state"},
        {"UPDATE trial SET best_epoch = 1 WHERE trial_id = 1", "differ in epochs"},
        {"UPDATE metric SET value = 0 WHERE trial_id = 1 AND name = 'loss'", "differ in metrics"},
        {"DELETE FROM metric WHERE trial_id = 1 AND name = 'loss'", "differ in metrics"},
        {"UPDATE curve SET train_loss = 0 WHERE trial_id = 1 AND epoch = 2", "differ in curve"},
        {"INSERT INTO curve VALUES (1, 3, 1, 1, 1, 1)", "differ in curve"},
    };
    char before[256], after[256];
    struct pair p;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pair_open(&p);
        put(&p.a, 0, TRIAL_DONE, 0.5);
        merged(&p, &p.a, &p.a);
        put(&p.b, 0, TRIAL_DONE, 0.5);
        put(&p.b, 1, TRIAL_DONE, 0.5);
        fixture_exec(&p.b, cases[i].change);
        fixture_sql(&p.out, "SELECT group_concat(state || quote(value)) FROM trial", before);
        refused(&p, &p.b, "1 trial with two results: nothing was merged", cases[i].what);
        fixture_sql(&p.out, "SELECT group_concat(state || quote(value)) FROM trial", after);
        assert_string_equal(before, after);
        fixture_sql_is(&p.out, "SELECT count(*) FROM session", "1");
        unlink(p.out.path);
        refused(&p, &p.b, "1 trial with two results: nothing was merged", cases[i].what);
        assert_int_equal(access(p.out.path, F_OK), -1);
        pair_close(&p);
    }
}

/* Seconds, ranks and memory may differ. */
static void test_no_conflict(void **state)
{
    struct pair p;

    (void)state;
    pair_open(&p);
    put(&p.a, 0, TRIAL_DONE, 0.5);
    put(&p.b, 0, TRIAL_DONE, 0.5);
    fixture_exec(&p.b, "UPDATE trial SET seconds = 7, predicted = 7, peak_bytes = 7;"
                       "UPDATE curve SET seconds = 7; UPDATE timing SET seconds = 7");
    merged(&p, &p.a, &p.b);
    fixture_sql_is(&p.out, "SELECT seconds || ' ' || attempts FROM trial WHERE trial_id = 1",
                   "0.5 2");
    pair_close(&p);
}

static void test_other_sweeps(void **state)
{
    struct pair p;

    (void)state;
    pair_open(&p);
    put(&p.a, 0, TRIAL_DONE, 0.5);
    merged(&p, &p.a, &p.a);
    p.b.data.digest = hash_text("other data");
    put(&p.b, 0, TRIAL_DONE, 0.25);
    refused(&p, &p.b, "sweep 's' in it has data digest", NULL);
    fixture_plan(&p.b, "[sweep]\nname = t\n[train]\nepochs = 5\n[grid]\ndropout = 0, 0.5\n");
    unlink(p.b.path);
    put(&p.b, 1, TRIAL_DONE, 0.25);
    merged(&p, &p.b, &p.a);
    fixture_sql_is(&p.out, "SELECT group_concat(sweep || trial || state) FROM trials",
                   "s1done,s2pending,s3pending,s4pending,t5pending,t6done");
    fixture_sql_is(&p.out, "SELECT group_concat(dropout) FROM leaderboard WHERE sweep = 't'",
                   "0.5,0");
    pair_close(&p);
}

/* Settings that may change become axes. One that defines another experiment is refused. */
static void test_fixed_settings(void **state)
{
    struct pair p;

    (void)state;
    pair_open(&p);
    put(&p.a, 0, TRIAL_DONE, 0.5);
    fixture_plan(&p.b, INI "[resources]\nthreads = 2\n");
    put(&p.b, 1, TRIAL_DONE, 0.25);
    merged(&p, &p.a, &p.b);
    fixture_sql_is(&p.out, "SELECT group_concat(state) FROM trial", "done,done,pending,pending");
    fixture_plan(&p.b, INI "[train]\nepochs = 7\n");
    unlink(p.b.path);
    put(&p.b, 0, TRIAL_DONE, 0.25);
    refused(&p, &p.b, "sweep 's' in it has epochs 100, in ", NULL);
    /* Versions without choose_epoch did what `objective` does, and stored no value. */
    fixture_plan(&p.b, INI);
    unlink(p.b.path);
    put(&p.b, 0, TRIAL_DONE, 0.25);
    fixture_exec(&p.b, "UPDATE sweep SET ini = replace(ini, 'choose_epoch = loss', '');"
                       "UPDATE config SET params = json_remove(params, '$.choose_epoch')");
    fixture_sql_is(&p.b, "SELECT instr(ini, 'choose_epoch') FROM sweep", "0");
    refused(&p, &p.b, "sweep 's' in it has choose_epoch loss, in ", NULL);
    fixture_plan(&p.b, INI "epochs = 7, 100\n");
    unlink(p.b.path);
    put(&p.b, 0, TRIAL_DONE, 0.25);
    merged(&p, &p.b, &p.a);
    fixture_sql_is(&p.out, "SELECT group_concat(name || levels) FROM axis",
                   "epochs[7,100],hidden_size[16,32]");
    fixture_sql_is(&p.out, "SELECT count(*) FROM trial", "8");
    pair_close(&p);
}

/* Rows that hang on a trial, a session and a sweep, under the numbers of the output. */
static void test_rows_of_others(void **state)
{
    static const char rows[] =
        "INSERT INTO prediction VALUES (2, 5, 'x', NULL, 1.5, 1, NULL, NULL),"
        " (2, 7, 'y', 'g', '1', '0', '{\"0\":0.75}', NULL);"
        "INSERT INTO traffic VALUES (1, 0, 'h', 'send', 64, 2, 100, 0.5);"
        "INSERT INTO data_fact VALUES (1, 'data', 0, 'samples', 9), (1, 'data', 1, 'kind', '0')";
    struct pair p;

    (void)state;
    pair_open(&p);
    fixture_plan(&p.a, "[sweep]\nname = t\n[grid]\ndropout = 0, 0.5\n");
    put(&p.a, 0, TRIAL_DONE, 0.5);
    put(&p.b, 1, TRIAL_DONE, 0.5);
    fixture_exec(&p.b, rows);
    fixture_exec(&p.b, "UPDATE session SET outcome = 'running', finished = NULL");
    merged(&p, &p.a, &p.b);
    merged(&p, &p.b, &p.a);
    fixture_sql_is(&p.out,
                   "SELECT group_concat(quote(observed) || quote(predicted)) FROM prediction",
                   "1.51,'1''0'");
    fixture_sql_is(
        &p.out,
        "SELECT group_concat(DISTINCT w.name || replicate) FROM prediction JOIN trial"
        " USING (trial_id) JOIN config USING (config_id) JOIN sweep AS w USING (sweep_id)",
        "s1");
    fixture_sql_is(&p.out,
                   "SELECT group_concat(w.name || f.name || quote(value)) FROM data_fact AS f"
                   " JOIN sweep AS w USING (sweep_id)",
                   "ssamples9,skind'0'");
    fixture_sql_is(&p.out,
                   "SELECT group_concat(outcome || calls) FROM traffic JOIN session"
                   " USING (session_id)",
                   "lost2");
    /* It has ended since. */
    fixture_exec(&p.b, "UPDATE session SET outcome = 'finished', finished = 9;"
                       "UPDATE traffic SET calls = 3");
    merged(&p, &p.b, &p.a);
    fixture_sql_is(&p.out,
                   "SELECT group_concat(outcome || calls) FROM traffic JOIN session"
                   " USING (session_id)",
                   "finished3");
    /* The output's trial failed, so all rows of the other replace its own. */
    fixture_exec(&p.out, "UPDATE trial SET state = 'failed' WHERE replicate = 1 AND value = 0.5;"
                         "UPDATE prediction SET observed = 9");
    merged(&p, &p.b, &p.a);
    fixture_sql_is(&p.out, "SELECT group_concat(observed) FROM prediction", "1.5,1");
    pair_close(&p);
}

/* Attempts get new numbers, which their members follow. Merging again adds nothing. */
static void test_members(void **state)
{
    struct pair p;

    (void)state;
    pair_open(&p);
    put(&p.a, 0, TRIAL_DONE, 0.5);
    put(&p.b, 0, TRIAL_FAILED, NAN);
    put(&p.b, 1, TRIAL_DONE, 0.25);
    fixture_exec(&p.a, "INSERT INTO member VALUES (1, 1, 'x'), (1, 2, 'y')");
    /* Attempt 9 does not exist; another program left its members. */
    fixture_exec(&p.b, "INSERT INTO member VALUES (2, 1, 'z'), (2, 4, 'z'), (9, 1, 'w')");
    for (int i = 0; i < 2; i++) {
        merged(&p, &p.a, &p.b);
        fixture_sql_is(&p.out,
                       "SELECT group_concat(value || ' ' || m.rank || m.host) FROM member AS m"
                       " JOIN attempt USING (attempt_id) JOIN trial USING (trial_id)",
                       "0.5 1x,0.5 2y,0.25 1z,0.25 4z");
        fixture_sql_is(
            &p.out, "SELECT count(*) || ' ' || (SELECT count(*) FROM attempt) FROM member", "4 3");
    }
    pair_close(&p);
}

/* A part has the numbers of the whole sweep, and only its own rows. */
static void test_numbers_of_a_part(void **state)
{
    struct fixture f;

    (void)state;
    fixture_open(&f, INI);
    f.known.ours[0] = f.known.ours[1] = f.known.ours[2] = false;
    store_close(fixture_store(&f));
    fixture_sql_is(&f, "SELECT group_concat(config_id || ' ' || trial_id) FROM trial", "2 4");
    fixture_sql_is(&f, "SELECT count(*) FROM config", "1");
    assert_int_equal(f.known.ids[0], 0);
    assert_int_equal(f.known.ids[3], 4);
    fixture_close(&f);
}

/* merge would lose a table that merge.c does not know. (It drops checkpoints on purpose.) */
static void test_all_tables(void **state)
{
    struct fixture f;

    (void)state;
    store_close(fixture_begin(&f, INI));
    fixture_sql_is(
        &f,
        "SELECT group_concat(name) FROM (SELECT name FROM sqlite_schema"
        " WHERE type = 'table' ORDER BY name)",
        "attempt,axis,checkpoint,config,curve,curve_metric,data_fact,decision,file,log,member,metric,"
        "model,prediction,rung,session,sweep,timing,traffic,trial");
    fixture_close(&f);
}

static int64_t n_steps;

static int count_steps(unsigned kind, void *arg, void *statement, void *elapsed)
{
    (void)kind, (void)arg, (void)elapsed;
    n_steps += sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_VM_STEP, 1);
    return 0;
}

static int count_on(sqlite3 *db, const char **message, const void *api)
{
    (void)message, (void)api;
    return sqlite3_trace_v2(db, SQLITE_TRACE_PROFILE, count_steps, NULL);
}

/* Return the steps of SQLite's machine for inputs with n sessions each, all with an attempt of one trial. */
static int64_t steps_for(int n)
{
    struct pair p;
    char text[512];

    pair_open(&p);
    for (int i = 0; i < 2; i++) {
        struct fixture *f = i ? &p.b : &p.a;

        put(f, 0, TRIAL_FAILED, NAN);
        snprintf(text, sizeof text,
                 "WITH n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)"
                 " INSERT INTO session (command, version, host, pid, ranks, started, outcome)"
                 " SELECT 'c', 'v', 'h', i, 1, %d.5 + i, 'finished' FROM n;"
                 "INSERT INTO attempt (trial_id, session_id, rank, host, pid, started, outcome)"
                 " SELECT 1, session_id, 0, 'h', pid, started, 'lost' FROM session WHERE pid = "
                 "started - %d.5",
                 n, i * n, i * n);
        fixture_exec(f, text);
    }
    n_steps = 0;
    merged(&p, &p.a, &p.b);
    snprintf(text, sizeof text, "%d", 2 * n + 2);
    fixture_sql_is(&p.out, "SELECT count(*) FROM session", text);
    fixture_sql_is(&p.out, "SELECT count(*) FROM attempt", text);
    merged(&p, &p.a, &p.b);
    fixture_sql_is(&p.out, "SELECT count(*) FROM attempt", text);
    pair_close(&p);
    return n_steps;
}

static void test_many_sessions(void **state)
{
    int64_t few, many;

    (void)state;
    assert_int_equal(sqlite3_auto_extension((void (*)(void))count_on), SQLITE_OK);
    few = steps_for(250);
    many = steps_for(1000);
    sqlite3_reset_auto_extension();
    if (few < 1000 || many > 6 * few)
        fail_msg("%lld steps for 250 sessions, %lld for 1000", (long long)few, (long long)many);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_best_of_both),   cmocka_unit_test(test_session_that_ended),
        cmocka_unit_test(test_conflicts),      cmocka_unit_test(test_no_conflict),
        cmocka_unit_test(test_other_sweeps),   cmocka_unit_test(test_fixed_settings),
        cmocka_unit_test(test_rows_of_others), cmocka_unit_test(test_numbers_of_a_part),
        cmocka_unit_test(test_all_tables),     cmocka_unit_test(test_members),
        cmocka_unit_test(test_many_sessions),
    };

    return cmocka_run_group_tests_name("merge", tests, NULL, NULL);
}
