/* SPDX-License-Identifier: BSD-3-Clause */
/* Sessions stored as 'running' are checked by process or by batch job, if at all. A script on PATH
 * stands in for the batch system. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/process.h"
#include "store/db.h"
#include "store/query/query.h"
#include "store/session_check.h"
#include "storelib.h"

#define INI "[sweep]\nname = s\n[grid]\nhidden_size = 16, 32\n"

/* A database whose session runs trial 1 and was not closed. */
static void leave(struct fixture *f)
{
    static const struct store_session session = {
        "espalier run a.ini", "0", "", "", "", "", "node0", 3, 4711};
    static const struct store_place place = {.rank = 2, .host = "node2", .pid = 8};
    struct store *store;
    struct err err;

    store = fixture_begin(f, INI);
    if (store_begin_session(store, &session, &err) ||
        store_attempt_begin(store, f->known.ids[0], &place, 900, &err) || store_commit(store, &err))
        fail_msg("%s", err.text);
    store_close(store);
}

static void be(struct fixture *f, const struct process *p, const char *job)
{
    char text[512];

    snprintf(text, sizeof text,
             "UPDATE session SET host = '%s', pid = %lld, realm = nullif('%s', ''), born = %lld,"
             " job = nullif('%s', '')",
             p->host, (long long)p->pid, p->realm, (long long)p->start, job);
    fixture_exec(f, text);
}

static void end(const struct process *child)
{
    kill((pid_t)child->pid, SIGKILL);
    waitpid((pid_t)child->pid, NULL, 0);
}

static void spawn(struct process *child)
{
    int fds[2];
    pid_t pid;

    assert_int_equal(pipe(fds), 0);
    pid = fork();
    assert_true(pid >= 0);
    if (!pid) {
        /* End the child if the test fails. */
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        process_self(child);
        if (write(fds[1], child, sizeof *child) != sizeof *child)
            _exit(1);
        for (;;)
            pause();
    }
    assert_int_equal(read(fds[0], child, sizeof *child), sizeof *child);
    close(fds[0]);
    close(fds[1]);
}

/* wanted: the lines of store_released(), or "". */
static void expect_released(struct fixture *f, const char *wanted)
{
    const struct errlist *lines;
    struct store *store;
    struct err err;

    if (store_open(&store, f->path, &err))
        fail_msg("%s", err.text);
    lines = store_released(store);
    if (lines->n > 1 || (lines->n == 1) != (*wanted != '\0') ||
        (lines->n && !strstr(lines->text[0], wanted)))
        fail_msg("%zu: %s", lines->n, lines->n ? lines->text[0] : "");
    store_close(store);
    fixture_sql_is(f,
                   "SELECT trial.state || ' ' || attempt.outcome || ' ' || session.outcome"
                   " FROM trial JOIN attempt USING (trial_id) JOIN session USING (session_id)",
                   "pending lost lost");
}

static void expect_refused(struct fixture *f, const char *wanted)
{
    struct store *store;
    struct err err;

    assert_int_equal(store_open(&store, f->path, &err), -1);
    if (!strstr(err.text, wanted) || !strstr(err.text, ": another run is writing to it, although"))
        fail_msg("%s", err.text);
    fixture_sql_is(f,
                   "SELECT trial.state || ' ' || attempt.outcome || ' ' || session.outcome"
                   " FROM trial JOIN attempt USING (trial_id) JOIN session USING (session_id)",
                   "running running running");
}

static void expect_state(void *arg, const struct result_table *row)
{
    int32_t c = 0;

    while (c < row->n_cols && strcmp(row->names[c], "state") != 0)
        c++;
    assert_int_not_equal(c, row->n_cols);
    if (row->n_rows && row->cells[1].i == 1)
        assert_string_equal(row->cells[c].s, arg);
}

/* All queries of sessions agree with session_check_outcome(). */
static void expect_session(struct store *store, enum session_life life)
{
    static const enum query queries[] = {QUERY_SESSIONS, QUERY_SESSION, QUERY_TRACE_SESSIONS};
    static const char *const wanted[] = {[SESSION_LIFE_ENDED] = "lost",
                                         [SESSION_LIFE_RUNNING] = "running",
                                         [SESSION_LIFE_GONE] = "lost",
                                         [SESSION_LIFE_ELSEWHERE] = "cut off"};
    struct result_table table;
    struct err err;

    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++) {
        assert_int_equal(query_table(&table, store, queries[i], 0, &err), 0);
        assert_string_equal(result_table_text(&table, 0, "outcome"), wanted[life]);
        result_table_release(&table);
    }
    assert_string_equal(session_check_outcome(life, "lost"),
                        life == SESSION_LIFE_RUNNING ? "lost" : wanted[life]);
}

