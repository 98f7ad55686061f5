/* SPDX-License-Identifier: BSD-3-Clause */
/* The programs that the spawner starts here are this program with the name of an act. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/process.h"
#include "program/descendants.h"
#include "program/spawner.h"
#include "scratch.h"
#include "unit.h"

#define PATIENCE_S 20.0
#define MARK "SPAWNER_TEST="

/* ---- acts ---- */

static void rest(void) __attribute__((noreturn));
static void rest(void)
{
    for (;;)
        pause();
}

/* Return in a process that is in a session of its own, and whose parent has ended. */
static void become_daemon(void)
{
    if (fork())
        _exit(0);
    setsid();
    if (fork())
        _exit(0);
}

static void use_memory(int megabytes)
{
    size_t bytes = (size_t)megabytes << 20;
    char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (memory == MAP_FAILED)
        _exit(9);
    memset(memory, 1, bytes);
}

/* Be one process that is replaced by its child again and again. */
static void chain(double seconds, bool has_sessions) __attribute__((noreturn));
static void chain(double seconds, bool has_sessions)
{
    double until_s = clock_now(&clock_system) + seconds;

    while (clock_now(&clock_system) < until_s) {
        if (fork())
            _exit(0);
        if (has_sessions)
            setsid();
    }
    _exit(0);
}

/* A program cannot inherit handlers; sanitizers install some. */
static bool is_ignored(int number)
{
    struct sigaction action;

    return !sigaction(number, NULL, &action) && action.sa_handler == SIG_IGN;
}

/* Print what is unusual about this process. */
static int act_state(const char *unused)
{
    sigset_t blocked;
    char byte;

    (void)unused;
    sigprocmask(SIG_BLOCK, NULL, &blocked);
    for (int number = 1; number < SIGRTMAX; number++)
        if (is_ignored(number) || sigismember(&blocked, number) == 1)
            printf("signal %d\n", number);
    for (int fd = 3; fd < 256; fd++)
        if (fcntl(fd, F_GETFD) >= 0)
            printf("descriptor %d\n", fd);
    if (getsid(0) != getpid() || getpgrp() != getpid())
        printf("no session\n");
    if (read(STDIN_FILENO, &byte, 1) != 0)
        printf("standard input\n");
    return 0;
}

static int act_exit(const char *status)
{
    return atoi(status);
}

static int act_work(const char *megabytes)
{
    while (clock_now(&clock_thread) < 0.1)
        continue;
    use_memory(atoi(megabytes));
    return 0;
}

static int act_rest(const char *unused)
{
    (void)unused;
    rest();
}

static int act_stop(const char *unused)
{
    (void)unused;
    raise(SIGSTOP);
    rest();
}

static int act_deaf(const char *unused)
{
    (void)unused;
    signal(SIGTERM, SIG_IGN);
    printf("ready\n");
    fflush(stdout);
    rest();
}

static int act_silent(const char *status)
{
    for (int fd = 0; fd < 3; fd++)
        close(fd);
    clock_sleep(0.1);
    return atoi(status);
}

static int act_daemon(const char *rests)
{
    if (!fork()) {
        become_daemon();
        printf("ready\n");
        fflush(stdout);
        rest();
    }
    wait(NULL);
    if (rests)
        rest();
    return 0;
}

static int act_late(const char *text)
{
    if (!fork()) {
        clock_sleep(0.02);
        printf("%s\n", text);
    }
    return 0;
}

static int act_bomb(const char *rests)
{
    for (int i = 0; i < 50; i++)
        if (!fork())
            chain(1, false);
    if (rests)
        rest();
    return 0;
}

static int act_run_away(const char *unused)
{
    (void)unused;
    if (!fork())
        chain(1, true);
    return 0;
}

static int act_memory_of_both(const char *megabytes)
{
    fork();
    use_memory(atoi(megabytes));
    rest();
}

static int act_shared_memory(const char *megabytes)
{
    use_memory(atoi(megabytes));
    for (int i = 0; i < 3; i++)
        if (!fork())
            rest();
    clock_sleep(2.5 * SPAWNER_SAMPLE_S);
    return 5;
}

