/* SPDX-License-Identifier: BSD-3-Clause */
/* Cost of starting a program and learning its end: through a spawner, and by posix_spawn() and
 * waitpid() in this process. Prints CSV lines "case,value,unit,beside,target", the best of ROUNDS
 * turns each.
 * usage: spawner [MEGABYTES]    memory that this process uses; default 64 */
#include <poll.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "program/spawner.h"

enum { ROUNDS = 5, RUNS = 1000 };

static const char *const words[] = {"/bin/true", NULL};

static int run_here(struct spawner *s)
{
    pid_t pid;
    int status;

    (void)s;
    return posix_spawn(&pid, words[0], NULL, NULL, (char *const *)words, environ) ||
           waitpid(pid, &status, 0) != pid || status;
}

static int run_below(struct spawner *s)
{
    struct spawner_program program = {.words = words,
                                      .variables = (const char *const *)environ,
                                      .output = STDOUT_FILENO,
                                      .error = STDERR_FILENO};
    struct pollfd wanted = {.fd = s->fd, .events = POLLIN};
    struct spawner_end end;
    struct err err;

    if (spawner_run(s, &program, &err)) {
        fprintf(stderr, "spawner: %s\n", err.text);
        return -1;
    }
    while (!spawner_take(&end, s))
        poll(&wanted, 1, -1);
    return end.how != SPAWNER_EXITED || end.status;
}

/* Return microseconds a run, or -1. */
static double measure(int (*run)(struct spawner *s), struct spawner *s)
{
    double begun_s = clock_now(&clock_system);

    for (int i = 0; i < RUNS; i++)
        if (run(s))
            return -1;
    return (clock_now(&clock_system) - begun_s) / RUNS * 1e6;
}

static double least(double a, double b)
{
    return a < b ? a : b;
}

int main(int argc, char **argv)
{
    size_t bytes = (size_t)(argc > 1 ? atoi(argv[1]) : 64) << 20;
    double here_us = 1e9, below_us = 1e9;
    struct spawner s;
    struct err err;
    char *memory;

    if (spawner_start(&s, &err)) {
        fprintf(stderr, "spawner: %s\n", err.text);
        return 1;
    }
    memory = malloc(bytes);
    if (memory)
        memset(memory, 1, bytes);
    for (int i = 0; i < ROUNDS; i++) {
        here_us = least(here_us, measure(run_here, &s));
        below_us = least(below_us, measure(run_below, &s));
    }
    spawner_stop(&s);
    free(memory);
    if (here_us < 0 || below_us < 0)
        return 1;
    printf("start and end of /bin/true: spawner,%.0f,us,posix_spawn %.0f us,2000\n", below_us,
           here_us);
    return 0;
}
