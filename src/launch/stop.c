/* SPDX-License-Identifier: BSD-3-Clause */
#include "launch/stop.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/duration.h"
#include "base/exit_status.h"
#include "base/log.h"
#include "launch/launch_report.h"

volatile sig_atomic_t stop_signal, stop_request;

static volatile sig_atomic_t is_heeded, is_silent;
static volatile sig_atomic_t kills_follow; /* SIGINT and SIGTERM precede a kill */
static volatile sig_atomic_t is_killed;    /* the first signal was one of these */
static volatile double first_s;            /* when it came */
static volatile sig_atomic_t leave_status = EXIT_RESUMABLE;
static volatile sig_atomic_t is_parents_word; /* run -n reports that it was stopped */

/* There is nothing to save. */
static void leave(void)
{
    static const char text[] = "espalier: " STOP_BEFORE "\n";
    ssize_t written =
        is_silent || is_parents_word ? 0 : write(STDERR_FILENO, text, sizeof text - 1);

    (void)written;
    _exit(leave_status);
}

/* The other ranks get the signal too. If rank 0 exits because of it, so must they; otherwise it
 * will tell them to stop. */
#define FOLLOW_S 20

static void leave_late(int number)
{
    (void)number;
    if (!is_heeded)
        leave();
}

static void handle(int number)
{
    double now_s = clock_now(&clock_system);

    if (!is_heeded && !is_silent)
        leave();
    if (!is_heeded)
        alarm(FOLLOW_S);
    if (!stop_signal) {
        first_s = now_s;
        stop_signal = number;
        is_killed = kills_follow && (number == SIGINT || number == SIGTERM);
        stop_request = is_killed ? STOP_NOW : STOP_SOON;
    } else if (now_s - first_s >= STOP_AGAIN_S) {
        stop_request = is_killed ? STOP_NOW : STOP_KILL;
    }
}

void stop_heed(void)
{
    is_heeded = true;
    if (is_silent)
        alarm(0);
}

void stop_have_come_up(void)
{
    is_parents_word = false;
}

void stop_install(void (*handler)(int number), int flags)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGUSR1, SIGUSR2, SIGHUP};
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags}, before;

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        sigaddset(&action.sa_mask, numbers[i]);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i] != SIGHUP || sigaction(SIGHUP, NULL, &before) ||
            before.sa_handler != SIG_IGN)
            sigaction(numbers[i], &action, NULL);
}

void stop_catch(bool is_quiet)
{
    /* run -n prints the message itself */
    if (launch_report_is_heard()) {
        leave_status = EXIT_OK;
        is_parents_word = true;
    }
    is_silent = is_quiet;
    /* mpirun kills its ranks after SIGINT and SIGTERM; run -n passes signals on as SIGUSR1, which
     * mpirun only forwards. srun does not set the variable. */
    kills_follow = getenv("OMPI_COMM_WORLD_SIZE") != NULL;
    stop_install(handle, SA_RESTART);
    if (is_silent)
        signal(SIGALRM, leave_late);
    signal(SIGPIPE, SIG_IGN); /* a pager or `tee` that ends must not end a sweep */
}

/* ---- messages ---- */

/* Last message: to stop soon, or at once. */
static enum stop_request told;

static enum stop_request news(void)
{
    return stop_request < STOP_NOW ? (enum stop_request)stop_request : STOP_NOW;
}

bool stop_has_news(void)
{
    return news() > told;
}

static void tell_first(bool is_busy, bool are_programs, double grace_s)
{
    char grace[DURATION_TEXT], why[24];

    /* run -n passes on a different signal than it received */
    snprintf(why, sizeof why, "SIG%s", sigabbrev_np(stop_signal));
    if (launch_report_is_heard())
        snprintf(why, sizeof why, "asked to stop");
    if (is_busy && are_programs)
        log_info("%s: no new trial starts; running programs that are not expected to end within %s "
                 "(--grace) are asked to stop; a second signal ends them at once",
                 why, duration_words(grace, grace_s));
    else if (is_busy)
        log_info("%s: no new trial starts; running trials have up to %s to finish (--grace); a "
                 "second signal ends them at once",
                 why, duration_words(grace, grace_s));
    else
        log_info("%s: no new trial starts", why);
}

void stop_tell(bool is_busy, bool are_programs, double grace_s)
{
    if (!stop_has_news())
        return;
    if (stop_request < STOP_NOW && grace_s > 0)
        tell_first(is_busy, are_programs, grace_s);
    else if (is_killed && !told)
        log_info("SIG%s: stopping at once, as mpirun kills its ranks a second later (SIGUSR1 to "
                 "mpirun, or run -n, lets trials finish)",
                 sigabbrev_np(stop_signal));
    else
        log_info("stopping at once; running trials are left to the next run");
    told = news();
}
