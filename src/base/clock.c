#include "base/clock.h"

#include <math.h>
#include <pthread.h>
#include <stddef.h>
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

double clock_now(const struct clock *clock)
{
    return clock->now(clock->arg);
}

/* Seconds from the start of CLOCK_BOOTTIME, which counts a suspension of the machine, to 1970. */
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

void clock_sleep(double seconds)
{
    double whole = floor(seconds);
    struct timespec t = {.tv_sec = (time_t)whole, .tv_nsec = (long)((seconds - whole) * 1e9)};

    if (seconds > 0)
        nanosleep(&t, NULL);
}
