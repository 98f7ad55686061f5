/* SPDX-License-Identifier: BSD-3-Clause */
/* Scripts in a folder at the front of PATH stand in for the batch system. */
#include <math.h>
#include <sys/stat.h>
#include <time.h>

#include "base/batch.h"
#include "base/clock.h"
#include "scratch.h"
#include "unit.h"

static const char *const variables[] = {
    "SLURM_JOB_ID", "SLURM_ARRAY_JOB_ID", "SLURM_ARRAY_TASK_ID", "SLURM_JOB_END_TIME",
    "LSB_JOBID",    "LSB_JOBINDEX",       "PBS_JOBID",
};

static const char *const commands[] = {"squeue", "bjobs", "qstat"};

static double test_begun_s; /* by the monotonic clock */

static int alone(void **state)
{
    char path[512];

    (void)state;
    test_begun_s = clock_now(&clock_system);
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        unsetenv(variables[i]);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        remove(scratch_path(commands[i]));
    snprintf(path, sizeof path, "%s:/usr/bin:/bin", scratch_folder);
    setenv("PATH", path, 1);
    return 0;
}

/* The script records its arguments. */
static void play(const char *command, const char *body)
{
    char script[4096];

    snprintf(script, sizeof script, "#!/bin/sh\necho \"$@\" >>%s\n%s\n", scratch_path("calls"),
             body);
    remove(scratch_path("calls"));
    chmod(scratch_text(command, script), 0755);
}

static void says(const char *command, const char *text, int status)
{
    char body[2048];

    snprintf(body, sizeof body, "cat <<'END'\n%s\nEND\nexit %d", text, status);
    play(command, body);
}

static void assert_called(const char *expected)
{
    char text[512] = "";
    FILE *file = fopen(scratch_path("calls"), "r");

    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    assert_string_equal(text, expected);
}

/* On a busy machine the test may take longer than the 2 s of tolerance. */
static void assert_left(double expected)
{
    double left_s = batch_seconds_left(), passed_s = clock_now(&clock_system) - test_begun_s;

    if (isnan(expected) ? !isnan(left_s)
                        : !(left_s < expected + 2 && left_s > expected - 2 - passed_s))
        fail_msg("%.1f s left, expected %.1f s", left_s, expected);
}

static void assert_here(enum batch_system system, const char *id)
{
    struct batch_job job;

    batch_job_here(&job);
    assert_int_equal(job.system, system);
    assert_string_equal(job.id, id);
}

/* ---- a program with a time limit ---- */

static void test_command(void **state)
{
    const char *const both[] = {"sh", "-c", "echo out; echo err >&2; cat; exit 3", NULL};
    const char *const absent[] = {"espalier-no-such-program", NULL};
    const char *const killed[] = {"sh", "-c", "kill -9 $$", NULL};
    const char *const endless[] = {"sh", "-c", "yes", NULL};
    struct buf out = {0};

    (void)state;
    assert_int_equal(batch_command_read(&out, both, 5), 3);
    assert_string_equal(buf_text(&out), "out\nerr\n");
    assert_int_equal(batch_command_read(&out, absent, 5), -1);
    assert_int_equal(batch_command_read(&out, killed, 5), -1);
    assert_int_equal(batch_command_read(&out, endless, 60), -1);
    buf_release(&out);
}

static void test_slow_command(void **state)
{
    /* One waits for a child; the other closes its outputs and continues. */
    const char *const slow[][4] = {{"sh", "-c", "echo early; sleep 61; echo late", NULL},
                                   {"sh", "-c", "exec >/dev/null 2>&1; sleep 62", NULL}};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct buf out = {0};
        double begun_s = clock_now(&clock_system);

        assert_int_equal(batch_command_read(&out, slow[i], 0.3), -1);
        assert_true(clock_now(&clock_system) - begun_s < 3);
        assert_string_equal(buf_text(&out), i ? "" : "early\n");
        buf_release(&out);
    }
    /* A killed process takes a moment to go. */
    assert_int_equal(
        system("for i in $(seq 100); do ps -eo args | grep -q '^sleep 6[12]$' || exit 0; "
               "sleep 0.1; done; exit 1"),
        0);
}

/* ---- who is around us ---- */

