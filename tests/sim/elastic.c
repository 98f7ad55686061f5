/* SPDX-License-Identifier: BSD-3-Clause */
/* Sweeps of trainings whose number of ranks the scheduler chooses: how close they come to the best
 * possible schedule, and how one rank each or a fixed number compares. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/rng.h"
#include "gang_simulator.h"

enum { GROUP = 5, MOST_TRIALS = 5000, MOST_CONFIGS = MOST_TRIALS / GROUP };
/* A step of a training on one rank takes STEP_S and ends with a sum of SUM_BYTES. By sched/speedup.h
 * sums take 2 % of the time of 32 ranks on one host, and 14 % of that of 64 on two. */
#define STEP_S 0.645
#define SUM_BYTES 1e6
#define MEAN_S 600.0

enum width { NARROW, EIGHT, CHOSEN };

struct scene {
    const char *name;
    int32_t n_ranks, per_host;
    int64_t n_trials;
    int32_t n_giants; /* configurations */
    double giant;     /* times the mean */
    double sd;        /* lognormal seconds; sd of the logarithm */
    double quirk;     /* sd of the logarithm by configuration, unknown to the cost model */
    int32_t workers;
    int32_t n_probes; /* configurations measured before the start */
    int32_t n_deaths;
    double most; /* makespan allowed, times the bound */
};

struct sweep {
    struct gang_sim sim;
    double seconds[MOST_TRIALS];
    struct gcn_cost work[MOST_CONFIGS];
    struct elastic_rule rules[MOST_CONFIGS];
};

static void draw_seconds(struct sweep *s, const struct scene *scene)
{
    struct rng rng;
    double sd = scene->sd;

    rng_init(&rng, hash_text(scene->name), RNG_SIMULATE);
    for (uint32_t c = 0; c < scene->n_trials / GROUP; c++) {
        double base_s = MEAN_S * exp(sd * rng_normal(&rng, 1, c) - sd * sd / 2);
        double quirk = exp(scene->quirk * rng_normal(&rng, 2, c));

        if (c < (uint32_t)scene->n_giants)
            base_s = scene->giant * MEAN_S;
        s->work[c] = (struct gcn_cost){.flops = base_s * 1e10};
        for (uint32_t i = c * GROUP; i < (c + 1) * GROUP; i++)
            s->seconds[i] = base_s * quirk * exp(0.02 * rng_normal(&rng, 4, i));
    }
}

static void set_rules(struct sweep *s, const struct scene *scene, enum width width)
{
    for (int64_t c = 0; c < scene->n_trials / GROUP; c++) {
        struct speedup speedup = {
            .parts = scene->workers, .steps = s->work[c].flops / 1e10 / STEP_S, .bytes = SUM_BYTES};

        s->rules[c] = (struct elastic_rule){.fewest = 1,
                                            .most = width == NARROW  ? 1
                                                    : width == EIGHT ? 8
                                                                     : scene->workers,
                                            .is_chosen = width == CHOSEN,
                                            .speedup = speedup};
    }
}

static void init(struct sweep *s, const struct scene *scene)
{
    draw_seconds(s, scene);
    set_rules(s, scene, CHOSEN);
    s->sim = (struct gang_sim){.name = scene->name,
                               .n_workers = scene->n_ranks,
                               .per_host = scene->per_host,
                               .n_trials = scene->n_trials,
                               .group_size = GROUP,
                               .seconds = s->seconds,
                               .rules = s->rules,
                               .work = s->work,
                               .n_probes = scene->n_probes,
                               .n_deaths = scene->n_deaths};
}

/* No schedule is shorter: all work on all ranks at the efficiency of one, or the longest trial on the
 * ranks on which it is fastest. */
