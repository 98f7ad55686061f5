/* SPDX-License-Identifier: BSD-3-Clause */
/* Whole sweeps over the real ledger, cost model and dispatch policy. Workers die, hang and come
 * back, trials kill their workers, and time runs out. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/rng.h"
#include "sched/dispatch.h"
#include "simulator.h"

#define GROUP 5
#define MOST_TRIALS 200000
#define MOST_WORKERS 1000

/* As in grids/ft10.ini (tests/bench/simulate.c), or of a shape defined by the test. */
struct scene {
    double seconds[MOST_TRIALS];
    struct gcn_cost work[MOST_TRIALS / GROUP];
    bool is_poison[MOST_TRIALS];
    double dies_s[MOST_WORKERS], hangs_s[MOST_WORKERS];
    struct rng rng;
};

static struct scene scene;

static double seconds_of(const void *arg, int64_t trial)
{
    return ((const struct scene *)arg)->seconds[trial];
}

static bool is_poison(const void *arg, int64_t trial)
{
    return ((const struct scene *)arg)->is_poison[trial];
}

/* quirk, noise: sd of the logarithm, by configuration and by trial. */
static struct sim scene_init(int64_t n_trials, int32_t n_workers, double mean_s, double quirk,
                             double noise)
{
    rng_init(&scene.rng, hash_text("faults"), RNG_SIMULATE);
    for (uint32_t i = 0; i < n_trials; i++) {
        uint32_t config = i / GROUP;
        double formula_s = mean_s * exp(0.94 * rng_normal(&scene.rng, 1, config) - 0.44);

        scene.work[config] = (struct gcn_cost){.flops = formula_s * 1e11};
        scene.seconds[i] = formula_s * exp(quirk * rng_normal(&scene.rng, 2, config) +
                                           noise * rng_normal(&scene.rng, 3, i));
        scene.is_poison[i] = false;
    }
    for (int32_t w = 0; w < MOST_WORKERS; w++)
        scene.dies_s[w] = scene.hangs_s[w] = INFINITY;
    return (struct sim){.n_workers = n_workers,
                        .n_trials = n_trials,
                        .group_size = GROUP,
                        .work = scene.work,
                        .seconds = seconds_of,
                        .arg = &scene,
                        .dies_s = scene.dies_s,
                        .hangs_s = scene.hangs_s,
                        .is_poison = is_poison,
                        .latency_s = 1e-4,
                        .message_s = 5e-6,
                        .result_s = 10e-6,
                        .notice_s = 1,
                        .heartbeat_s = 0.25,
                        .crash_limit = 3};
}

static struct sim_report play(const char *name, const struct sim *sim)
{
    struct sim_report r = sim_run(sim);

    print_message("%s: took %.2f s, bound %.2f s, with the deaths %.2f s; %d lost, %d returned, "
                  "%ld failed, %ld duplicates\n",
                  name, r.makespan_s, r.bound_s, r.capacity_s, r.n_lost, r.n_returned,
                  (long)r.n_failed, (long)r.n_duplicates);
    if (r.n_wrong)
        fail_msg("%s: %ld things went wrong", name, (long)r.n_wrong);
    return r;
}

/* Kill one in ten at any time of the sweep, but never worker 0, with which the sweep ends. */
static int32_t kill_some(const struct sim *sim, double within_s)
{
    int32_t n = 0;

    for (int32_t w = 1; w < sim->n_workers; w++)
        if (rng_uniform(&scene.rng, 4, (uint32_t)w) < 0.1) {
            scene.dies_s[w] = within_s * rng_uniform(&scene.rng, 5, (uint32_t)w);
            n++;
        }
    return n;
}

