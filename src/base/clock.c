#include "base/clock.h"

#include <math.h>
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

double clock_unix(void)
{
    return read_clock(CLOCK_REALTIME);
}

void clock_sleep(double seconds)
{
    double whole = floor(seconds);
    struct timespec t = {.tv_sec = (time_t)whole, .tv_nsec = (long)((seconds - whole) * 1e9)};

    if (seconds > 0)
        nanosleep(&t, NULL);
}
