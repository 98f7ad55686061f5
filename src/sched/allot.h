/* SPDX-License-Identifier: BSD-3-Clause */
/* Choose on how many ranks each of some trials runs, so that all end early (doc/decisions/0055).
 *
 * For a limit t, each trial gets the fewest ranks on which it takes at most t (the "canonical number
 * of processors": Mounie, Rapine & Trystram 2007, SIAM J Comput 37:401). The trials are then packed,
 * those with the most work first, each as soon as its ranks are free. The best of several limits is
 * chosen, since only packing shows how well widths fit together (Turek, Wolf & Yu 1992, Proc SPAA
 * 92:323, who pack each of a series of allotments and keep the best).
 *
 * In a second search a trial that would use its ranks badly gets fewer, unless it would then take
 * nearly as long as the best end found.
 *
 * Pure: no clock, no I/O. */
#ifndef SCHED_ALLOT_H
#define SCHED_ALLOT_H

#include <stdint.h>

#include "base/err.h"
#include "sched/speedup.h"

struct allot_task {
    int32_t group;        /* the caller's */
    int32_t n;            /* equal trials */
    int32_t fewest, most; /* ranks of each */
    int32_t width;        /* out */
    int32_t fastest;      /* out: the width at which it ends soonest */
    double one_s;         /* a trial's seconds on one rank */
    double work_s;        /* out: ranks times seconds on the fewest */
    const struct speedup *speedup;
};

/* Ranks that are free from at_s on. */
struct allot_free {
    double at_s;
    int32_t n;
};

struct allot {
    struct allot_task *tasks; /* [n_tasks] */
    struct allot_free *free;  /* [n_free] */
    int32_t n_tasks, n_free;
    int32_t per_host;                /* ranks of the largest host */
    struct allot_free *heap, *taken; /* scratch */
    int32_t n_heap;
};

/* Take memory for that many trials, all tasks together, on n_ranks. */
int allot_init(struct allot *allot, int32_t n_trials, int32_t n_ranks, int32_t per_host,
               struct err *err);
void allot_release(struct allot *allot);

/* Set the fewest ranks on which a trial takes at most most_s, else those on which it is fastest. */
void allot_limit(const struct allot *allot, struct allot_task *task, double most_s);

/* Set all widths, and return the seconds until all tasks have ended. Reorders tasks and free. No task
 * may need more ranks than there are. most_s: no trial should take longer; INFINITY: any time.
 * O(trials log) for each of some 100 limits. */
double allot_choose(struct allot *allot, double most_s);

#endif
