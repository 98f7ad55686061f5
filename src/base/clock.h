/* SPDX-License-Identifier: BSD-3-Clause */
/* Time, passed in wherever it decides something, so that tests own it. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

/* Seconds that never go back, from an arbitrary start. `arg` is the source's own. */
struct clock {
    double (*now)(void *arg);
    void *arg;
};

double clock_now(const struct clock *clock);

/* The machine's monotonic clock. */
extern const struct clock clock_system;

/* Unix time, seconds, UTC: of the machine's clock at the first call, and from there by its
 * monotonic clock. A clock that is set while the process runs makes no duration negative.
 * Thread-safe. */
double clock_unix(void);

/* Sleep; returns early on a signal. */
void clock_sleep(double seconds);

/* How long to sleep before looking again: short after something came, longer while nothing does.
 * MPI cannot wake a sleeper, and waiting inside MPI would burn a core. */
struct backoff {
    double sleep_s;  /* the last */
    double silent_s; /* all since something came */
};

void backoff_reset(struct backoff *backoff);
double backoff_next(struct backoff *backoff); /* seconds */

#endif
