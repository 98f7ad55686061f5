/* SPDX-License-Identifier: BSD-3-Clause */
/* The least that starting programs can cost: a plain loop over posix_spawn() and waitpid(), which
 * reads, writes and stores nothing. Prints seconds.
 * usage: starts JOBS NUMBER PROGRAM [WORD...]    NUMBER times, JOBS at a time */
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"

static int run(int n_jobs, int n, char **words)
{
    posix_spawn_file_actions_t silent;
    int n_running = 0, status;
    pid_t pid;

    posix_spawn_file_actions_init(&silent);
    posix_spawn_file_actions_addopen(&silent, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    while (n || n_running) {
        if (n && n_running < n_jobs) {
            if (posix_spawnp(&pid, words[0], &silent, NULL, words, environ))
                return -1;
            n--;
            n_running++;
        } else if (wait(&status) < 0 || status) {
            return -1;
        } else {
            n_running--;
        }
    }
    posix_spawn_file_actions_destroy(&silent);
    return 0;
}

int main(int argc, char **argv)
{
    double begun_s = clock_now(&clock_system);

    if (argc < 4 || run(atoi(argv[1]), atoi(argv[2]), argv + 3)) {
        fputs("usage: starts JOBS NUMBER PROGRAM [WORD...]\n", stderr);
        return 1;
    }
    printf("%.4f\n", clock_now(&clock_system) - begun_s);
    return 0;
}
