#include "base/command.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"

enum { MOST_BYTES = 1 << 20 };
#define LOOK_S 0.005  /* between two looks whether a program has ended */
#define GIVE_UP_S 1.0 /* for a killed one to be gone: on a filesystem that hangs it never is */

/* What a child ends with whose program is not there, where posix_spawn() does not say so itself
 * (posix_spawn(3p); a C library without it, valgrind). */
enum { NOT_FOUND = 127 };

/* posix_spawn(), not fork(): an MPI library may not like its process being copied. A process group
 * of its own, so that a script is killed with what it waits for. */
static int spawn(pid_t *pid, int out, const char *const *argv)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none;
    int rc;

    sigemptyset(&none);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files, out, STDERR_FILENO);
    rc = posix_spawnp(pid, argv[0], &files, &attributes, (char *const *)argv, environ);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    return rc ? -1 : 0;
}

/* Until the program closes its outputs. */
static int read_all(struct buf *out, int fd, double until_s)
{
    struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
    size_t begin = out->size;
    char piece[4096];

    for (;;) {
        double left_s = until_s - clock_now(&clock_system);
        ssize_t n;

        if (left_s <= 0 || out->size - begin > MOST_BYTES)
            return -1;
        if (poll(&poll_fd, 1, (int)ceil(1000 * left_s)) <= 0)
            continue;
        n = read(fd, piece, sizeof piece);
        if (n == 0)
            return buf_failed(out) ? -1 : 0;
        if (n > 0)
            buf_add(out, piece, (size_t)n);
        else if (errno != EINTR)
            return -1;
    }
}

static bool wait_until(pid_t pid, int *status, double until_s)
{
    for (;;) {
        pid_t got = waitpid(pid, status, WNOHANG);

        if (got == pid)
            return true;
        if ((got < 0 && errno != EINTR) || clock_now(&clock_system) >= until_s)
            return false;
        clock_sleep(LOOK_S);
    }
}

int command_read(struct buf *out, const char *const *argv, double limit_s)
{
    double until_s = clock_now(&clock_system) + limit_s;
    int ends[2], status = 0;
    pid_t pid;
    int rc;

    if (pipe2(ends, O_CLOEXEC))
        return -1;
    rc = spawn(&pid, ends[1], argv);
    close(ends[1]);
    if (!rc) {
        rc = read_all(out, ends[0], until_s);
        if (rc || !wait_until(pid, &status, until_s)) {
            kill(-pid, SIGKILL);
            wait_until(pid, &status, clock_now(&clock_system) + GIVE_UP_S);
            rc = -1;
        }
    }
    close(ends[0]);
    if (rc || !WIFEXITED(status) || WEXITSTATUS(status) == NOT_FOUND)
        return -1;
    return WEXITSTATUS(status);
}