static const struct {
    const char *name;
    int (*run)(const char *argument);
} acts[] = {{"exit", act_exit},
            {"work", act_work},
            {"rest", act_rest},
            {"stop", act_stop},
            {"deaf", act_deaf},
            {"state", act_state},
            {"silent", act_silent},
            {"daemon", act_daemon},
            {"late", act_late},
            {"bomb", act_bomb},
            {"run away", act_run_away},
            {"memory of both", act_memory_of_both},
            {"shared memory", act_shared_memory}};

static int act(const char *name, const char *argument)
{
    for (size_t i = 0; i < sizeof acts / sizeof *acts; i++)
        if (!strcmp(acts[i].name, name))
            return acts[i].run(argument);
    return 99;
}

/* ---- helpers ---- */

static char self[PATH_MAX], mark[64];
static struct spawner s; /* of the test */
static const char *variables[] = {mark, "PATH=/usr/bin:/bin", "A=b c;$(d)\n\"'", NULL};

/* The words of an act, valid until the next call. */
static const char *const *act_words(const char *name, const char *argument)
{
    static const char *words[4];

    words[0] = self;
    words[1] = name;
    words[2] = argument;
    words[3] = NULL;
    return words;
}

static void start_spawner(void)
{
    static int n;
    struct err err;

    snprintf(mark, sizeof mark, MARK "%d.%d", (int)getpid(), n++);
    assert_int_equal(spawner_start(&s, &err), 0);
}

/* Start a program. Returns the pipe with its output. */
static int start(const char *const *words, int64_t memory_bytes)
{
    struct spawner_program program = {
        .words = words, .variables = variables, .memory_bytes = memory_bytes};
    struct err err;
    int ends[2];

    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    program.output = program.error = ends[1];
    assert_int_equal(spawner_run(&s, &program, &err), 0);
    close(ends[1]);
    return ends[0];
}

static struct spawner_end wait_end(void)
{
    struct pollfd wanted = {.fd = s.fd, .events = POLLIN};
    double until_s = clock_now(&clock_system) + PATIENCE_S;
    struct spawner_end end;

    while (!spawner_take(&end, &s)) {
        assert_true(clock_now(&clock_system) < until_s);
        poll(&wanted, 1, 100);
    }
    assert_false(spawner_take(&end, &s));
    return end;
}

static struct spawner_end run(const char *const *words, int64_t memory_bytes)
{
    close(start(words, memory_bytes));
    return wait_end();
}

/* Read a pipe to its end. The text is valid until the next call. */
static const char *read_all(int fd)
{
    static char text[4096];
    size_t n = 0;
    ssize_t got;

    while ((got = read(fd, text + n, sizeof text - 1 - n)) > 0)
        n += (size_t)got;
    text[n] = '\0';
    close(fd);
    return text;
}

static void read_line(int fd)
{
    char byte = 0;

    while (byte != '\n')
        assert_int_equal(read(fd, &byte, 1), 1);
}

static bool has_mark(pid_t pid)
{
    char path[64], text[4096];
    int fd;
    ssize_t n;

    snprintf(path, sizeof path, "/proc/%d/environ", (int)pid);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    n = fd < 0 ? 0 : read(fd, text, sizeof text);
    if (fd >= 0)
        close(fd);
    return n > (ssize_t)strlen(mark) && !memcmp(text, mark, strlen(mark) + 1);
}

/* Return the number of processes of the programs of this test, wherever they are. */
static int count_marked(void)
{
    DIR *processes = opendir("/proc");
    const struct dirent *entry;
    int n = 0;

    assert_non_null(processes);
    while ((entry = readdir(processes)))
        n += has_mark(atoi(entry->d_name));
    closedir(processes);
    return n;
}

static void await_marked(int n)
{
    double until_s = clock_now(&clock_system) + PATIENCE_S;

    while (count_marked() != n) {
        assert_true(clock_now(&clock_system) < until_s);
        clock_sleep(0.005);
    }
}

/* A keeper that has just started has no child yet. */
static pid_t only_child(pid_t pid)
{
    struct descendants children = {.by_parent = true};
    double until_s = clock_now(&clock_system) + PATIENCE_S;
    pid_t child;

    for (;;) {
        descendants_children(&children, pid);
        if (children.n)
            break;
        assert_true(clock_now(&clock_system) < until_s);
        clock_sleep(0.001);
    }
    assert_int_equal(children.n, 1);
    child = children.of[0];
    descendants_release(&children);
    return child;
}

/* Start a program that rests, with a daemon that does the same. */
static void start_with_daemon(void)
{
    int out = start(act_words("daemon", "and rest"), 0);

    read_line(out);
    close(out);
    await_marked(2);
}

