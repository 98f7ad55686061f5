/* SPDX-License-Identifier: BSD-3-Clause */
#include "launch/child_run.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "launch/stop.h"

#define LOOK_S 0.05
/* for mpirun and its ranks to end */
#define PATIENCE_S 20.0

static const char **make_words(const char *const *args)
{
    size_t n = 0;
    const char **words;

    while (args[n])
        n++;
    words = calloc(n + 3, sizeof *words);
    if (!words)
        return NULL;
    words[0] = "espalier";
    words[1] = "run";
    memcpy(words + 2, args, n * sizeof *words);
    return words;
}

/* A process group of its own: Ctrl-C reaches the parent alone, which passes it on. */
static void become(const char **words, int messages)
{
    int null = open("/dev/null", O_RDONLY);

    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (null >= 0)
        dup2(null, STDIN_FILENO);
    dup2(messages, STDOUT_FILENO);
    dup2(messages, STDERR_FILENO);
    execv("/proc/self/exe", (char *const *)(uintptr_t)words);
    _exit(127);
}

static int wait_for(pid_t pid)
{
    double again_s = 0, kill_s = INFINITY;
    int status = 0;

    while (waitpid(pid, &status, WNOHANG) != pid) {
        double now_s = clock_now(&clock_system);

        if (stop_signal && now_s >= again_s) {
            if (!again_s)
                kill_s = now_s + PATIENCE_S;
            again_s = now_s + 2 * STOP_AGAIN_S;
            kill(pid, SIGTERM);
        }
        if (now_s > kill_s)
            kill(-pid, SIGKILL);
        clock_sleep(LOOK_S);
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int child_run(int *status, const char *const *args, const char *messages, struct err *err)
{
    const char **words = make_words(args);
    int file, rc = 0;
    pid_t pid;

    if (!words)
        return err_nomem(err, "arguments", 0);
    file = open(messages, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    pid = file < 0 ? -1 : fork();
    if (!pid)
        become(words, file);
    if (file < 0)
        rc = err_set(err, "%s: %s", messages, strerror(errno));
    else if (pid < 0)
        rc = err_set(err, "fork: %s", strerror(errno));
    else
        *status = wait_for(pid);
    if (file >= 0)
        close(file);
    free(words);
    return rc;
}
