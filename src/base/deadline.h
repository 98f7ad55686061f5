/* SPDX-License-Identifier: BSD-3-Clause */
/* When the trials that run at the end of a run must end. */
#ifndef BASE_DEADLINE_H
#define BASE_DEADLINE_H

#include <math.h>

enum stop_request {
    STOP_NONE,
    STOP_SOON, /* begin no trial; running ones have a grace period */
    STOP_NOW,  /* stop running trials, too; they may save their state */
    STOP_KILL  /* without waiting for programs, which are killed */
};

/* By a clock; INFINITY: never. A rank leaves when its trial has ended. */
struct deadline {
    double ask_s;  /* a trial that runs is asked to end */
    double kill_s; /* a program is killed, even if it was asked a moment ago */
};

/* For a request other than NONE at now_s. grace_s applies to STOP_SOON, and ends at until_s. */
static inline struct deadline deadline_of(enum stop_request request, double now_s, double grace_s,
                                          double until_s)
{
    return (struct deadline){.ask_s = request == STOP_SOON ? fmin(now_s + grace_s, until_s) : now_s,
                             .kill_s = request == STOP_KILL ? now_s : (double)INFINITY};
}

#endif