static bool is_alive(pid_t pid)
{
    return process_is_alive(&(struct process){.pid = pid});
}

static void await_death(pid_t pid)
{
    double until_s = clock_now(&clock_system) + PATIENCE_S;

    while (is_alive(pid)) {
        assert_true(clock_now(&clock_system) < until_s);
        clock_sleep(0.005);
    }
}

static void assert_killed(const struct spawner_end *end)
{
    assert_int_equal(end->how, SPAWNER_SIGNALLED);
    assert_int_equal(end->status, SIGKILL);
}

/* ---- tests: what a program gets, and what it reports ---- */

static void test_a_program_runs(void **state)
{
    struct spawner_end end;
    const char *words[] = {"/usr/bin/printf", "%s\\n", "", "a b", "$(c) ; \"'\n%", NULL};
    double begun_s;
    int out;

    (void)state;
    out = start(words, 0);
    end = wait_end();
    assert_int_equal(end.how, SPAWNER_EXITED);
    assert_int_equal(end.status, 0);
    assert_string_equal(end.why.text, "");
    assert_string_equal(read_all(out), "\na b\n$(c) ; \"'\n%\n");
    end = run(act_words("work", "40"), 0);
    assert_int_equal(end.status, 0);
    assert_true(end.cpu_s >= 0.1 && end.cpu_s < PATIENCE_S);
    assert_true(end.peak_bytes >= 40 << 20);
    begun_s = clock_now(&clock_system);
    end = run(act_words("exit", "77"), 0);
    assert_int_equal(end.how, SPAWNER_EXITED);
    assert_int_equal(end.status, 77);
    assert_true(end.cpu_s <
                clock_now(&clock_system) - begun_s); /* its own time, not that of "work" */
    spawner_stop(&s);
}

static void test_a_program_inherits_nothing(void **state)
{
    int out, inherited = open("/dev/null", O_RDONLY);
    sigset_t usr1, before;

    (void)state;
    sigemptyset(&usr1);
    sigaddset(&usr1, SIGUSR1);
    sigprocmask(SIG_BLOCK, &usr1, &before);
    signal(SIGXFSZ, SIG_IGN);
    start_spawner();
    signal(SIGXFSZ, SIG_DFL);
    assert_true(fcntl(s.fd, F_GETFD) & FD_CLOEXEC);
    sigprocmask(SIG_SETMASK, &before, NULL);
    out = start(act_words("state", NULL), 0);
    assert_int_equal(wait_end().status, 0);
    assert_string_equal(read_all(out), "");
    spawner_stop(&s);
    close(inherited);
}

static void test_environment_and_folder(void **state)
{
    struct spawner_program program = {.words = (const char *[]){"sh", "-c", "pwd; env -0", NULL},
                                      .variables = variables,
                                      .folder = "/usr"};
    struct err err;
    char wanted[256];
    int out[2], error[2];
    ssize_t n;

    (void)state;
    assert_int_equal(pipe2(out, O_CLOEXEC), 0);
    assert_int_equal(pipe2(error, O_CLOEXEC), 0);
    program.output = out[1];
    program.error = error[1];
    program.words = (const char *[]){"sh", "-c", "pwd; echo bad >&2; echo \"$A\"", NULL};
    assert_int_equal(spawner_run(&s, &program, &err), 0);
    close(out[1]);
    close(error[1]);
    assert_int_equal(wait_end().status, 0);
    assert_string_equal(read_all(out[0]), "/usr\nb c;$(d)\n\"'\n");
    assert_string_equal(read_all(error[0]), "bad\n");
    n = snprintf(wanted, sizeof wanted, "%s", mark);
    out[0] = start((const char *[]){"env", "-0", NULL}, 0);
    assert_int_equal(wait_end().status, 0);
    assert_memory_equal(read_all(out[0]), wanted, n + 1);
}

static void test_long_commands(void **state)
{
    struct spawner_end end;
    char *word = malloc(100001);
    const char *words[8] = {"sh", "-c", "echo $((${#1} + ${#2} + ${#3}))", "sh"};
    int out;

    (void)state;
    memset(word, 'x', 100000);
    word[100000] = '\0';
    start_spawner();
    for (int i = 4; i < 7; i++)
        words[i] = word;
    out = start(words, 0);
    assert_int_equal(wait_end().status, 0);
    assert_string_equal(read_all(out), "300000\n");
    word = realloc(word, 200001);
    memset(word, 'x', 200000);
    word[200000] = '\0';
    words[4] = word;
    words[5] = NULL;
    end = run(words, 0);
    assert_int_equal(end.how, SPAWNER_NOT_STARTED);
    assert_int_equal(end.status, E2BIG);
    spawner_stop(&s);
    free(word);
}