static void test_one_in_ten_dies(void **state)
{
    struct sim sim = scene_init(MOST_TRIALS, 1000, 0.5, 0.1, 0.03);
    int32_t n = kill_some(&sim, 100);
    struct sim_report r = play("1000 ranks, 10 % die", &sim);

    (void)state;
    assert_in_range(n, 80, 120);
    assert_int_equal(r.n_lost, n);
    assert_int_equal(r.n_returned, 0);
    assert_int_equal(r.n_failed, 0);
    /* Each dead worker loses what it ran and an unnoticed second. The last trials to end are those
     * that ran on a worker that died. */
    assert_true(r.makespan_s < 1.05 * r.capacity_s + 2);
}

static void test_short_trials(void **state)
{
    struct sim sim = scene_init(MOST_TRIALS, 200, 0.005, 0.1, 0.03);
    int32_t n = kill_some(&sim, 4);
    struct sim_report r = play("5 ms, 10 % die", &sim);

    (void)state;
    assert_int_equal(r.n_lost, n);
    assert_int_equal(r.n_failed, 0);
    assert_true(r.makespan_s < 1.1 * r.capacity_s + 1.5);
}

/* A switch fails. */
static void test_most_die_at_once(void **state)
{
    struct sim sim = scene_init(20000, 100, 0.5, 0.1, 0.03);
    struct sim_report r;

    (void)state;
    for (int32_t w = 25; w < 100; w++)
        scene.dies_s[w] = 30;
    r = play("75 of 100 die at once", &sim);
    assert_int_equal(r.n_lost, 75);
    assert_int_equal(r.n_failed, 0);
    assert_true(r.makespan_s < 1.05 * r.capacity_s + 2);
}

static void test_all_die(void **state)
{
    struct sim sim = scene_init(1000, 10, 0.5, 0.1, 0.03);
    struct sim_report r;

    (void)state;
    for (int32_t w = 0; w < 10; w++)
        scene.dies_s[w] = 3 + w;
    r = play("all die", &sim);
    assert_int_equal(r.n_lost, 10);
    assert_true(isinf(r.capacity_s));
    assert_true(r.done_s > 20 && r.done_s < 75);
}

static void test_only_worker_0_is_left(void **state)
{
    struct sim sim = scene_init(1000, 10, 0.5, 0.1, 0.03);
    struct sim_report r;

    (void)state;
    for (int32_t w = 1; w < 10; w++)
        scene.dies_s[w] = 3 + w;
    r = play("only worker 0 is left", &sim);
    assert_int_equal(r.n_lost, 9);
    assert_int_equal(r.n_failed, 0);
    assert_true(r.makespan_s < 1.1 * r.capacity_s); /* the longest trials were lost half-way */
}

static void test_some_hang(void **state)
{
    struct sim sim = scene_init(50000, 250, 0.5, 0.1, 0.03);
    struct sim_report r;
    int32_t n = 0;

    (void)state;
    sim.hang_s = 5;
    for (int32_t w = 0; w < 250; w += 10, n++)
        scene.hangs_s[w] = 10 + 0.3 * w;
    r = play("25 hang", &sim);
    assert_int_equal(r.n_lost, n);
    assert_int_equal(r.n_returned, n);
    assert_int_equal(r.n_failed, 0);
    assert_true(r.n_duplicates > 0);
    assert_true(r.makespan_s < 1.05 * r.bound_s + 5);
}

static void poison_costs(const char *name, struct sim *sim, int64_t n_poison, int32_t most_lost)
{
    struct sim_report r = play(name, sim);

    assert_int_equal(r.n_failed, n_poison);
    assert_int_equal(r.n_innocent, 0);
    assert_in_range(r.n_lost, n_poison, most_lost);
}

static void test_poison(void **state)
{
    static const double mean_s[] = {0.0005, 0.02, 2};

    (void)state;
    for (size_t i = 0; i < sizeof mean_s / sizeof *mean_s; i++)
        for (int32_t limit = 1; limit <= 4; limit++) {
            struct sim sim = scene_init(5000, 40, mean_s[i], 0.1, 0.03);

            sim.crash_limit = limit;
            scene.is_poison[17] = scene.is_poison[2500] = scene.is_poison[4999] = true;
            poison_costs("poison", &sim, 3, 3 * (limit > 1 ? limit : 2));
        }
}

