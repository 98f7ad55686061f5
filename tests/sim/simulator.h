/* A sweep without ranks: the real ledger, cost model and dispatch policy between simulated workers
 * (as in sched/worker.c: results in groups, a queue given back from inside a long trial) and a
 * simulated wire. */
#ifndef SIMULATOR_H
#define SIMULATOR_H

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
};

struct sim_report {
    double makespan_s;
    double bound_s; /* no schedule is shorter: all work over all speeds, or the longest trial */
    double idle;    /* share of the workers' time */
    double longest_wait_s; /* of a worker that had nothing to do, for a trial that it got */
    double scheduler_s;    /* real time in dispatch_*() */
    double off;            /* median of |log(predicted / true)| */
    int64_t n_messages;    /* to the scheduler */
    int64_t n_wrong;       /* trials that did not end exactly once */
};

struct sim_report sim_run(const struct sim *sim);

#endif
