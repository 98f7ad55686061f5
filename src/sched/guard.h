/* SPDX-License-Identifier: BSD-3-Clause */
/* A guard during the setup of a launch: a rank that dies would keep the others waiting forever in
 * collective calls. A thread watches the ranks of this host, which Linux lists as children of our
 * parent, and limits the time of each step. */
#ifndef SCHED_GUARD_H
#define SCHED_GUARD_H

#include <stdbool.h>

#include "base/err.h"

struct world;

/* The guard's thread calls these. */
struct guard_hooks {
    /* A rank was lost. Must not return. speaks: on one or two ranks of the host only. */
    void (*died)(const struct world *world, const char *reason, bool speaks);
    void (*alive)(const struct world *world); /* twice a second */
};

/* world: borrowed until guard_end(). Ranks of this host are watched only if the launcher sets their
 * number. */
int guard_begin(const struct world *world, const struct guard_hooks *hooks, struct err *err);
void guard_end(void); /* may be called if the guard never began */

/* Note the end of a setup step. guard_expect() limits the next one. Any thread. */
void guard_expect(double patience_s);
void guard_step(void);

#endif