static void assert_refused(const char *word, int code, const char *why)
{
    struct spawner_end end = run((const char *[]){word, NULL}, 0);

    assert_int_equal(end.how, SPAWNER_NOT_STARTED);
    assert_int_equal(end.status, code);
    assert_non_null(strstr(end.why.text, why));
}

static void test_programs_that_cannot_start(void **state)
{
    struct spawner_program program = {.words = (const char *[]){"true", NULL},
                                      .variables = variables,
                                      .folder = "/nowhere",
                                      .output = STDERR_FILENO,
                                      .error = STDERR_FILENO};
    struct spawner_end end;
    struct err err;
    const char *script = scratch_text("script", "#!/no/such/python3 -u\n");
    const char *windows = scratch_text("windows", "#!/bin/sh\r\n");
    const char *plain = scratch_text("plain", "#!/bin/sh\n");

    (void)state;
    assert_int_equal(chmod(script, 0755), 0);
    assert_int_equal(chmod(windows, 0755), 0);
    assert_refused("no-such-program", ENOENT, "'no-such-program': no such program in PATH");
    assert_refused("", ENOENT, "no such program in PATH");
    assert_refused("./no\nfile", ENOENT, "'./no?file': no such file");
    assert_refused(script, ENOENT, "its interpreter '/no/such/python3' does not exist");
    assert_refused(windows, ENOENT, "end as on Windows");
    assert_refused(plain, EACCES, "not executable (chmod +x)");
    assert_refused("/usr", EACCES, "it is a folder");
    assert_int_equal(spawner_run(&s, &program, &err), 0);
    end = wait_end();
    assert_int_equal(end.how, SPAWNER_NOT_STARTED);
    assert_string_equal(end.why.text, "working directory '/nowhere': No such file or directory");
    assert_int_equal(run(act_words("exit", "1"), 0).status, 1);
}

/* ---- tests: programs that misbehave ---- */

static void test_a_stopped_program(void **state)
{
    struct spawner_end end;

    (void)state;
    close(start(act_words("stop", NULL), 0));
    await_marked(1);
    spawner_kill(&s);
    end = wait_end();
    assert_killed(&end);
    close(start(act_words("stop", NULL), 0));
    await_marked(1);
    spawner_signal(&s, SIGTERM);
    end = wait_end();
    assert_int_equal(end.how, SPAWNER_SIGNALLED);
    assert_int_equal(end.status, SIGTERM);
    assert_int_equal(count_marked(), 0);
    spawner_signal(&s, SIGTERM);
    spawner_kill(&s);
}

static void test_a_deaf_program(void **state)
{
    struct spawner_end end;
    int out;

    (void)state;
    out = start(act_words("deaf", NULL), 0);
    read_line(out);
    spawner_signal(&s, SIGTERM);
    clock_sleep(0.05);
    assert_false(spawner_take(&end, &s));
    assert_int_equal(count_marked(), 1);
    spawner_kill(&s);
    end = wait_end();
    assert_killed(&end);
    assert_string_equal(read_all(out), "");
    assert_int_equal(count_marked(), 0);
}

static void test_a_program_that_closes_its_pipes(void **state)
{
    struct spawner_end end;
    int out;

    (void)state;
    out = start(act_words("silent", "3"), 0);
    assert_string_equal(read_all(out), "");
    assert_false(spawner_take(&end, &s));
    assert_int_equal(wait_end().status, 3);
}

static void test_a_daemon(void **state)
{
    struct spawner_end end;

    (void)state;
    end = run(act_words("daemon", NULL), 0);
    assert_int_equal(end.how, SPAWNER_EXITED);
    assert_int_equal(end.status, 0);
    assert_int_equal(count_marked(), 0);
    start_with_daemon();
    spawner_kill(&s);
    end = wait_end();
    assert_killed(&end);
    assert_int_equal(count_marked(), 0);
}

