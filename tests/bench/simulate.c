/* SPDX-License-Identifier: BSD-3-Clause */
/* Cost of the scheduler with up to 10,000 ranks and 10^6 trials: CSV lines
 * "case,value,unit,peer,target" on stdout. Ledger, cost model and dispatch policy are the real
 * ones, and their time is real; ranks, trials and wire are simulated (tests/sim/simulator.h).
 *
 * Trials are those of grids/ft10.ini as measured on one core of an AMD EPYC: 192 configurations x 2
 * folds took 0.05 to 1.9 s; their logarithm has mean -1.02 and sd 0.94. A configuration differs
 * from the formula by 8 percent, a trial from its repetition by 3. A message takes 50 us one way
 * and 5 us of rank 0's scheduler, each result in it 10 us (a no-op sweep commits 110,000 a
 * second). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "../sim/simulator.h"
#include "base/rng.h"
#include "gcn/cost.h"

#define FOLDS 5
#define MOST_TRIALS 1000000

struct sweep {
    float *seconds;        /* [MOST_TRIALS] */
    struct gcn_cost *work; /* [MOST_TRIALS / FOLDS] */
};

static double seconds_of(const void *arg, int64_t trial)
{
    return ((const struct sweep *)arg)->seconds[trial];
}

static int sweep_init(struct sweep *sweep)
{
    struct rng rng;

    sweep->seconds = malloc(MOST_TRIALS * sizeof *sweep->seconds);
    sweep->work = calloc(MOST_TRIALS / FOLDS, sizeof *sweep->work);
    if (!sweep->seconds || !sweep->work)
        return -1;
    rng_init(&rng, hash_text("simulate"), RNG_SIMULATE);
    for (uint32_t config = 0; config < MOST_TRIALS / FOLDS; config++) {
        double formula_s = exp(-1.02 + 0.94 * rng_normal(&rng, 1, config));
        double mean_s = formula_s * exp(0.08 * rng_normal(&rng, 2, config));

        sweep->work[config].flops = 1e11 * formula_s;
        for (uint32_t i = config * FOLDS; i < (config + 1) * FOLDS; i++)
            sweep->seconds[i] = (float)(mean_s * exp(0.03 * rng_normal(&rng, 3, i)));
    }
    return 0;
}

static struct sim_report simulate(const struct sweep *sweep, int32_t ranks, int64_t trials)
{
    struct sim sim = {.n_workers = ranks,
                      .n_trials = trials,
                      .group_size = FOLDS,
                      .work = sweep->work,
                      .seconds = seconds_of,
                      .arg = sweep,
                      .latency_s = 50e-6,
                      .message_s = 5e-6,
                      .result_s = 10e-6};

    return sim_run(&sim);
}

/* Return scheduler microseconds a trial, or -1 if a trial was lost. */
static double report(const struct sweep *sweep, int32_t ranks, int64_t trials)
{
    struct sim_report r = simulate(sweep, ranks, trials);
    double us = r.scheduler_s / (double)trials * 1e6;

    if (r.n_wrong) {
        fprintf(stderr, "simulate: %ld of %ld trials did not end once\n", (long)r.n_wrong,
                (long)trials);
        return -1;
    }
    printf("scheduler: %d ranks; %ld trials,%.2f,us/trial,none,20\n", ranks, (long)trials, us);
    printf("ranks idle: %d ranks; %ld trials,%.2f,%%,bound %.1f s; took %.2f times it,\n", ranks,
           (long)trials, 100 * r.idle, r.bound_s, r.makespan_s / r.bound_s);
    fflush(stdout);
    return us;
}

static int report_all(const struct sweep *sweep)
{
    static const int32_t ranks[] = {100, 1000, 10000};
    static const int64_t trials[] = {10000, 100000, MOST_TRIALS};
    double us[3][3];

    for (int r = 0; r < 3; r++)
        for (int t = 0; t < 3; t++)
            if ((us[r][t] = report(sweep, ranks[r], trials[t])) < 0)
                return 1;
    printf("scheduler: growth from 10^4 to 10^6 trials; 1000 ranks,%.2f,times,itself,flat\n",
           us[1][2] / us[1][0]);
    printf("scheduler: growth from 100 to 10000 ranks; 10^6 trials,%.2f,times,itself,\n",
           us[2][2] / us[0][2]);
    return 0;
}

int main(void)
{
    struct sweep sweep;
    int status = 1;

    if (sweep_init(&sweep))
        fprintf(stderr, "simulate: out of memory\n");
    else
        status = report_all(&sweep);
    free(sweep.seconds);
    free(sweep.work);
    return status;
}
