/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/clock.h"

#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

static double read_clock(clockid_t id)
{
    struct timespec t;

    clock_gettime(id, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double monotonic_now(void *arg)
{
    (void)arg;
    return read_clock(CLOCK_MONOTONIC);
}

const struct clock clock_system = {.now = monotonic_now, .arg = NULL};

static double thread_now(void *arg)
{
    (void)arg;
    return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

const struct clock clock_thread = {.now = thread_now, .arg = NULL};

double clock_now(const struct clock *clock)
{
    return clock->now(clock->arg);
}

/* Unix time minus CLOCK_BOOTTIME, which counts while the machine is suspended. */
static double boot_unix;

static void find_boot(void)
{
    boot_unix = read_clock(CLOCK_REALTIME) - read_clock(CLOCK_BOOTTIME);
}

double clock_unix(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, find_boot);
    return boot_unix + read_clock(CLOCK_BOOTTIME);
}

char *clock_utc(char out[CLOCK_TEXT], double unix_s)
{
    static const double year_9999 = 253402300800;
    bool is_known = unix_s > 0 && unix_s < year_9999;
    time_t t = is_known ? (time_t)unix_s : 0;
    struct tm tm;

    if (!is_known || !gmtime_r(&t, &tm) || !strftime(out, CLOCK_TEXT, "%Y-%m-%d %H:%M:%S UTC", &tm))
        strcpy(out, "an unknown time");
    return out;
}

void clock_sleep(double seconds)
{
    double whole = floor(seconds);
    struct timespec t = {.tv_sec = (time_t)whole, .tv_nsec = (long)((seconds - whole) * 1e9)};

    if (seconds > 0)
        nanosleep(&t, NULL);
}

/* A wake-up and a check of an empty MPI queue cost about 25 us: 1.2 percent of a core at 2 ms, 0.3
 * percent at 10 ms. Sleeps double up to 2 ms; longer ones stay below one percent of the silence. */
#define SHORTEST_SLEEP_S 0.1e-3
#define LONG_SLEEP_S 2e-3
#define LONGEST_SLEEP_S 10e-3

void backoff_reset(struct backoff *backoff)
{
    *backoff = (struct backoff){0};
}

double backoff_next(struct backoff *backoff)
{
    double limit_s = fmin(fmax(LONG_SLEEP_S, 0.01 * backoff->silent_s), LONGEST_SLEEP_S);

    backoff->sleep_s = fmin(fmax(2 * backoff->sleep_s, SHORTEST_SLEEP_S), limit_s);
    backoff->silent_s += backoff->sleep_s;
    return backoff->sleep_s;
}
