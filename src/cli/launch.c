#include "cli/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/batch.h"
#include "base/clock.h"
#include "base/fault.h"
#include "base/log.h"
#include "cli/cli.h"
#include "cli/launch_watch.h"
#include "cli/stop.h"
#include "sched/world.h"

/* In the environment of the ranks: somebody listens to what rank 0 reports. */
#define LAUNCH_LISTENS "ESPALIER_REPORT"
#define ALIVE_S 5.0

static volatile sig_atomic_t child_pid, was_asked_to_stop;

int launch_cores(void)
{
    cpu_set_t set;

    if (sched_getaffinity(0, sizeof set, &set))
        return 1;
    return CPU_COUNT(&set);
}

static void forward(int signal_number)
{
    (void)signal_number;
    was_asked_to_stop = 1;
    if (child_pid > 0)
        kill((pid_t)child_pid, SIGUSR1);
}

/* How many words at argv[i] the ranks must not see: -n, and what they are told otherwise. */
static int words_to_drop(const char *word)
{
    if (!strcmp(word, "-n") || !strcmp(word, "--ranks") || !strcmp(word, "--progress"))
        return 2;
    if (!strncmp(word, "-n", 2) || !strncmp(word, "--ranks=", 8) ||
        !strncmp(word, "--progress=", 11))
        return 1;
    return 0;
}

enum { MAX_WORDS = 24 }; /* before the program */

struct words {
    const char **at;
    size_t n;
};

static void add(struct words *words, const char *word)
{
    words->at[words->n++] = word;
}

/* The others go on when a rank dies: --enable-recovery up to Open MPI 4; from 5 on, whose launcher
 * is PRRTE, a runtime option. */
static void add_recovery(struct words *words)
{
    const char *library = world_library();
    int major = 0;

    if (sscanf(library, "Open MPI v%d", &major) == 1 && major >= 5) {
        add(words, "--runtime-options");
        add(words, "recoverable");
    } else {
        add(words, "--enable-recovery");
    }
}

/* In an allocation each rank gets the cores that it was asked for. On a machine that is shared
 * nothing is bound: a rank bound to a busy core waited for seconds. */
static void add_placement(struct words *words, const char *cores)
{
    struct batch_job job;

    batch_job_here(&job);
    if (job.system == BATCH_NONE) {
        add(words, "--oversubscribe");
        add(words, "--bind-to");
        add(words, "none");
    } else {
        add(words, "--map-by");
        add(words, cores);
        add(words, "--bind-to");
        add(words, "core");
    }
}

static const char **make_args(const struct launch *launch, int argc, char **argv,
                              const char *program, const char *ranks, const char *cores)
{
    struct words words = {.at = calloc((size_t)argc + MAX_WORDS, sizeof *words.at)};

    if (!words.at)
        return NULL;
    add(&words, "mpirun");
    add(&words, "-q");
    add(&words, "-n");
    add(&words, ranks);
    if (geteuid() == 0)
        add(&words, "--allow-run-as-root");
    add_recovery(&words);
    add_placement(&words, cores);
    add(&words, program);
    add(&words, "run");
    add(&words, "--progress");
    add(&words, launch->progress);
    for (int i = 1; i < argc; i++) {
        int skip = words_to_drop(argv[i]);

        if (skip)
            i += skip - 1;
        else
            add(&words, argv[i]);
    }
    return words.at;
}

static void become_mpirun(const char **args, int failure, int report)
{
    int null = open("/dev/null", O_RDONLY);

    signal(SIGPIPE, SIG_DFL);
    signal(SIGXFSZ, SIG_DFL);
    /* Its own process group: Ctrl-C must reach this process's parent only. */
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (null >= 0)
        dup2(null, STDIN_FILENO);
    dup2(report, STDOUT_FILENO);
    setenv("OMPI_MCA_btl_vader_single_copy_mechanism", "none", 0);
    execvp(args[0], (char *const *)args);
    if (write(failure, &errno, sizeof errno) < 0)
        _exit(126);
    _exit(127);
}