static void test_a_child_may_finish(void **state)
{
    int out;

    (void)state;
    out = start(act_words("late", "late"), 0);
    assert_int_equal(wait_end().status, 0);
    assert_string_equal(read_all(out), "late\n");
}

static void test_programs_that_fork_in_a_loop(void **state)
{
    struct spawner_end end;

    (void)state;
    close(start(act_words("bomb", "and rest"), 0));
    clock_sleep(0.1);
    assert_true(count_marked() > 0);
    spawner_kill(&s);
    end = wait_end();
    assert_killed(&end);
    assert_int_equal(count_marked(), 0);
    end = run(act_words("bomb", NULL), 0);
    assert_int_equal(end.how, SPAWNER_EXITED);
    assert_int_equal(count_marked(), 0);
    end = run(act_words("run away", NULL), 0);
    assert_int_equal(end.how, SPAWNER_EXITED);
    assert_int_equal(count_marked(), 0);
}

static void test_memory(void **state)
{
    struct spawner_end end;

    (void)state;
    end = run(act_words("memory of both", "60"), 100 << 20);
    assert_int_equal(end.how, SPAWNER_OVER_MEMORY);
    assert_in_range(end.memory_bytes, 100 << 20, 160 << 20);
    assert_non_null(strstr(end.why.text, "memory = 0.10 GB is the limit"));
    assert_int_equal(count_marked(), 0);
    end = run(act_words("shared memory", "60"), 100 << 20);
    assert_int_equal(end.how, SPAWNER_EXITED);
    assert_int_equal(end.status, 5);
}

/* ---- tests: deaths ---- */

static void test_stop_ends_everything_at_once(void **state)
{
    double begun_s;
    pid_t keeper, spawner;

    (void)state;
    spawner_stop(&s);
    start_spawner();
    keeper = s.keeper;
    spawner = only_child(keeper);
    start_with_daemon();
    begun_s = clock_now(&clock_system);
    spawner_stop(&s);
    assert_true(clock_now(&clock_system) - begun_s < 4);
    assert_int_equal(count_marked(), 0);
    assert_false(is_alive(spawner));
    assert_int_equal(kill(keeper, 0), -1);
}

/* Start a program in a process that is then killed, and return the keeper. */
static pid_t leave_orphans(void)
{
    int ends[2];
    pid_t rank, keeper;

    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    rank = fork();
    if (!rank) {
        start_spawner();
        start_with_daemon();
        if (write(ends[1], mark, sizeof mark) < 0 || write(ends[1], &s.keeper, sizeof s.keeper) < 0)
            _exit(1);
        rest();
    }
    assert_int_equal(read(ends[0], mark, sizeof mark), sizeof mark);
    assert_int_equal(read(ends[0], &keeper, sizeof keeper), sizeof keeper);
    kill(rank, SIGKILL);
    waitpid(rank, NULL, 0);
    close(ends[1]);
    assert_string_equal(read_all(ends[0]), "");
    return keeper;
}

static void test_the_rank_dies(void **state)
{
    (void)state;
    await_death(leave_orphans());
    assert_int_equal(count_marked(), 0);
}

static void test_the_spawner_is_killed(void **state)
{
    struct spawner_end end;

    (void)state;
    for (int i = 0; i < 2; i++) {
        start_with_daemon();
        kill(only_child(s.keeper), SIGKILL);
        end = wait_end();
        assert_int_equal(end.how, SPAWNER_LOST);
        assert_string_equal(end.why.text, "the process that starts programs was killed (signal 9)");
        assert_int_equal(count_marked(), 0);
        assert_int_equal(run(act_words("exit", "4"), 0).status, 4);
    }
    assert_false(s.is_lost);
    /* idle */
    kill(only_child(s.keeper), SIGKILL);
    assert_int_equal(run(act_words("exit", "5"), 0).status, 5);
}

/* A spawner that is stopped has not begun with a program; its successor does. */
static void test_a_request_survives(void **state)
{
    pid_t spawner;
    int out;

    (void)state;
    assert_int_equal(run(act_words("exit", "4"), 0).status, 4);
    spawner = only_child(s.keeper);
    kill(spawner, SIGSTOP);
    out = start(act_words("exit", "6"), 0);
    kill(spawner, SIGKILL);
    assert_int_equal(wait_end().status, 6);
    close(out);
}

