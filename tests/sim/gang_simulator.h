/* SPDX-License-Identifier: BSD-3-Clause */
/* A sweep of gangs and single trials over the real ledger, cost model and dispatch policy. The wire
 * takes no time; workers may die. */
#ifndef GANG_SIMULATOR_H
#define GANG_SIMULATOR_H

#include <stdint.h>

#include "sched/dispatch.h"

enum { GANG_SIM_MOST_WORKERS = 1024 };

struct gang_sim {
    const char *name; /* for messages; seeds the deaths */
    int32_t n_workers, per_host;
    int64_t n_trials;
    int32_t group_size;
    const double *seconds;       /* [n_trials] true ones */
    const int32_t *widths;       /* [n_groups] */
    const struct gcn_cost *work; /* [n_groups] all that the cost model knows */
    int32_t n_deaths;            /* at random times before deaths_s */
    double deaths_s;
};

struct gang_sim_report {
    double makespan_s;
    double area_s;               /* ranks times seconds of all that ended */
    double longest_idle_s;       /* of a live worker while a single trial was pending */
    double real_s;               /* of the scheduler */
    int64_t n_gangs, n_together; /* gangs that one host could hold; that one host had */
    int64_t n_wide;              /* gangs in all */
    int32_t widest;
};

/* Fails the test if a rule is broken. */
struct gang_sim_report gang_sim_run(const struct gang_sim *sim);

#endif
