/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/guard.h"

#include <dirent.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/process.h"

#define LOOK_NS 500000000L
/* time for the launcher to start all processes of a host */
#define GRACE_S 10.0
/* time for all processes of a launch to start; minutes on an overloaded filesystem */
#define COME_UP_S 600.0

static struct {
    pthread_t thread;
    bool has_begun;
    sem_t over;
    const struct world *world;
    struct guard_hooks hooks;
    _Atomic double patience_s, step_s; /* limit of a step; end of the last one */
    long n_local;                      /* ranks of this host; -1: unknown */
    pid_t parent;
    long launcher, branch; /* parent of this host's ranks; its child towards this rank */
    struct process *ranks; /* [n_local], once all exist */
} guard;

static long number_of(const char *variable)
{
    const char *text = getenv(variable);

    return text ? strtol(text, NULL, 10) : -1;
}

/* The launcher may have other children, such as ssh to other hosts. */
static bool is_rank(long pid)
{
    static const char mark[] = "OMPI_COMM_WORLD_LOCAL_RANK=";
    char path[40], *variable = NULL;
    bool found = false;
    size_t room = 0;
    FILE *file;

    snprintf(path, sizeof path, "/proc/%ld/environ", pid);
    file = fopen(path, "re");
    while (file && !found && getdelim(&variable, &room, '\0', file) > 0)
        found = !strncmp(variable, mark, sizeof mark - 1);
    if (file)
        fclose(file);
    free(variable);
    return found;
}

/* Fill guard.ranks with the launcher's child ranks; return their number. */
static long find_ranks(void)
{
    char path[80];
    struct dirent *entry;
    long n = 0, pid;
    FILE *children;
    DIR *tasks;

    snprintf(path, sizeof path, "/proc/%ld/task", guard.launcher);
    tasks = opendir(path);
    while (tasks && (entry = readdir(tasks))) {
        if (*entry->d_name == '.')
            continue;
        snprintf(path, sizeof path, "/proc/%ld/task/%.20s/children", guard.launcher, entry->d_name);
        children = fopen(path, "re");
        while (children && fscanf(children, "%ld", &pid) == 1)
            if (n < guard.n_local && is_rank(pid))
                process_find(&guard.ranks[n++], pid);
        if (children)
            fclose(children);
    }
    if (tasks)
        closedir(tasks);
    return n;
}

static const char *find_loss(bool *all_seen, double since_s)
{
    if (getppid() != guard.parent)
        return "the launcher is gone";
    if (clock_now(&clock_system) - guard.step_s > guard.patience_s)
        return "a rank of another host does not answer";
    if (guard.n_local < 2)
        return NULL;
    if (!*all_seen) {
        long n = find_ranks();

        *all_seen = n == guard.n_local;
        if (*all_seen || clock_now(&clock_system) - since_s <= GRACE_S)
            return NULL;
        for (long i = 0; i < n; i++)
            if (guard.ranks[i].pid == guard.branch)
                return "a rank of this host never came"; /* this one was found */
        guard.n_local = 0;                               /* the others cannot be watched either */
        return NULL;
    }
    for (long i = 0; i < guard.n_local; i++)
        if (!process_is_alive(&guard.ranks[i]))
            return "a rank of this host has died";
    return NULL;
}

static void *watch(void *arg)
{
    double since_s = clock_now(&clock_system);
    struct timespec next;
    bool all_seen = false;

    (void)arg;
    do {
        const char *reason = find_loss(&all_seen, since_s);

        if (reason)
            guard.hooks.died(guard.world, reason, number_of("OMPI_COMM_WORLD_LOCAL_RANK") < 2);
        guard.hooks.alive(guard.world);
        clock_gettime(CLOCK_MONOTONIC, &next);
        next.tv_nsec += LOOK_NS;
        next.tv_sec += next.tv_nsec / 1000000000;
        next.tv_nsec %= 1000000000;
    } while (sem_clockwait(&guard.over, CLOCK_MONOTONIC, &next));
    return NULL;
}

void guard_step(void)
{
    guard.step_s = clock_now(&clock_system);
}

void guard_expect(double patience_s)
{
    guard_step();
    guard.patience_s = patience_s;
}

int guard_begin(const struct world *world, const struct guard_hooks *hooks, struct err *err)
{
    int code;

    guard.n_local = number_of("OMPI_COMM_WORLD_LOCAL_SIZE");
    guard.world = world;
    guard.hooks = *hooks;
    guard.parent = getppid();
    guard.branch = getpid();
    guard.launcher = getppid();
    /* A shell, or the program that starts a container, may be between the launcher and this rank. */
    while (guard.launcher > 1 && is_rank(guard.launcher)) {
        guard.branch = guard.launcher;
        guard.launcher = (long)process_parent(guard.launcher);
    }
    guard.ranks = calloc(guard.n_local > 0 ? (size_t)guard.n_local : 1, sizeof *guard.ranks);
    if (!guard.ranks)
        return err_nomem(err, "ranks of this host", (size_t)guard.n_local * sizeof *guard.ranks);
    guard_expect(COME_UP_S);
    sem_init(&guard.over, 0, 0);
    code = pthread_create(&guard.thread, NULL, watch, NULL);
    if (code)
        return err_set(err, "thread of the guard: %s", strerror(code));
    guard.has_begun = true;
    return 0;
}

void guard_end(void)
{
    if (!guard.has_begun)
        return;
    sem_post(&guard.over);
    pthread_join(guard.thread, NULL);
    sem_destroy(&guard.over);
    free(guard.ranks);
    guard.ranks = NULL;
    guard.has_begun = false;
}