static void test_here(void **state)
{
    (void)state;
    assert_here(BATCH_NONE, "");
    setenv("PBS_JOBID", "12[7].server-1.example.org", 1);
    assert_here(BATCH_PBS, "12[7].server-1.example.org");
    setenv("LSB_JOBID", "0", 1);
    assert_here(BATCH_PBS, "12[7].server-1.example.org");
    setenv("LSB_JOBID", "81", 1);
    setenv("LSB_JOBINDEX", "0", 1);
    assert_here(BATCH_LSF, "81");
    setenv("LSB_JOBINDEX", "3", 1);
    assert_here(BATCH_LSF, "81[3]");
    setenv("SLURM_JOB_ID", "77", 1);
    assert_here(BATCH_SLURM, "77");
    setenv("SLURM_ARRAY_JOB_ID", "70", 1);
    setenv("SLURM_ARRAY_TASK_ID", "0", 1);
    assert_here(BATCH_SLURM, "70_0");
    assert_string_equal(batch_system_name(BATCH_LSF), "lsf");
    assert_string_equal(batch_system_title(BATCH_SLURM), "Slurm");
}

static void test_no_job_by_what_is_no_id(void **state)
{
    static const char *const bad[] = {
        "",
        "0",
        "-f",
        "7 8",
        "7;reboot",
        "7\n8",
        "1234567890123456789012345678901234567890123456789012345678901234"};

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        setenv("SLURM_JOB_ID", bad[i], 1);
        assert_here(BATCH_NONE, "");
    }
}

/* ---- time ---- */

static void test_slurm_by_environment(void **state)
{
    char end[32];

    (void)state;
    setenv("SLURM_JOB_ID", "77", 1);
    snprintf(end, sizeof end, "%.0f", clock_unix() + 5000);
    setenv("SLURM_JOB_END_TIME", end, 1);
    says("squeue", "10:00", 0);
    assert_left(5000);
    /* The end time has passed: ask squeue. */
    setenv("SLURM_JOB_END_TIME", "1700000000", 1);
    assert_left(600);
    assert_called("-h -j 77 -o %L\n");
    says("squeue", "UNLIMITED", 0);
    assert_left((double)NAN);
    /* squeue reports no time: use the environment. */
    snprintf(end, sizeof end, "%.0f", clock_unix() - 20);
    setenv("SLURM_JOB_END_TIME", end, 1);
    says("squeue", "INVALID", 0);
    assert_left(-20);
    says("squeue", "slurm_load_jobs error: Invalid job id specified", 1);
    assert_left(-20);
    setenv("SLURM_JOB_END_TIME", "soon", 1);
    assert_left((double)NAN);
    says("squeue", "10:00", 0);
    assert_left(600);
    /* A year means no limit. */
    snprintf(end, sizeof end, "%.0f", clock_unix() + 365 * 86400.0 - 60);
    setenv("SLURM_JOB_END_TIME", end, 1);
    assert_left((double)NAN);
}

static void test_squeue(void **state)
{
    static const struct {
        const char *says;
        double seconds;
    } cases[] = {
        {"9:59", 599},
        {"      0:45", 45},
        {"2:03:04", 7384},
        {"1-02:03:04", 93784},
        {"squeue: warning: something\n10:00", 600},
        {"INVALID", 0},
        {"UNLIMITED", (double)NAN},
        {"NOT_SET", (double)NAN},
        {"", (double)NAN},
        {"soon", (double)NAN},
        {"90", (double)NAN},
        {"1:2:3:4", (double)NAN},
        {"400-00:00:00", (double)NAN},
    };

    (void)state;
    setenv("SLURM_JOB_ID", "77", 1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        says("squeue", cases[i].says, 0);
        assert_left(cases[i].seconds);
    }
    setenv("SLURM_ARRAY_JOB_ID", "70", 1);
    setenv("SLURM_ARRAY_TASK_ID", "3", 1);
    says("squeue", "10:00", 0);
    assert_left(600);
    assert_called("-h -j 70_3 -o %L\n");
    says("squeue", "10:00", 1);
    assert_left((double)NAN);
}

static void test_no_answer(void **state)
{
    double begun_s = clock_now(&clock_system);

    (void)state;
    setenv("SLURM_JOB_ID", "77", 1);
    play("squeue", "sleep 63; echo 10:00");
    assert_left((double)NAN);
    assert_true(clock_now(&clock_system) - begun_s < BATCH_LIMIT_S + 3);
    setenv("PATH", scratch_folder, 1);
    remove(scratch_path("squeue"));
    assert_left((double)NAN);
}

