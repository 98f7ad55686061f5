/* SPDX-License-Identifier: BSD-3-Clause */
/* A sweep without ranks: the real ledger, cost model and dispatch policy between simulated workers
 * (as in sched/worker.c: results in groups, a queue given back from inside a long trial) and a
 * simulated wire; workers that die, hang or meet a trial that kills them, and a walltime. */
#ifndef SIMULATOR_H
#define SIMULATOR_H

#include <stdbool.h>
#include <stdint.h>

#include "gcn/train.h"

struct sim {
    int32_t n_workers;
    int64_t n_trials, group_size;
    const struct gcn_cost *work; /* [n_trials / group_size] all that the cost model is told */
    double (*seconds)(const void *arg, int64_t trial); /* true ones, on a worker of slowness 1 */
    const void *arg;
    const double *slowness; /* [n_workers]; NULL: all 1 */
    double latency_s;       /* of a message, one way */
    double message_s;       /* of the scheduler, for a message */
    double result_s;        /* and for each result in it */

    /* Faults; all may be zero. */
    const double *dies_s;  /* [n_workers] when it dies; INFINITY: never; NULL: none does */
    const double *hangs_s; /* [n_workers] the same of hanging, once, for hang_s */
    double hang_s;
    double notice_s;    /* until the scheduler knows that one died or hangs; above latency_s */
    double heartbeat_s; /* a trial that runs so long has said that it runs; 0: none says so */
    bool (*is_poison)(const void *arg, int64_t trial); /* kills its worker as it ends; NULL: none */
    int32_t crash_limit;                               /* 0: 2 */
    double until_s; /* all must be over by then; nobody stops what is not; 0: no limit */
};

struct sim_report {
    double makespan_s;
    double bound_s; /* no schedule is shorter: all work over all speeds, or the longest trial */
    double idle;    /* share of the workers' time */
    double longest_wait_s; /* of a worker that had nothing to do, for a trial that it got */
    double scheduler_s;    /* real time in dispatch_*() */
    double off;            /* median of |log(predicted / true)| */
    int64_t n_messages;    /* to the scheduler */
    int64_t n_wrong;       /* trials that did not end exactly once, suspects where none may be */
    int64_t n_duplicates;  /* results that were known */
    int32_t n_lost, n_returned; /* workers */
    int64_t n_failed;           /* trials, by the crash limit */
    int64_t n_innocent;         /* of them no poison */
    int64_t n_late;             /* trials that ended after until_s */
    double late_s;              /* what they had taken by then: for nothing */
    double capacity_s; /* no schedule is shorter with these deaths; INFINITY: they cannot do it */
    double done_s;     /* of trials that were done, on a worker of slowness 1 */
};

struct sim_report sim_run(const struct sim *sim);

#endif
