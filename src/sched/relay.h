/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks 1 .. n - 1: one thread owns MPI and only forwards messages, so that beats come in time; a
 * second thread trains (sched/worker.h). */
#ifndef SCHED_RELAY_H
#define SCHED_RELAY_H

#include "base/clock.h"
#include "base/err.h"
#include "sched/world.h"
#include "trial/result.h"

struct relay_options {
    double silence_s; /* rank 0 is lost after this silence */
    /* Rank 0 is lost, or the worker cannot go on. Must not return, since a trial still runs. */
    void (*cut_off)(const struct err *err) __attribute__((noreturn));
};

/* Run the trials that rank 0 sends until its BYE. -1 and err only if nothing has begun. */
int relay_serve(const struct world *world, const struct runner *runner,
                const struct relay_options *options, const struct clock *clock, struct err *err);

#endif