static void test_bjobs(void **state)
{
    static const struct {
        const char *says;
        double seconds;
    } cases[] = {
        {"62 second(s);90.0/hostA", 5338},
        {"00:01:02;01:30:00", 5338},
        {"LSF is down. Please wait ...\n00:01:02;01:30:00", 5338},
        {"62 second(s);1.0", 0},
        {"62 second(s);-", (double)NAN},
        {"nonsense", (double)NAN},
    };

    (void)state;
    setenv("LSB_JOBID", "81", 1);
    setenv("LSB_JOBINDEX", "4", 1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        says("bjobs", cases[i].says, 0);
        assert_left(cases[i].seconds);
        assert_called("-noheader -o run_time runtimelimit delimiter=';' 81[4]\n");
    }
}

static void test_qstat(void **state)
{
    time_t now = time(NULL) - 900;
    char begun[64], text[1024];

    (void)state;
    setenv("PBS_JOBID", "12[7].server", 1);
    strftime(begun, sizeof begun, "%a %b %d %H:%M:%S %Y", localtime(&now));
    says("qstat",
         "Job Id: 12[7].server\n    resources_used.walltime = 00:10:00\n    job_state = R\n"
         "    Resource_List.walltime = 26:00:00\n    Resource_List.walltimes = 1",
         0);
    assert_left(93000);
    assert_called("-f 12[7].server\n");
    /* resources_used is out of date: the start time counts. */
    snprintf(text, sizeof text,
             "    Resource_List.walltime = 01:00:00\n    resources_used.walltime = 00:10:00\n"
             "    stime = %s",
             begun);
    says("qstat", text, 0);
    assert_left(2700);
    snprintf(text, sizeof text, "    Resource_List.walltime = 00:15:00\n    start_time = %s",
             begun);
    says("qstat", text, 0);
    assert_left(0);
    says("qstat", "    Resource_List.walltime = 01:00:00", 0);
    assert_left((double)NAN);
    says("qstat", "    resources_used.walltime = 01:00:00", 0);
    assert_left((double)NAN);
}

/* ---- alive? ---- */

static void assert_tasks(const char *text, int wanted)
{
    setenv("SLURM_TASKS_PER_NODE", text, 1);
    assert_int_equal(batch_slurm_tasks(), wanted);
}

static void test_slurm_tasks(void **state)
{
    (void)state;
    unsetenv("SLURM_TASKS_PER_NODE");
    assert_int_equal(batch_slurm_tasks(), 0);
    assert_tasks("1", 1);
    assert_tasks("2(x3),1", 7);
    assert_tasks("1,16(x2)", 33);
    assert_tasks("", 0);
    assert_tasks("2(x", 0);
    assert_tasks("2(x3", 0);
    assert_tasks("2(x3)1", 0);
    assert_tasks("many", 0);
    unsetenv("SLURM_TASKS_PER_NODE");
}

