/* SPDX-License-Identifier: BSD-3-Clause */
/* A guard during the setup of a launch. Ranks wait for each other in collective calls, and one that
 * dies would keep the rest waiting forever (a launcher in recovery mode does not end them). A
 * thread watches the ranks of this host, which Linux lists as children of our parent, and other
 * ranks by steps that take too long. */
#ifndef SCHED_GUARD_H
#define SCHED_GUARD_H

#include <stdbool.h>

#include "base/err.h"

struct world;

/* The guard's thread calls these. */
struct guard_hooks {
    /* A rank was lost; called once, must not return. speaks: true on one or two ranks of the host
     * only. */
    void (*died)(const struct world *world, const char *reason, bool speaks);
    void (*alive)(const struct world *world); /* twice a second */
};

/* world: borrowed until guard_end(), for the hooks. If the launcher does not set how many ranks
 * this host has, they are not watched. -1 and err if no thread can be created. */
int guard_begin(const struct world *world, const struct guard_hooks *hooks, struct err *err);
void guard_end(void); /* does nothing if the guard never began */

/* Note the end of a setup step. guard_expect() limits the next one to patience_s. Any thread. */
void guard_expect(double patience_s);
void guard_step(void);

#endif
