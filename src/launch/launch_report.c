/* SPDX-License-Identifier: BSD-3-Clause */
#include "launch/launch_report.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/exit_status.h"
#include "base/fault.h"
#include "base/log.h"
#include "base/process.h"
#include "launch/environment.h"

#define END_S 5.0
/* Open MPI gives up a host only if a second signal comes within five seconds. */
#define AGAIN_S 2.5

/* ---- to `run -n` ---- */

static atomic_bool is_up;

bool launch_report_is_heard(void)
{
    return getenv(LAUNCH_REPORT) != NULL;
}

/* Written in one piece, without stdio. */
static void report(const char *line)
{
    char text[256];
    int n = snprintf(text, sizeof text, "%s\n", line);

    if (launch_report_is_heard() && write(STDOUT_FILENO, text, (size_t)n) < 0)
        unsetenv(LAUNCH_REPORT);
}

void launch_report_up(void)
{
    struct process self;
    char line[200];

    process_self(&self);
    snprintf(line, sizeof line, REPORT_UP "%lld %lld %s %s", (long long)self.pid,
             (long long)self.start, self.host, self.realm);
    report(line);
    is_up = true;
}

void launch_report_alive(void)
{
    static _Atomic double last_s = -ALIVE_S;
    double now_s = clock_now(&clock_system);

    if (!is_up || now_s - last_s < ALIVE_S)
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
    return launch_report_is_heard() ? EXIT_OK : status;
}

/* ---- an mpirun that somebody else started ---- */

static bool has_lost_host;

void launch_report_note_loss(const struct process *rank)
{
    if (!rank || !process_is_here(rank))
        has_lost_host = true;
}

static bool is_left(const struct process *mpirun, double seconds)
{
    double until_s = clock_now(&clock_system) + seconds;

    while (process_is_alive(mpirun)) {
        if (clock_now(&clock_system) > until_s)
            return true;
        clock_sleep(0.1);
    }
    return false;
}

/* This process holds nothing that mpirun could wait for. */
static void see_to_its_end(const struct process *mpirun) __attribute__((noreturn));
static void see_to_its_end(const struct process *mpirun)
{
    setsid();
    signal(SIGTERM, SIG_IGN);
    for (int fd = 0; fd < 1024; fd++)
        close(fd);
    if (is_left(mpirun, END_S))
        kill((pid_t)mpirun->pid, SIGTERM);
    if (is_left(mpirun, AGAIN_S))
        kill((pid_t)mpirun->pid, SIGTERM);
    if (is_left(mpirun, AGAIN_S))
        kill((pid_t)mpirun->pid, SIGKILL);
    _exit(0);
}

void launch_report_end_mpirun(void)
{
    static const char names[] = " mpirun orterun mpiexec prterun ";
    struct process mpirun;
    char name[32] = " ";
    pid_t pid;

    if (!has_lost_host || launch_report_is_heard())
        return;
    process_name(name + 1, sizeof name - 2, getppid());
    if (!strstr(names, strcat(name, " "))) {
        log_warn("if a host was lost, mpirun may wait for it forever, and this host cannot end "
                 "mpirun; 'espalier run -n' can");
        return;
    }
    log_warn("if mpirun waits for the lost host, it is ended in %.0f s with its own exit status 1; "
             "'espalier run -n' returns the sweep's status",
             END_S);
    process_find(&mpirun, getppid());
    pid = fork();
    if (!pid)
        see_to_its_end(&mpirun);
}
