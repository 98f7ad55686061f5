/* SPDX-License-Identifier: BSD-3-Clause */
/* A lower bound of the time that trials take on some ranks, for plans and for reports of runs. */
#ifndef SCHED_MAKESPAN_H
#define SCHED_MAKESPAN_H

#include <stddef.h>
#include <stdint.h>

/* Trials of one width. Several may have the same one. */
struct makespan_work {
    int64_t width; /* ranks of each trial, at least 1 */
    double all_s;  /* sum over the trials */
    double longest_s;
};

/* The reason why no schedule is faster. */
enum makespan_limit {
    MAKESPAN_EVEN,    /* the ranks have to do all the work */
    MAKESPAN_LONGEST, /* one trial takes as long */
    MAKESPAN_WIDE     /* only a few trials of `width` ranks or more fit into the launch at a time */
};

struct makespan {
    double seconds;
    enum makespan_limit limit; /* the first of those that give these seconds */
    int64_t width;             /* MAKESPAN_WIDE: of those trials; else 0 */
};

/* Return the largest of these, for R ranks of equal speed:
 *
 *     sum of width x seconds over all trials / R
 *     the longest trial
 *     for each width w: sum of seconds over the trials at least as wide / floor(R / w)
 *
 * Gangs of 2 need as long on 3 ranks as on 2. A trial wider than R counts as the only one on all
 * ranks. work: [n] inout, is sorted. Seconds may not be NaN. Pure. */
struct makespan makespan_bound(struct makespan_work *work, size_t n, int64_t n_ranks);

#endif