/* 0 once mpirun runs in the child. */
static int check_start(int fd, pid_t pid, struct err *err)
{
    int failure = 0;
    ssize_t got;

    while ((got = read(fd, &failure, sizeof failure)) < 0 && errno == EINTR)
        continue;
    if (got <= 0)
        return 0;
    waitpid(pid, NULL, 0);
    return err_set(err, "cannot start mpirun: %s; is Open MPI in the PATH?", strerror(failure));
}

static int start(struct launch_end *end, const struct launch *launch, const char **args,
                 struct err *err)
{
    int failure[2], report[2];
    pid_t pid;
    int rc;

    if (pipe2(failure, O_CLOEXEC) || pipe2(report, O_CLOEXEC))
        return err_set(err, "pipe: %s", strerror(errno));
    pid = fork();
    if (pid < 0)
        return err_set(err, "fork: %s", strerror(errno));
    if (!pid)
        become_mpirun(args, failure[1], report[1]);
    child_pid = (sig_atomic_t)pid;
    stop_install(forward, 0);
    close(failure[1]);
    close(report[1]);
    rc = check_start(failure[0], pid, err);
    if (!rc)
        launch_watch(end, pid, report[0], launch->silence_s);
    close(failure[0]);
    close(report[0]);
    return rc;
}

/* What the sweep ended with. */
static int end_status(const struct launch_end *end)
{
    if (end->status >= 0)
        return end->status;
    /* Before the sweep begins a rank leaves from its signal handler. */
    if (was_asked_to_stop && !end->reason)
        return EXIT_RESUMABLE;
    if (end->reason)
        log_warn("%s: mpirun was ended; what was committed is safe, and the same command goes on",
                 end->reason);
    else
        log_warn("rank 0 was lost (mpirun ended with status %d); what was finished until half a "
                 "second before is in the database, and the same command goes on",
                 end->mpirun_status);
    return EXIT_ERROR;
}

int launch_mpirun(const struct launch *launch, int argc, char **argv, struct err *err)
{
    char program[4096], ranks[16], cores[32];
    ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    struct launch_end end;
    const char **args;
    int rc;

    if (n < 0)
        return err_set(err, "/proc/self/exe: %s", strerror(errno));
    program[n] = '\0';
    snprintf(ranks, sizeof ranks, "%d", launch->ranks);
    snprintf(cores, sizeof cores, "slot:PE=%d", launch->threads);
    args = make_args(launch, argc, argv, program, ranks, cores);
    if (!args)
        return err_nomem(err, "arguments", (size_t)argc * sizeof *args);
    setenv(LAUNCH_COMMAND, launch->command, 1);
    setenv(LAUNCH_LISTENS, "1", 1);
    rc = start(&end, launch, args, err);
    free(args);
    return rc ? -1 : end_status(&end);
}

/* ---- rank 0's side ---- */

bool launch_is_heard(void)
{
    return getenv(LAUNCH_LISTENS) != NULL;
}

/* In one piece, past stdio: nothing else is written there. */
static void report(const char *line)
{
    char text[64];
    int n = snprintf(text, sizeof text, "%s\n", line);

    if (launch_is_heard() && write(STDOUT_FILENO, text, (size_t)n) < 0)
        unsetenv(LAUNCH_LISTENS);
}

void launch_report_up(void)
{
    report(REPORT_UP);
}

void launch_report_alive(void)
{
    static double last_s = -ALIVE_S;
    double now_s = clock_now(&clock_system);

    if (now_s - last_s < ALIVE_S)
        return;
    last_s = now_s;
    report(REPORT_ALIVE);
}

int launch_report_status(int status)
{
    char line[48];

    FAULT("scheduler: before the end is reported");
    snprintf(line, sizeof line, REPORT_STATUS "%d", status);
    report(line);
    return launch_is_heard() ? EXIT_OK : status;
}
