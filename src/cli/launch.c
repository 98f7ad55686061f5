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

#include "base/log.h"
#include "cli/cli.h"

static volatile sig_atomic_t child_pid;

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

static const char **make_args(const struct launch *launch, int argc, char **argv,
                              const char *program, char *ranks, size_t ranks_size)
{
    const char **args = calloc((size_t)argc + 24, sizeof *args);
    size_t n = 0;

    if (!args)
        return NULL;
    snprintf(ranks, ranks_size, "%d", launch->ranks);
    args[n++] = "mpirun";
    args[n++] = "-q";
    args[n++] = "-n";
    args[n++] = ranks;
    if (geteuid() == 0)
        args[n++] = "--allow-run-as-root";
    /* Unbound: on a machine that is shared, a rank bound to a busy core waited for seconds. */
    args[n++] = "--bind-to";
    args[n++] = "none";
    args[n++] = "--oversubscribe";
    args[n++] = program;
    args[n++] = "run";
    args[n++] = "--progress";
    args[n++] = launch->progress;
    for (int i = 1; i < argc; i++) {
        int skip = words_to_drop(argv[i]);

        if (skip)
            i += skip - 1;
        else
            args[n++] = argv[i];
    }
    return args;
}

static void become_mpirun(const char **args, int report)
{
    int null = open("/dev/null", O_RDONLY);

    /* Its own process group: Ctrl-C must reach this process's parent only. */
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (null >= 0)
        dup2(null, STDIN_FILENO);
    setenv("OMPI_MCA_btl_vader_single_copy_mechanism", "none", 0);
    execvp(args[0], (char *const *)args);
    if (write(report, &errno, sizeof errno) < 0)
        _exit(126);
    _exit(127);
}

static int wait_for(pid_t pid)
{
    int status;

    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return 1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static int start(const char **args, struct err *err)
{
    struct sigaction action = {.sa_handler = forward};
    int report[2], failure = 0;
    ssize_t got;
    pid_t pid;

    if (pipe2(report, O_CLOEXEC))
        return err_set(err, "pipe: %s", strerror(errno));
    pid = fork();
    if (pid < 0)
        return err_set(err, "fork: %s", strerror(errno));
    if (!pid)
        become_mpirun(args, report[1]);
    child_pid = (sig_atomic_t)pid;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
    sigaction(SIGUSR1, &action, NULL);
    sigaction(SIGUSR2, &action, NULL);
    close(report[1]);
    while ((got = read(report[0], &failure, sizeof failure)) < 0 && errno == EINTR)
        continue;
    close(report[0]);
    if (got > 0) {
        wait_for(pid);
        return err_set(err, "cannot start mpirun: %s; is Open MPI in the PATH?", strerror(failure));
    }
    return wait_for(pid);
}

int launch_mpirun(const struct launch *launch, int argc, char **argv, struct err *err)
{
    char program[4096], ranks[16];
    ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    const char **args;
    int status;

    if (n < 0)
        return err_set(err, "/proc/self/exe: %s", strerror(errno));
    program[n] = '\0';
    args = make_args(launch, argc, argv, program, ranks, sizeof ranks);
    if (!args)
        return err_nomem(err, "arguments", (size_t)argc * sizeof *args);
    setenv(LAUNCH_COMMAND, launch->command, 1);
    status = start(args, err);
    free(args);
    if (status > EXIT_SOME_FAILED && status != EXIT_RESUMABLE)
        log_warn("mpirun ended with status %d: a rank was lost; what was finished until half a "
                 "second before is in the database, and the same command goes on",
                 status);
    return status;
}
