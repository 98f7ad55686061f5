/* SPDX-License-Identifier: BSD-3-Clause */
/* Code that decides by time gets its clock as an argument, so that tests can set it. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

/* Seconds that never go back, from an arbitrary start. */
struct clock {
    double (*now)(void *arg);
    void *arg;
};

double clock_now(const struct clock *clock);

extern const struct clock clock_system;

/* Processor time of the calling thread. Other programs on its core do not lengthen it. */
extern const struct clock clock_thread;

/* Unix time in seconds, UTC: the machine's clock at the first call plus the monotonic time since.
 * So no duration is negative, even if the clock is set. Thread-safe. */
double clock_unix(void);

/* "2026-11-23 08:15:00 UTC"; "an unknown time" for 0, NaN and what no calendar has. Returns out. */
enum { CLOCK_TEXT = 32 };
char *clock_utc(char out[CLOCK_TEXT], double unix_s);

/* A signal ends the sleep early. */
void clock_sleep(double seconds);

/* Time to sleep between checks of a queue: short after a message, longer in silence. Waiting inside
 * MPI would use a whole core. */
struct backoff {
    double silent_s; /* all sleeps since the last message */
};

void backoff_reset(struct backoff *backoff);
double backoff_next(struct backoff *backoff); /* seconds */

#endif
