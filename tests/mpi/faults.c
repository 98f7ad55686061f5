/* SPDX-License-Identifier: BSD-3-Clause */
/* Implementation of FAULT() in tests/mpi/espalier_faults: the program, with faults.
 *
 *   ESPALIER_FAULT      "POINT:RANK:COUNT:ACTION; ...": when this rank (0 without a launch, * any)
 *                       reaches that point for the COUNT-th time, it does:
 *       kill   SIGKILL itself
 *       exit   _exit(1)
 *       stop   SIGSTOP itself; continue after ESPALIER_FAULT_SECONDS (default 2)
 *       nap    this thread sleeps for that long, the others continue
 *       slow   the same, and again at each later passage
 *       term   SIGTERM itself, and continue
 *     The kind of a message is part of the point: "any: a message was sent (START)". "trial=17" is
 *     the point at which trial 17 begins, counted from 0 as in the plan.
 *   ESPALIER_FAULT_LOG  a file that gets a line for each fault that happens */
#include "base/fault.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "sched/message.h"

enum { MAX_FAULTS = 8, POINT_BYTES = 160 };

struct fault {
    char point[POINT_BYTES];
    char rank[8], action[8];
    int left; /* passages until it happens */
};

static struct {
    pthread_mutex_t lock;
    bool is_read;
    int rank, n;
    struct fault of[MAX_FAULTS];
} faults = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void refuse(const char *text)
{
    fprintf(stderr, "ESPALIER_FAULT: '%s' is not POINT:RANK:COUNT:ACTION\n", text);
    _exit(99);
}

/* Points contain colons themselves. */
static void parse(struct fault *fault, char *text)
{
    char *action = strrchr(text, ':'), *count, *rank;

    if (action)
        *action++ = '\0';
    count = strrchr(text, ':');
    if (count)
        *count++ = '\0';
    rank = strrchr(text, ':');
    if (!action || !count || !rank)
        refuse(text);
    *rank++ = '\0';
    snprintf(fault->point, sizeof fault->point, "%s", text);
    snprintf(fault->rank, sizeof fault->rank, "%s", rank);
    snprintf(fault->action, sizeof fault->action, "%s", action);
    fault->left = atoi(count);
}

static void read_faults(void)
{
    const char *rank = getenv("OMPI_COMM_WORLD_RANK"), *given = getenv("ESPALIER_FAULT");
    char *all = given ? strdup(given) : NULL, *at = all, *text;

    faults.is_read = true;
    faults.rank = rank ? atoi(rank) : 0;
    while ((text = strsep(&at, ";")) && faults.n < MAX_FAULTS)
        if (text[strspn(text, " ")])
            parse(&faults.of[faults.n++], text + strspn(text, " "));
    free(all);
}

static double seconds(void)
{
    const char *text = getenv("ESPALIER_FAULT_SECONDS");

    return text ? atof(text) : 2;
}

static void stop(void)
{
    pid_t self = getpid();

    if (!fork()) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* it must not outlive a rank that others wake */
        for (int fd = 0; fd < 1024; fd++)
            close(fd);
        clock_sleep(seconds());
        kill(self, SIGCONT);
        _exit(0);
    }
    kill(self, SIGSTOP);
}

static void note(const struct fault *fault)
{
    const char *path = getenv("ESPALIER_FAULT_LOG");
    char line[POINT_BYTES + 64];
    int n =
        snprintf(line, sizeof line, "%s rank %d: %s\n", fault->action, faults.rank, fault->point);
    int fd = path ? open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666) : -1;

    if (fd >= 0 && write(fd, line, (size_t)n) != n)
        refuse(path);
    if (fd >= 0)
        close(fd);
}

static bool is_slow(const struct fault *fault)
{
    return !strcmp(fault->action, "slow");
}

static void come_about(const struct fault *fault)
{
    if (fault->left == 0)
        note(fault);
    if (!strcmp(fault->action, "kill"))
        kill(getpid(), SIGKILL);
    else if (!strcmp(fault->action, "exit"))
        _exit(1);
    else if (!strcmp(fault->action, "stop"))
        stop();
    else if (!strcmp(fault->action, "nap") || is_slow(fault))
        clock_sleep(seconds());
    else if (!strcmp(fault->action, "term"))
        kill(getpid(), SIGTERM);
    else
        refuse(fault->action);
}

static bool is_here(const struct fault *fault, const char *name)
{
    return !strcmp(fault->point, name) && (*fault->rank == '*' || atoi(fault->rank) == faults.rank);
}

void fault_point(const char *name)
{
    struct fault due[MAX_FAULTS];
    int n = 0;

    pthread_mutex_lock(&faults.lock);
    if (!faults.is_read)
        read_faults();
    for (int i = 0; i < faults.n; i++)
        if (is_here(&faults.of[i], name) && --faults.of[i].left <= 0 &&
            (faults.of[i].left == 0 || is_slow(&faults.of[i])))
            due[n++] = faults.of[i];
    pthread_mutex_unlock(&faults.lock);
    for (int i = 0; i < n; i++)
        come_about(&due[i]);
}

void fault_message(const char *name, const struct buf *message)
{
    static const char *const kinds[MESSAGE_KIND_COUNT] = {
        [MESSAGE_ASSIGN] = "ASSIGN",
        [MESSAGE_STOP] = "STOP",
        [MESSAGE_START] = "START",
        [MESSAGE_RESULTS] = "RESULTS",
        [MESSAGE_GIVE_BACK] = "GIVE_BACK",
        [MESSAGE_UNABLE] = "UNABLE",
        [MESSAGE_LEAVE] = "LEAVE",
        [MESSAGE_BEAT] = "BEAT",
        [MESSAGE_BYE] = "BYE",
        [MESSAGE_CHECKPOINT] = "CHECKPOINT",
    };
    char point[POINT_BYTES];
    enum message_kind kind;
    struct cursor in;
    struct err err;

    if (message_open(&in, &kind, message, &err))
        return;
    snprintf(point, sizeof point, "%s (%s)", name, kinds[kind]);
    fault_point(point);
}

void fault_trial(int64_t trial)
{
    char point[POINT_BYTES];

    snprintf(point, sizeof point, "trial=%lld", (long long)trial);
    fault_point(point);
}