static void test_ask(void **state)
{
    static const struct {
        enum batch_system system;
        const char *says;
        int status;
        enum batch_answer expected;
    } cases[] = {
        {BATCH_SLURM, "RUNNING", 0, BATCH_ALIVE},
        {BATCH_SLURM, "COMPLETING", 0, BATCH_ALIVE},
        {BATCH_SLURM, "COMPLETED\nRUNNING", 0, BATCH_ALIVE},
        {BATCH_SLURM, "CANCELLED", 0, BATCH_GONE},
        {BATCH_SLURM, "PENDING", 0, BATCH_GONE},
        {BATCH_SLURM, "slurm_load_jobs error: Invalid job id specified", 1, BATCH_GONE},
        {BATCH_SLURM, "slurm_load_jobs error: Unable to contact slurm controller", 1,
         BATCH_UNKNOWN},
        {BATCH_SLURM, "RUN", 0, BATCH_UNKNOWN},
        {BATCH_LSF, "RUN", 0, BATCH_ALIVE},
        {BATCH_LSF, "USUSP ", 0, BATCH_ALIVE},
        {BATCH_LSF, "EXIT", 0, BATCH_GONE},
        {BATCH_LSF, "ZOMBI", 0, BATCH_UNKNOWN},
        {BATCH_LSF, "UNKWN", 0, BATCH_UNKNOWN},
        {BATCH_LSF, "Job <77> is not found", 255, BATCH_GONE},
        {BATCH_PBS, "Job Id: 77.server\n    job_state = R\n    substate = 42", 0, BATCH_ALIVE},
        {BATCH_PBS, "Job Id: 77.server\n    job_state = C", 0, BATCH_GONE},
        {BATCH_PBS, "Job Id: 77.server\n    Job_Name = R", 0, BATCH_UNKNOWN},
        {BATCH_PBS, "qstat: Unknown Job Id 77.server", 153, BATCH_GONE},
        {BATCH_PBS, "qstat: 77.server Job has finished, use -x or -H to obtain it", 35, BATCH_GONE},
        {BATCH_PBS, "qstat: cannot connect to server (errno=111)", 111, BATCH_UNKNOWN},
    };
    static const char *const calls[] = {[BATCH_SLURM] = "-h -t all -j 77 -o %T\n",
                                        [BATCH_LSF] = "-noheader -o stat 77\n",
                                        [BATCH_PBS] = "-f 77\n"};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct batch_job job = {.system = cases[i].system, .id = "77"};
        enum batch_answer answer;

        says(commands[job.system - 1], cases[i].says, cases[i].status);
        answer = batch_ask(&job);
        if (answer != cases[i].expected)
            fail_msg("'%s': %d, expected %d", cases[i].says, answer, cases[i].expected);
        assert_called(calls[job.system]);
    }
    play("squeue", "exit 0");
    assert_int_equal(batch_ask(&(struct batch_job){BATCH_SLURM, "77"}), BATCH_GONE);
    play("bjobs", "exit 0");
    assert_int_equal(batch_ask(&(struct batch_job){BATCH_LSF, "77"}), BATCH_UNKNOWN);
}

static void test_ask_nobody(void **state)
{
    (void)state;
    assert_int_equal(batch_ask(&(struct batch_job){.system = BATCH_NONE}), BATCH_UNKNOWN);
    assert_int_equal(batch_ask(&(struct batch_job){BATCH_SLURM, "-M"}), BATCH_UNKNOWN);
    setenv("PATH", scratch_folder, 1);
    assert_int_equal(batch_ask(&(struct batch_job){BATCH_SLURM, "77"}), BATCH_UNKNOWN);
}

static double left_of(const char *text)
{
    struct batch_job job;

    return batch_job_parse(&job, text) ? batch_job_seconds_left(&job) : -1;
}

/* The job is another one, so the environment of ours does not count. */
static void test_left_of_a_job(void **state)
{
    (void)state;
    setenv("SLURM_JOB_ID", "5", 1);
    setenv("SLURM_JOB_END_TIME", "4102444800", 1);
    says("squeue", "1-00:01:40", 0);
    assert_true(left_of("slurm 77") == 86500);
    assert_called("-h -j 77 -o %L\n");
    assert_true(left_of("slurm job 77_3") == 86500);
    says("squeue", "UNLIMITED", 0);
    assert_true(isnan(left_of("slurm 77")));
    says("squeue", "slurm_load_jobs error: Invalid job id specified", 1);
    assert_true(isnan(left_of("slurm 77")));
    says("bjobs", "62 second(s);90.0", 0);
    assert_true(left_of("lsf 9[2]") == 5338);
    assert_true(isnan(left_of("slurm -M")));
    assert_true(left_of("") == -1);
    assert_true(left_of(NULL) == -1);
    assert_true(left_of("slurmy 77") == -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_command, alone),
        cmocka_unit_test_setup(test_slow_command, alone),
        cmocka_unit_test_setup(test_here, alone),
        cmocka_unit_test_setup(test_no_job_by_what_is_no_id, alone),
        cmocka_unit_test_setup(test_slurm_by_environment, alone),
        cmocka_unit_test_setup(test_squeue, alone),
        cmocka_unit_test_setup(test_no_answer, alone),
        cmocka_unit_test_setup(test_bjobs, alone),
        cmocka_unit_test_setup(test_qstat, alone),
        cmocka_unit_test_setup(test_slurm_tasks, alone),
        cmocka_unit_test_setup(test_ask, alone),
        cmocka_unit_test_setup(test_ask_nobody, alone),
        cmocka_unit_test_setup(test_left_of_a_job, alone),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("batch", tests, scratch_make, scratch_remove);
}
