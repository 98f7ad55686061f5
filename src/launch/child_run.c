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

/* A process group of its own: Ctrl-C reaches the parent alone, which passes it on. */
static void become(const char *const *words, int output, int messages)
{
    int null = open("/dev/null", O_RDONLY);

    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (null >= 0)
        dup2(null, STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    dup2(messages, STDERR_FILENO);
    execvp(words[0], (char *const *)(uintptr_t)words);
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

static int open_output(const char *path, struct err *err)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);

    if (fd < 0)
        err_set(err, "%s: %s", path, strerror(errno));
    return fd;
}

int child_run(int *status, const char *const *words, const char *output, const char *messages,
              struct err *err)
{
    int out = open_output(output, err), errors = out < 0 ? -1 : open_output(messages, err), rc = -1;
    pid_t pid = errors < 0 ? -1 : fork();

    if (!pid)
        become(words, out, errors);
    if (pid > 0) {
        *status = wait_for(pid);
        rc = 0;
    } else if (errors >= 0) {
        err_set(err, "fork: %s", strerror(errno));
    }
    if (errors >= 0)
        close(errors);
    if (out >= 0)
        close(out);
    return rc;
}
