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

/* A wake-up and a check of an empty MPI queue cost w, about 100 us of processor time on an idle
 * core. Sleeps of s seconds cost the share w / s of a core, and let a message that ends a silence of
 * T seconds wait s / 2, a share of s / (2 T). The sum is least at s = sqrt(2 w T). */
#define WAKE_UP_S 100e-6
#define SHORTEST_SLEEP_S 0.1e-3
#define LONGEST_SLEEP_S 100e-3

void backoff_reset(struct backoff *backoff)
{
    *backoff = (struct backoff){0};
}

double backoff_next(struct backoff *backoff)
{
    double best_s = sqrt(2 * WAKE_UP_S * backoff->silent_s);
    double sleep_s = fmax(fmin(best_s, LONGEST_SLEEP_S), SHORTEST_SLEEP_S);

    backoff->silent_s += sleep_s;
    return sleep_s;
}
