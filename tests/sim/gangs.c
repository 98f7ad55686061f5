/* SPDX-License-Identifier: BSD-3-Clause */
/* Sweeps of programs on fixed numbers of ranks: how close they come to the best possible schedule. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/rng.h"
#include "gang_simulator.h"
#include "sched/makespan.h"

#define GROUP 5
#define MOST_TRIALS 40000

struct scene {
    const char *name;
    int32_t n_workers, per_host;
    int64_t n_trials;
    int32_t most_width; /* widths are 1 to this, evenly */
    double mean_s, sd;  /* lognormal seconds; sd of the logarithm */
    double quirk;       /* sd of the logarithm by configuration, unknown to the cost model */
    int32_t n_deaths;
    double least; /* utilisation wanted */
};

struct sweep {
    struct gang_sim sim;
    double seconds[MOST_TRIALS];
    struct gcn_cost work[MOST_TRIALS / GROUP];
    int32_t widths[MOST_TRIALS / GROUP];
};

static void init(struct sweep *s, const struct scene *scene)
{
    struct rng rng;

    rng_init(&rng, hash_text(scene->name), RNG_SIMULATE);
    for (uint32_t c = 0; c < scene->n_trials / GROUP; c++) {
        double sd = scene->sd;
        double base_s = scene->mean_s * exp(sd * rng_normal(&rng, 1, c) - sd * sd / 2);
        double quirk = exp(scene->quirk * rng_normal(&rng, 2, c));

        s->widths[c] = 1 + (int32_t)(rng_uniform(&rng, 3, c) * scene->most_width);
        s->work[c] = (struct gcn_cost){.flops = base_s * 1e10};
        for (uint32_t i = c * GROUP; i < (c + 1) * GROUP; i++)
            s->seconds[i] = base_s * quirk * exp(0.05 * rng_normal(&rng, 4, i));
    }
    s->sim = (struct gang_sim){.name = scene->name,
                               .n_workers = scene->n_workers,
                               .per_host = scene->per_host,
                               .n_trials = scene->n_trials,
                               .group_size = GROUP,
                               .seconds = s->seconds,
                               .widths = s->widths,
                               .work = s->work,
                               .n_deaths = scene->n_deaths};
}

static double bound_s(const struct sweep *s)
{
    size_t n = (size_t)s->sim.n_trials;
    struct makespan_work *work = calloc(n, sizeof *work);
    double seconds;

    assert_non_null(work);
    for (size_t i = 0; i < n; i++)
        work[i] = (struct makespan_work){s->widths[i / GROUP], s->seconds[i], s->seconds[i]};
    seconds = makespan_bound(work, n, s->sim.n_workers).seconds;
    free(work);
    return seconds;
}

static void play(const struct scene *scene)
{
    struct sweep *s = calloc(1, sizeof *s);
    struct gang_sim_report r;
    double best_s, utilisation;

    assert_non_null(s);
    init(s, scene);
    best_s = bound_s(s);
    s->sim.deaths_s = 0.8 * best_s;
    r = gang_sim_run(&s->sim);
    utilisation = best_s / r.makespan_s;
    print_message("%s: utilisation %.4f of the bound of %.0f s; one host for %.3f of the gangs "
                  "that fit one; idle beside single trials for at most %.1f s; %.1f us a trial\n",
                  scene->name, utilisation, best_s,
                  (double)r.n_together / (double)(r.n_gangs ? r.n_gangs : 1), r.longest_idle_s,
                  r.real_s * 1e6 / (double)scene->n_trials);
    if (utilisation < scene->least)
        fail_msg("%s: utilisation %.4f, wanted %.4f", scene->name, utilisation, scene->least);
    free(s);
}

static void test_utilisation(void **state)
{
    static const struct scene scenes[] = {
        {"1,000 ranks, gangs of 1 to 16", 1000, 40, 20000, 16, 60, 0.94, 0.2, 0, 0.98},
        {"alike", 1000, 40, 6000, 16, 60, 0, 0, 0, 0.95},
        {"short", 1000, 40, 6000, 16, 0.2, 0.94, 0.2, 0, 0.95},
        {"one host", 1000, 1000, 6000, 16, 60, 0.94, 0.2, 0, 0.95},
        {"hosts of 10", 1000, 10, 6000, 16, 60, 0.94, 0.2, 0, 0.95},
        {"deaths", 1000, 40, 10000, 16, 60, 0.94, 0.2, 40, 0.95},
        {"pairs on 3 ranks", 3, 3, 300, 2, 60, 0.94, 0.2, 0, 0.95},
        {"up to 8 on 8 ranks", 8, 4, 400, 8, 60, 0.94, 0.2, 0, 0.95},
        {"up to 16 on 32 ranks", 32, 8, 2000, 16, 10, 0.94, 0.2, 0, 0.93},
    };

    (void)state;
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++)
        play(&scenes[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_utilisation),
    };

    return cmocka_run_group_tests_name("sim/gangs", tests, NULL, NULL);
}