/* Short trials, many on a worker: no message identifies the one that crashed. */
static void test_poison_among_many(void **state)
{
    struct sim sim = scene_init(100000, 4, 1e-5, 0.1, 0.03);

    (void)state;
    scene.is_poison[40000] = true;
    poison_costs("poison among many", &sim, 1, 3);
    sim.crash_limit = 1;
    poison_costs("poison among many, limit 1", &sim, 1, 2);
}

/* ---- a walltime ---- */

/* Predictions are right: no trial ends too late, and shorter trials fill the remaining time. */
static void test_walltime(void **state)
{
    struct sim sim = scene_init(100000, 100, 2, 0, 0);
    struct sim_report r;

    (void)state;
    sim.until_s = 600;
    r = play("600 s", &sim);
    print_message("done %.4f of what 600 s hold, %ld too late\n", r.done_s / (600 * 100),
                  (long)r.n_late);
    assert_int_equal(r.n_late, 0);
    assert_true(r.done_s > 0.99 * 600 * 100);
}

/* Predictions are off by 30 %: each worker may start one trial too many. */
static void test_walltime_with_surprises(void **state)
{
    struct sim sim = scene_init(100000, 100, 2, 0.2, 0.2);
    struct sim_report r;

    (void)state;
    sim.until_s = 600;
    r = play("600 s, surprises", &sim);
    print_message("done %.4f of what 600 s hold, %ld too late, %.4f for nothing\n",
                  r.done_s / (600 * 100), (long)r.n_late, r.late_s / (600 * 100));
    assert_true(r.n_late <= 40);
    assert_true(r.late_s < 0.005 * 600 * 100);
    assert_true(r.done_s > 0.98 * 600 * 100);
}

/* Trials that do not fit remain, and their workers stay idle. */
static void test_walltime_that_is_too_short(void **state)
{
    struct sim sim = scene_init(1000, 10, 1, 0, 0);
    struct sim_report r;

    (void)state;
    for (int64_t i = 0; i < sim.n_trials; i++) {
        scene.seconds[i] = 10;
        scene.work[i / GROUP].flops = 1e12;
    }
    sim.until_s = 5;
    r = play("5 s for trials of 10", &sim);
    assert_true(r.done_s == 0 && r.n_late == 0);
    sim.until_s = 35;
    r = play("35 s for trials of 10", &sim);
    assert_true(r.done_s == 10 * 3 * 10 && r.n_late == 0);
}

static void test_walltime_with_deaths(void **state)
{
    struct sim sim = scene_init(100000, 100, 2, 0, 0);
    struct sim_report r;

    (void)state;
    kill_some(&sim, 600);
    scene.is_poison[50] = true;
    sim.until_s = 600;
    r = play("600 s, 10 % die", &sim);
    assert_int_equal(r.n_late, 0);
    assert_int_equal(r.n_innocent, 0);
    assert_true(r.done_s > 0.9 * 600 * 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_in_ten_dies),
        cmocka_unit_test(test_short_trials),
        cmocka_unit_test(test_most_die_at_once),
        cmocka_unit_test(test_all_die),
        cmocka_unit_test(test_only_worker_0_is_left),
        cmocka_unit_test(test_some_hang),
        cmocka_unit_test(test_poison),
        cmocka_unit_test(test_poison_among_many),
        cmocka_unit_test(test_walltime),
        cmocka_unit_test(test_walltime_with_surprises),
        cmocka_unit_test(test_walltime_that_is_too_short),
        cmocka_unit_test(test_walltime_with_deaths),
    };

    return cmocka_run_group_tests_name("sim/faults", tests, NULL, NULL);
}