static void expect_read(struct fixture *f, enum session_life life, const char *why,
                        const char *state, const char *outcome)
{
    struct store *store;
    struct result_table table;
    const char *got;
    struct err err;

    store = fixture_reader(f);
    assert_int_equal(session_check_life(&got, store, 1), life);
    if (!strstr(got, why))
        fail_msg("%s", got);
    expect_session(store, life);
    assert_int_equal(query_table(&table, store, QUERY_TRIAL, 1, &err), 0);
    assert_string_equal(table.names[5], "state");
    assert_string_equal(table.cells[5].s, state);
    result_table_release(&table);
    assert_int_equal(query_trials(store, NULL, expect_state, (void *)(uintptr_t)state, &err), 0);
    assert_int_equal(query_table(&table, store, QUERY_TRIAL_ATTEMPTS, 1, &err), 0);
    assert_string_equal(table.names[7], "outcome");
    assert_string_equal(table.cells[7].s, outcome);
    result_table_release(&table);
    assert_int_equal(query_table(&table, store, QUERY_RUNNING, 0, &err), 0);
    assert_int_equal(table.n_rows, !strcmp(state, "running"));
    result_table_release(&table);
    assert_int_equal(store_find(store, &f->plan, &f->data, &f->known, &err), 0);
    assert_string_equal(trial_state_name((enum trial_state)f->known.states[0]), state);
    store_close(store);
}

static void test_process(void **state)
{
    struct fixture f;
    struct process child;

    (void)state;
    leave(&f);
    spawn(&child);
    be(&f, &child, "");
    expect_refused(&f,
                   "(its process is running); wait for it, end it, or give this run another --db");
    expect_refused(&f, ": espalier run a.ini (its");
    expect_read(&f, SESSION_LIFE_RUNNING, "its process is running", "running", "running");
    kill(child.pid, SIGSTOP);
    expect_refused(&f, "(its process is running)");
    /* The process is dead, but no run has checked yet. */
    kill(child.pid, SIGKILL);
    usleep(100000);
    expect_read(&f, SESSION_LIFE_GONE, "no such process", "pending", "lost");
    assert_int_equal(waitpid((pid_t)child.pid, NULL, 0), child.pid);
    expect_read(&f, SESSION_LIFE_GONE, "no such process", "pending", "lost");
    expect_released(&f, " is gone: no such process; 1 trial that it was running is pending again");
    expect_read(&f, SESSION_LIFE_ENDED, "", "pending", "lost");
    fixture_close(&f);
}

/* A pid that another process has by now, and a host that was rebooted. */
static void test_not_that_process(void **state)
{
    struct fixture f;
    struct process child, other;

    (void)state;
    spawn(&child);
    leave(&f);
    other = child;
    other.start--;
    be(&f, &other, "");
    expect_read(&f, SESSION_LIFE_GONE, "no such process", "pending", "lost");
    expect_released(&f, "no such process");
    fixture_close(&f);

    leave(&f);
    other = child;
    other.realm[0] = other.realm[0] == 'a' ? 'b' : 'a';
    be(&f, &other, "slurm 77");
    expect_read(&f, SESSION_LIFE_GONE, "has been rebooted since", "pending", "lost");
    expect_released(&f, "has been rebooted since");
    fixture_close(&f);
    end(&child);
}

static void put_squeue(struct fixture *f, const char *script)
{
    char name[128], path[512];
    FILE *file;

    snprintf(name, sizeof name, "%s/squeue", f->folder);
    file = fopen(name, "w");
    assert_non_null(file);
    fprintf(file, "#!/bin/sh\n%s\n", script);
    fclose(file);
    assert_int_equal(chmod(name, 0755), 0);
    snprintf(path, sizeof path, "%s:/usr/bin:/bin", f->folder);
    setenv("PATH", path, 1);
}

