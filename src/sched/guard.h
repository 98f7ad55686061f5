/* The launch while it is being set up: ranks wait for each other in collective calls, and one that
 * dies would keep the rest waiting for ever (a launcher in recovery mode does not end them). A
 * thread looks after the ranks of this host, as Linux lists them: the children of our parent. */
#ifndef SCHED_GUARD_H
#define SCHED_GUARD_H

#include "sched/world.h"

/* died() is called in the guard's thread, once. Nothing is done where the launcher does not say how
 * many ranks this host has. -1 and err where there are no more threads. */
int guard_begin(const struct world *world, world_died *died, struct err *err);
void guard_end(void); /* takes one that never began */

#endif
