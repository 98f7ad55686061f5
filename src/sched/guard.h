/* SPDX-License-Identifier: BSD-3-Clause */
/* The launch while it is being set up: ranks wait for each other in collective calls, and one that
 * dies would keep the rest waiting for ever (a launcher in recovery mode does not end them). A
 * thread looks after the ranks of this host, as Linux lists them: the children of our parent; what
 * becomes of the others shows in steps that take too long. */
#ifndef SCHED_GUARD_H
#define SCHED_GUARD_H

#include <stdbool.h>

#include "base/err.h"

struct world;

/* Called in the guard's thread. */
struct guard_hooks {
    /* A rank was lost; must not return. speaks: on one or two ranks of the host only. */
    void (*died)(const struct world *world, const char *reason, bool speaks);
    void (*alive)(const struct world *world); /* twice a second */
};

/* world: borrowed until guard_end(), for the hooks. hooks are called in the guard's thread, died() once. Where the launcher does not say how many
 * ranks this host has, they are not looked after. -1 and err where there are no more threads. */
int guard_begin(const struct world *world, const struct guard_hooks *hooks, struct err *err);
void guard_end(void); /* takes one that never began */

/* A step of the setting up is over; the next is to be within patience_s. Any thread. */
void guard_expect(double patience_s);
void guard_step(void);

#endif
