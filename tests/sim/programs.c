/* SPDX-License-Identifier: BSD-3-Clause */
/* Whole sweeps of programs, whose seconds are learnt as trials finish. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/rng.h"
#include "simulator.h"

enum { AXES = 6, MOST = 20000 };

/* The grid of a small convolutional network. */
static const double filters[] = {16, 32, 64, 128};
static const double dense[] = {32, 64, 128, 256};
static const double batch[] = {16, 32, 64, 128, 256};
static const double rate[] = {1e-4, 1e-3, 1e-2};
static const double dropout[] = {0, 0.2, 0.4, 0.5};
static const double part[] = {0.1, 0.2, 0.3};
static const struct {
    const double *numbers;
    int32_t n;
} axes[AXES] = {{filters, 4}, {dense, 4}, {batch, 5}, {rate, 3}, {dropout, 4}, {part, 3}};
enum { POINTS = 4 * 4 * 5 * 3 * 4 * 3 };

struct scene {
    int32_t points[MOST];
    double seconds[MOST];
    struct gcn_cost work[MOST];
    int64_t n;
};

static double value(int32_t *point, int axis)
{
    double v = axes[axis].numbers[*point % axes[axis].n];

    *point /= axes[axis].n;
    return v;
}

/* Start-up, then epochs whose time is a sum of products, with early stopping by luck. */
static double cnn_seconds(int32_t point, const struct rng *rng)
{
    uint32_t number = (uint32_t)point;
    double of_part = value(&point, 5), of_dropout = value(&point, 4), of_rate = value(&point, 3);
    double of_batch = value(&point, 2), of_dense = value(&point, 1), of_filters = value(&point, 0);
    double epochs = (of_rate < 1e-3 ? 30 : of_rate > 1e-3 ? 12 : 20) * (1 + of_dropout);

    epochs *= exp(0.25 * rng_normal(rng, 1, number));
    return 6 +
           epochs * (1 - of_part) *
               (0.02 * of_filters + 0.01 * of_dense + 60 / of_batch + 2e-4 * of_filters * of_dense);
}

static void cnn(struct scene *s, int64_t n, double scale)
{
    struct rng rng;

    rng_init(&rng, hash_text("programs"), RNG_SIMULATE);
    s->n = n;
    for (int32_t i = 0; i < n; i++) {
        s->points[i] = (int32_t)((int64_t)i * POINTS / n);
        s->seconds[i] = scale * cnn_seconds(s->points[i], &rng);
        s->work[i] = (struct gcn_cost){.flops = 1e10 * s->seconds[i]};
    }
}

static double seconds_of(const void *arg, int64_t trial)
{
    return ((const struct scene *)arg)->seconds[trial];
}

static struct sim_report play(const struct scene *s, int32_t n_workers, bool is_known,
                              double until_s)
{
    struct sim sim = {.n_workers = n_workers,
                      .n_trials = s->n,
                      .group_size = 1,
                      .work = is_known ? s->work : NULL,
                      .seconds = seconds_of,
                      .arg = s,
                      .latency_s = 1e-3,
                      .message_s = 5e-6,
                      .result_s = 20e-6,
                      .until_s = until_s};

    return sim_run(&sim);
}

/* Makespans with learnt seconds, relative to known ones. */
static void test_makespan(void **state)
{
    static const struct {
        int32_t n_workers;
        int64_t n;
        double most;
    } cases[] = {{2, 100, 1.05},  {8, 100, 1.25},  {16, 288, 1.25},
                 {64, 2880, 1.1}, {64, 288, 1.65}, {500, 2880, 1.75}};
    static struct scene s;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sim_report known, learnt;

        cnn(&s, cases[i].n, 1);
        known = play(&s, cases[i].n_workers, true, 0);
        learnt = play(&s, cases[i].n_workers, false, 0);
        print_message("%ld trials on %d ranks: %.4f x known seconds (%.3f x the bound), off by "
                      "%.2f\n",
                      (long)cases[i].n, cases[i].n_workers, learnt.makespan_s / known.makespan_s,
                      learnt.makespan_s / learnt.bound_s, learnt.off);
        assert_int_equal(known.n_wrong + learnt.n_wrong, 0);
        assert_true(learnt.makespan_s < cases[i].most * known.makespan_s);
    }
}

/* Programs that end at once go out in batches, so the scheduler answers in time. */
static void test_short_programs(void **state)
{
    static struct scene s;
    struct sim_report r;

    (void)state;
    cnn(&s, MOST, 1);
    for (int64_t i = 0; i < s.n; i++)
        s.seconds[i] = 1e-3;
    r = play(&s, 2, false, 0);
    print_message("1 ms: %.0f trials a second on 2 ranks, %ld messages\n",
                  (double)s.n / r.makespan_s, (long)r.n_messages);
    assert_int_equal(r.n_wrong, 0);
    assert_true(r.makespan_s < 1.1 * r.bound_s);
}

/* Short programs wait for no long one, though nothing announces it. */
static void test_long_among_short(void **state)
{
    static struct scene s;
    struct sim_report r;
    int32_t per_filters = 4 * 5 * 3 * 4 * 3;

    (void)state;
    cnn(&s, POINTS, 1);
    for (int64_t i = 0; i < s.n; i++)
        s.seconds[i] = s.points[i] / per_filters == 2 && i % 5 == 0 ? 100 : 1e-3;
    r = play(&s, 16, false, 0);
    print_message("144 trials of 100 s among 2,736 of 1 ms: %.3f x the bound\n",
                  r.makespan_s / r.bound_s);
    assert_int_equal(r.n_wrong, 0);
    assert_true(r.makespan_s < 1.02 * r.bound_s);
}

/* Near the walltime, learnt seconds waste little. */
static void test_walltime(void **state)
{
    static struct scene s;
    double until_s;
    struct sim_report known, learnt;

    (void)state;
    cnn(&s, POINTS, 1);
    until_s = 0.5 * play(&s, 16, true, 0).makespan_s;
    known = play(&s, 16, true, until_s);
    learnt = play(&s, 16, false, until_s);
    print_message("half the time, 16 ranks: done %.4f of it (known: %.4f), %ld trials cut off, "
                  "%.2g of the time\n",
                  learnt.done_s / 16 / until_s, known.done_s / 16 / until_s, (long)learnt.n_late,
                  learnt.late_s / 16 / until_s);
    assert_true(learnt.done_s > 0.95 * known.done_s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_makespan),
        cmocka_unit_test(test_short_programs),
        cmocka_unit_test(test_long_among_short),
        cmocka_unit_test(test_walltime),
    };

    return cmocka_run_group_tests_name("sim/programs", tests, NULL, NULL);
}
