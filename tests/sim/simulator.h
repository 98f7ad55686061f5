/* SPDX-License-Identifier: BSD-3-Clause */
/* A sweep without ranks: the real ledger, cost model and dispatch policy, simulated workers and
 * wire. Workers act as in sched/worker.c: they send results in groups, and return their queue from
 * inside a long trial. */
#ifndef SIMULATOR_H
#define SIMULATOR_H

#include <stdbool.h>
#include <stdint.h>

#include "sched/cost.h"

struct sim {
    int32_t n_workers;
    int64_t n_trials, group_size;
    /* All that the cost model knows, of n_trials / group_size configurations: */
    const struct gcn_cost *work;                       /* NULL: programs */
    double (*seconds)(const void *arg, int64_t trial); /* true seconds on a worker of slowness 1 */
    const void *arg;
    const double *slowness; /* [n_workers]; NULL: all 1 */
    double latency_s;       /* of a message, one way */
    double message_s;       /* of the scheduler, for each message */
    double result_s;        /* of the scheduler, for each result in a message */

    /* Faults; each may be zero. */
    const double *dies_s;  /* [n_workers] time of death; INFINITY: never; NULL: no deaths */
    const double *hangs_s; /* [n_workers] the same for one hang of hang_s */
    double hang_s;
    double notice_s;    /* until the scheduler notices; above latency_s */
    double heartbeat_s; /* of a trial that runs this long; 0: no reports */
    bool (*is_poison)(const void *arg, int64_t trial); /* kills its worker at its end; NULL: none */
    int32_t crash_limit;                               /* 0 means 2 */
    double until_s; /* walltime; a trial that exceeds it is not stopped; 0: no limit */
};

struct sim_report {
    double makespan_s;
    double bound_s;        /* lower bound: all work over all speeds, or the longest trial */
    double idle;           /* share of the workers' time */
    double longest_wait_s; /* of an idle worker, for a trial that it then got */
    double scheduler_s;    /* real time in dispatch_*() */
    double off;            /* median of |log(predicted / true)| */
    int64_t n_messages;    /* to the scheduler */
    int64_t n_wrong;       /* trials that did not end exactly once, suspects in a forbidden place */
    int64_t n_duplicates;  /* results that were already known */
    int32_t n_lost, n_returned;
    int64_t n_failed;   /* trials failed by the crash limit */
    int64_t n_innocent; /* of these, not poison */
    int64_t n_late;     /* trials that ended after until_s */
    double late_s;      /* the time wasted on them */
    double capacity_s;  /* lower bound with these deaths, or INFINITY */
    double done_s;      /* of trials that were done, on a worker of slowness 1 */
};

struct sim_report sim_run(const struct sim *sim);

#endif
