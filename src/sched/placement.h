/* SPDX-License-Identifier: BSD-3-Clause */
/* Choose the workers of a gang by host and by the time when they are free. Pure. */
#ifndef SCHED_PLACEMENT_H
#define SCHED_PLACEMENT_H

#include <stdint.h>

#include "base/err.h"

struct placement {
    int32_t n_workers, n_hosts;
    int32_t *host_of; /* [n_workers] in [0, n_hosts) */
    int32_t *by_host; /* [n_workers] workers, host by host */
    int32_t *start;   /* [n_hosts + 1] the host's first place in by_host */
    int32_t largest_host;
    double *scratch; /* [n_workers] */
    int32_t *n_free; /* [n_hosts] scratch */
};

/* hosts: [n_workers] any number for each host; NULL: one host. */
int placement_init(struct placement *placement, int32_t n_workers, const int32_t *hosts,
                   struct err *err);
void placement_release(struct placement *placement);

/* Choose n workers that are free soonest; return the seconds until the last of them is.
 * INFINITY: fewer than n may be chosen; out is undefined.
 *
 *   out         [n] grouped by host
 *   free_s      [n_workers] seconds until each worker is free; INFINITY: it may not be chosen
 *   patience_s  one host is chosen unless several hosts have n free workers earlier by more than
 *               this
 *
 * If several hosts are free at the same time, the one with the fewest free workers is chosen
 * (best fit). If one host does not suffice, as few as possible are. O(workers). */
double placement_choose(struct placement *placement, int32_t *out, const double *free_s, int32_t n,
                        double patience_s);

#endif