static void test_the_keeper_is_killed(void **state)
{
    struct spawner_program program = {.words = act_words("rest", NULL), .variables = variables};
    struct spawner_end end;
    struct err err;
    pid_t spawner;

    (void)state;
    spawner = only_child(s.keeper);
    kill(s.keeper, SIGKILL);
    assert_int_equal(run(act_words("exit", "4"), 0).status, 4);
    close(start(act_words("rest", NULL), 0));
    await_marked(1);
    kill(spawner, SIGKILL);
    end = wait_end();
    assert_int_equal(end.how, SPAWNER_LOST);
    assert_true(s.is_lost);
    await_marked(0);
    assert_int_equal(spawner_run(&s, &program, &err), -1);
    assert_non_null(strstr(err.text, "processes that start programs are gone"));
}

static void test_both_are_killed_while_idle(void **state)
{
    struct spawner_program program = {.words = act_words("rest", NULL), .variables = variables};
    struct err err;
    siginfo_t info;
    pid_t spawner;

    (void)state;
    spawner = only_child(s.keeper);
    kill(s.keeper, SIGKILL);
    kill(spawner, SIGKILL);
    await_death(spawner);
    assert_int_equal(waitid(P_PID, (id_t)s.keeper, &info, WEXITED | WNOWAIT), 0);
    assert_false(s.is_lost);
    assert_int_equal(spawner_run(&s, &program, &err), -1);
    assert_true(s.is_lost);
    assert_int_equal(spawner_run(&s, &program, &err), -1);
}

/* Neither answers when it is stopped. */
static void test_a_stopped_spawner(void **state)
{
    struct spawner_end end;

    (void)state;
    for (int with_keeper = 0; with_keeper < 2; with_keeper++) {
        start_with_daemon();
        kill(only_child(s.keeper), SIGSTOP);
        if (with_keeper)
            kill(s.keeper, SIGSTOP);
        spawner_kill(&s);
        spawner_force(&s, false);
        end = wait_end();
        assert_int_equal(end.how, SPAWNER_LOST);
        assert_int_equal(count_marked(), 0);
        assert_false(s.is_lost);
        assert_int_equal(run(act_words("exit", "4"), 0).status, 4);
    }
    start_with_daemon();
    kill(s.keeper, SIGSTOP); /* else it may still answer */
    spawner_force(&s, true);
    end = wait_end();
    assert_int_equal(end.how, SPAWNER_LOST);
    assert_true(s.is_lost);
    await_marked(0);
}

/* The limit does not hold for root. */
static void limit_processes(void) __attribute__((noreturn));
static void limit_processes(void)
{
    const char *words[] = {"/usr/bin/true", NULL};
    struct rlimit before, none;
    struct spawner_end end;
    pid_t spawner;

    if (!getuid() && setuid(65534))
        _exit(1);
    start_spawner();
    spawner = only_child(s.keeper);
    if (prlimit(spawner, RLIMIT_NPROC, NULL, &before))
        _exit(2);
    none = (struct rlimit){.rlim_cur = 0, .rlim_max = before.rlim_max};
    if (prlimit(spawner, RLIMIT_NPROC, &none, NULL))
        _exit(3);
    end = run(words, 0);
    if (end.how != SPAWNER_NOT_STARTED || end.status != EAGAIN || !spawner_lacks_resources(&end))
        _exit(4);
    prlimit(spawner, RLIMIT_NPROC, &before, NULL);
    end = run(words, 0);
    _exit(end.how != SPAWNER_EXITED || end.status || spawner_lacks_resources(&end));
}

static void test_a_limit_of_processes(void **state)
{
    pid_t pid = fork();
    int status;

    (void)state;
    if (!pid)
        limit_processes();
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

static void test_signals_of_a_launch_spare_the_spawner(void **state)
{
    static const int numbers[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGTSTP};
    pid_t spawner;

    (void)state;
    spawner = only_child(s.keeper);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        kill(s.keeper, numbers[i]);
        kill(spawner, numbers[i]);
    }
    assert_int_equal(run(act_words("exit", "4"), 0).status, 4);
    assert_int_equal(only_child(s.keeper), spawner);
}

static void test_pipes_of_the_launch_are_not_held(void **state)
{
    int ends[2];

    (void)state;
    assert_int_equal(pipe(ends), 0);
    start_spawner();
    assert_int_equal(run(act_words("exit", "0"), 0).status, 0);
    close(ends[1]);
    assert_string_equal(read_all(ends[0]), "");
    spawner_stop(&s);
}