static double bound_s(const struct sweep *s)
{
    double work_s = 0, longest_s = 0;

    for (int64_t i = 0; i < s->sim.n_trials; i++) {
        double least_s = s->seconds[i];

        for (int32_t n = 2; n <= s->rules[i / GROUP].most && n <= s->sim.n_workers; n++)
            least_s = fmin(least_s, gang_sim_seconds(&s->sim, i, n));
        work_s += s->seconds[i];
        longest_s = fmax(longest_s, least_s);
    }
    return fmax(work_s / s->sim.n_workers, longest_s);
}

static void play(const struct scene *scene)
{
    struct sweep *s = calloc(1, sizeof *s);
    struct gang_sim_report chosen, narrow, eight;
    double best_s;

    assert_non_null(s);
    init(s, scene);
    best_s = bound_s(s);
    s->sim.deaths_s = 0.8 * best_s;
    chosen = gang_sim_run(&s->sim);
    set_rules(s, scene, NARROW);
    narrow = gang_sim_run(&s->sim);
    set_rules(s, scene, EIGHT);
    eight = gang_sim_run(&s->sim);
    print_message(
        "%s: %.3f times the bound of %.0f s; one rank each: %.3f; 8 ranks each: %.3f; %ld "
        "gangs of up to %d ranks, %.3f of the ranks busy, %.0f us a trial\n",
        scene->name, chosen.makespan_s / best_s, best_s, narrow.makespan_s / best_s,
        eight.makespan_s / best_s, (long)chosen.n_wide, chosen.widest,
        chosen.area_s / chosen.makespan_s / scene->n_ranks,
        chosen.real_s * 1e6 / (double)scene->n_trials);
    if (chosen.makespan_s > scene->most * best_s)
        fail_msg("%s: %.4f times the bound, wanted %.4f", scene->name, chosen.makespan_s / best_s,
                 scene->most);
    if (chosen.makespan_s > 1.01 * narrow.makespan_s)
        fail_msg("%s: slower than one rank each", scene->name);
    free(s);
}

static void test_makespan(void **state)
{
    static const struct scene scenes[] = {
        {"200 trials, W = 64", 1024, 32, 200, 2, 8, 0.94, 0, 64, 7, 0, 1.1},
        {"200 trials, W = 1024", 1024, 32, 200, 2, 8, 0.94, 0, 1024, 7, 0, 1.1},
        {"larger giants, W = 64", 1024, 32, 200, 2, 20, 0.94, 0, 64, 7, 0, 1.1},
        {"larger giants, W = 1024", 1024, 32, 200, 2, 20, 0.94, 0, 1024, 7, 0, 1.1},
        {"no giants", 1024, 32, 200, 0, 0, 0.94, 0, 64, 7, 0, 1.1},
        {"hosts of 128", 1024, 128, 200, 2, 8, 0.94, 0, 64, 7, 0, 1.1},
        {"20 % off", 1024, 32, 200, 2, 8, 0.94, 0.2, 64, 7, 0, 1.15},
        {"50 % off, no probes", 1024, 32, 200, 2, 8, 0.94, 0.5, 64, 0, 0, 2},
        {"20 deaths", 1024, 32, 200, 2, 8, 0.94, 0, 64, 7, 20, 1.6},
        {"1,000 trials", 1024, 32, 1000, 0, 0, 0.94, 0.2, 64, 7, 0, 1.1},
        {"5,000 trials", 1024, 32, 5000, 0, 0, 0.94, 0.2, 64, 7, 0, 1.02},
        {"5,000 trials alike", 1024, 32, 5000, 0, 0, 0, 0, 64, 7, 0, 1.03},
        {"5,000 trials on 64 ranks", 64, 32, 5000, 0, 0, 0.94, 0.2, 64, 7, 0, 1.01},
        {"20 trials on 8 ranks", 8, 8, 20, 0, 0, 0.94, 0, 8, 7, 0, 1.05},
    };

    (void)state;
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++)
        play(&scenes[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_makespan),
    };

    return cmocka_run_group_tests_name("sim/elastic", tests, NULL, NULL);
}