static void test_elsewhere(void **state)
{
    static const struct {
        const char *job, *squeue, *own, *why, *released;
    } gone[] = {
        {"slurm 77", "echo 'slurm_load_jobs error: Invalid job id specified' >&2; exit 1", NULL,
         "Slurm job 77 is over", " is gone: Slurm job 77 is over; 1 trial"},
        {"slurm 77", "exit 1", NULL, "neither node9 nor Slurm can be queried",
         " holds no lock and is assumed dead: neither node9 nor Slurm can be queried"},
        /* A requeued job keeps its number: it runs because we are in it. */
        {"slurm 77", "echo RUNNING", "77", NULL,
         " is assumed dead: node9 cannot be queried from here, and this is the same"},
        {"", "exit 1", NULL, NULL, " is assumed dead: node9 cannot be queried from here; 1 trial"},
    };
    static const struct process far = {.host = "node9", .realm = "boot pid:[1]", .pid = 7};
    const char *path = getenv("PATH");
    char *kept = strdup(path ? path : "/usr/bin:/bin");
    struct fixture f;

    (void)state;
    leave(&f);
    be(&f, &far, "slurm 77");
    put_squeue(&f, "[ \"$5\" = 77 ] && echo RUNNING");
    expect_refused(&f, "pid 7 on node9, slurm 77, since 20");
    expect_refused(&f, "(Slurm job 77 is still running)");
    expect_read(&f, SESSION_LIFE_RUNNING, "Slurm job 77 is still running", "running", "running");
    fixture_close(&f);
    for (size_t i = 0; i < sizeof gone / sizeof *gone; i++) {
        leave(&f);
        be(&f, &far, gone[i].job);
        put_squeue(&f, gone[i].squeue);
        if (gone[i].own)
            setenv("SLURM_JOB_ID", gone[i].own, 1);
        if (gone[i].why)
            expect_read(&f, SESSION_LIFE_GONE, gone[i].why, "pending", "lost");
        expect_released(&f, gone[i].released);
        unsetenv("SLURM_JOB_ID");
        fixture_close(&f);
    }
    setenv("PATH", kept, 1);
    free(kept);
}

/* The process is in another container of this machine: the kernel holds the locks of both. */
static void test_other_namespace(void **state)
{
    struct fixture f;
    struct process self;

    (void)state;
    leave(&f);
    process_self(&self);
    strcpy(self.host, "container");
    strcpy(strchr(self.realm, '['), "[1]");
    be(&f, &self, "");
    expect_released(&f, " is gone: it ran in another container; 1 trial");
    fixture_close(&f);
}

/* The running process writes to the original file. */
static void test_copy(void **state)
{
    struct fixture f;
    struct process child;
    char command[512];

    (void)state;
    leave(&f);
    spawn(&child);
    be(&f, &child, "");
    snprintf(command, sizeof command, "cp %s %s.copy && mv %s.copy %s", f.path, f.path, f.path,
             f.path);
    assert_int_equal(system(command), 0);
    expect_read(&f, SESSION_LIFE_ELSEWHERE, "merged from others", "pending", "lost");
    expect_released(&f, "");
    fixture_close(&f);
    end(&child);
}

static void test_merged(void **state)
{
    static const char sql_all[] =
        "SELECT session.outcome || ' ' || trial.state || ' ' || attempts || ' ' ||"
        " coalesce((SELECT group_concat(outcome) FROM attempt AS a WHERE a.trial_id ="
        " trial.trial_id), 'none') FROM session, trial WHERE trial_id = 1";
    struct fixture out, in;
    struct process child;

    (void)state;
    fixture_open(&out, INI);
    leave(&in);
    spawn(&child);
    be(&in, &child, "");
    for (int twice = 0; twice < 2; twice++) {
        assert_int_equal(fixture_merge(&out, &in, NULL), 0);
        fixture_sql_is(&out, sql_all, "running pending 0 none");
    }
    /* Nothing runs in the output, so it can be written. */
    end(&child);
    for (int twice = 0; twice < 2; twice++) {
        assert_int_equal(fixture_merge(&out, &in, NULL), 0);
        fixture_sql_is(&out, sql_all, "lost pending 1 lost");
    }
    fixture_sql_is(&in, "SELECT outcome FROM attempt", "running");
    expect_released(&in, "1 trial");
    assert_int_equal(fixture_merge(&out, &in, NULL), 0);
    fixture_sql_is(&out, sql_all, "lost pending 1 lost");
    fixture_sql_is(&out, "SELECT count(*) FROM session", "1");
    fixture_close(&in);
    fixture_close(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_process),   cmocka_unit_test(test_not_that_process),
        cmocka_unit_test(test_elsewhere), cmocka_unit_test(test_other_namespace),
        cmocka_unit_test(test_copy),      cmocka_unit_test(test_merged),
    };

    return cmocka_run_group_tests_name("session_check", tests, NULL, NULL);
}