static long long count_switches(pid_t pid)
{
    char path[64], line[256];
    long long n = 0, value;
    FILE *file;

    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "voluntary_ctxt_switches: %lld", &value) == 1 ||
            sscanf(line, "nonvoluntary_ctxt_switches: %lld", &value) == 1)
            n += value;
    assert_non_null(file);
    fclose(file);
    return n;
}

static void test_it_sleeps(void **state)
{
    pid_t spawner;
    long long idle, busy;

    (void)state;
    spawner = only_child(s.keeper);
    assert_int_equal(run(act_words("exit", "0"), 0).status, 0);
    clock_sleep(0.1);
    idle = count_switches(spawner) + count_switches(s.keeper);
    clock_sleep(0.3);
    assert_int_equal(count_switches(spawner) + count_switches(s.keeper), idle);
    close(start(act_words("rest", NULL), 0));
    await_marked(1);
    clock_sleep(0.1);
    busy = count_switches(spawner);
    clock_sleep(0.3);
    assert_int_equal(count_switches(spawner), busy);
}

/* ---- tests: processes below a process ---- */

static void test_both_ways_to_find_processes(void **state)
{
    struct descendants listed = {0}, compared = {.by_parent = true};

    (void)state;
    if (!descendants_have_lists())
        skip();
    start_with_daemon();
    clock_sleep(0.02); /* for the parent of the daemon to be reaped */
    descendants_all(&listed, s.keeper);
    descendants_all(&compared, s.keeper);
    assert_int_equal(listed.n, 3);
    assert_int_equal(compared.n, 3);
    assert_int_equal(listed.of[0], compared.of[0]);
    assert_true(descendants_bytes(&listed, INT64_MAX) > descendants_bytes(&listed, 0));
    assert_true(descendants_bytes(&listed, 0) > 0);
    descendants_children(&listed, listed.of[0]);
    assert_int_equal(listed.n, 2);
    descendants_release(&listed);
    descendants_release(&compared);
}

static int begin(void **state)
{
    (void)state;
    start_spawner();
    return 0;
}

static int end_spawner(void **state)
{
    (void)state;
    spawner_stop(&s);
    return 0;
}

#define WITH_SPAWNER(test) cmocka_unit_test_setup_teardown(test, begin, end_spawner)

int main(int argc, char **argv)
{
    static const struct CMUnitTest tests[] = {
        WITH_SPAWNER(test_a_program_runs),
        cmocka_unit_test(test_a_program_inherits_nothing),
        WITH_SPAWNER(test_environment_and_folder),
        cmocka_unit_test(test_long_commands),
        WITH_SPAWNER(test_programs_that_cannot_start),
        WITH_SPAWNER(test_a_stopped_program),
        WITH_SPAWNER(test_a_deaf_program),
        WITH_SPAWNER(test_a_program_that_closes_its_pipes),
        WITH_SPAWNER(test_a_daemon),
        WITH_SPAWNER(test_a_child_may_finish),
        WITH_SPAWNER(test_programs_that_fork_in_a_loop),
        WITH_SPAWNER(test_memory),
        cmocka_unit_test(test_stop_ends_everything_at_once),
        cmocka_unit_test(test_the_rank_dies),
        WITH_SPAWNER(test_the_spawner_is_killed),
        WITH_SPAWNER(test_a_request_survives),
        WITH_SPAWNER(test_the_keeper_is_killed),
        WITH_SPAWNER(test_both_are_killed_while_idle),
        WITH_SPAWNER(test_a_stopped_spawner),
        cmocka_unit_test(test_a_limit_of_processes),
        WITH_SPAWNER(test_signals_of_a_launch_spare_the_spawner),
        cmocka_unit_test(test_pipes_of_the_launch_are_not_held),
        WITH_SPAWNER(test_it_sleeps),
        WITH_SPAWNER(test_both_ways_to_find_processes),
    };

    if (argc > 1)
        return act(argv[1], argv[2]);
    if (getenv("TEST_UNDER_VALGRIND")) {
        printf("1..0 # SKIP valgrind does not survive programs that cannot be executed\n");
        return 0;
    }
    if (readlink("/proc/self/exe", self, sizeof self - 1) < 0)
        return 1;
    return cmocka_run_group_tests_name("spawner", tests, scratch_make, scratch_remove);
}
