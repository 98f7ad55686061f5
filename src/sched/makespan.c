/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/makespan.h"

#include <stdlib.h>

/* Two sums of the same numbers in another order are equal. */
#define ROUNDING 1e-9

static int wide_first(const void *a_, const void *b_)
{
    const struct makespan_work *a = a_, *b = b_;

    return (a->width < b->width) - (a->width > b->width);
}

static void raise_to(struct makespan *bound, double seconds, enum makespan_limit limit,
                     int64_t width)
{
    if (seconds > bound->seconds * (1 + ROUNDING))
        *bound = (struct makespan){seconds, limit, width};
}

struct makespan makespan_bound(struct makespan_work *work, size_t n, int64_t n_ranks)
{
    struct makespan bound = {.limit = MAKESPAN_EVEN};
    double area_s = 0, longest_s = 0, wide_s = 0;

    for (size_t i = 0; i < n; i++) {
        area_s += work[i].all_s * (double)work[i].width;
        longest_s = work[i].longest_s > longest_s ? work[i].longest_s : longest_s;
    }
    raise_to(&bound, area_s / (double)n_ranks, MAKESPAN_EVEN, 0);
    raise_to(&bound, longest_s, MAKESPAN_LONGEST, 0);
    if (n)
        qsort(work, n, sizeof *work, wide_first);
    for (size_t i = 0; i < n; i++) {
        int64_t at_once = n_ranks / work[i].width;

        wide_s += work[i].all_s;
        raise_to(&bound, wide_s / (double)(at_once ? at_once : 1), MAKESPAN_WIDE, work[i].width);
    }
    return bound;
}
