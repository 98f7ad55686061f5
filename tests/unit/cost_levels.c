/* SPDX-License-Identifier: BSD-3-Clause */
/* The cost model of trials whose work is unknown. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/rng.h"
#include "sched/cost.h"

enum { MOST_AXES = 20, MOST_CONFIGS = 100000 };

/* A full grid. The true seconds are 10 times a factor for each level. */
struct grid {
    struct cost_axis axes[MOST_AXES];
    int32_t n_axes, n_configs;
    double factors[MOST_AXES][64];
    double noise, garbage; /* sd of the logarithm; share that is wrong by a factor of 1000 */
    int32_t *points;
    struct rng rng;
    struct cost *cost;
};

static void grid_init(struct grid *g, int32_t n_configs)
{
    struct cost_levels levels = {.axes = g->axes, .n_axes = g->n_axes};

    g->n_configs = n_configs;
    rng_init(&g->rng, hash_text("levels"), RNG_SIMULATE);
    g->points = calloc((size_t)n_configs, sizeof *g->points);
    assert_non_null(g->points);
    for (int32_t i = 0; i < n_configs; i++)
        g->points[i] = i;
    levels.points = g->points;
    g->cost = cost_create_levels(&levels, n_configs, 2, NULL);
    assert_non_null(g->cost);
}

static void grid_release(struct grid *g)
{
    cost_destroy(g->cost);
    free(g->points);
}

static double truth(const struct grid *g, int32_t config)
{
    double s = 10;

    for (int32_t a = g->n_axes - 1; a >= 0; a--) {
        s *= g->factors[a][config % g->axes[a].n];
        config /= g->axes[a].n;
    }
    return s;
}

static void teach(struct grid *g, int32_t config)
{
    double s = truth(g, config) * exp(g->noise * rng_normal(&g->rng, 1, (uint32_t)config));
    double luck = rng_uniform(&g->rng, 2, (uint32_t)config);

    if (luck < g->garbage)
        s *= luck < g->garbage / 2 ? 1000 : 0.001;
    cost_observe(g->cost, config, -1, s);
    cost_refit(g->cost);
}

static double off(const struct grid *g, int32_t config)
{
    return fabs(log(cost_seconds(g->cost, config) / truth(g, config)));
}

static int ascending(const void *a_, const void *b_)
{
    const double *a = a_, *b = b_;

    return (*a > *b) - (*a < *b);
}

/* Teach a random share of the configurations; return the q-th quantile of the errors of the
 * others. */
static double learn(struct grid *g, double share, double q)
{
    double *errors = malloc((size_t)g->n_configs * sizeof *errors), found;
    int32_t n = 0;

    assert_non_null(errors);
    for (int32_t i = 0; i < g->n_configs; i++)
        if (rng_uniform(&g->rng, 3, (uint32_t)i) < share)
            teach(g, i);
    for (int32_t i = 0; i < g->n_configs; i++)
        if (rng_uniform(&g->rng, 3, (uint32_t)i) >= share)
            errors[n++] = off(g, i);
    assert_true(n > 0);
    qsort(errors, (size_t)n, sizeof *errors, ascending);
    found = errors[(int32_t)(q * (n - 1))];
    free(errors);
    return found;
}

/* 6 x 5 x 4 x 3 values that are no numbers, with factors of up to 8. */
static void words(struct grid *g, double noise, double garbage)
{
    memset(g, 0, sizeof *g);
    g->n_axes = 4;
    g->noise = noise;
    g->garbage = garbage;
    rng_init(&g->rng, hash_text("levels"), RNG_SIMULATE);
    for (int32_t a = 0; a < 4; a++) {
        g->axes[a].n = 6 - a;
        for (int32_t l = 0; l < 6 - a; l++)
            g->factors[a][l] = exp(2 * rng_uniform(&g->rng, 4, (uint32_t)(10 * a + l)));
    }
    grid_init(g, 6 * 5 * 4 * 3);
}

static void test_additive(void **state)
{
    static const double shares[] = {0.1, 0.3, 0.6};
    static const double bounds[] = {0.25, 0.1, 0.06};
    struct grid g;

    (void)state;
    for (int i = 0; i < 3; i++) {
        double median;

        words(&g, 0.1, 0);
        median = learn(&g, shares[i], 0.5);
        print_message("%.0f %% of the grid measured: off by %.3f\n", 100 * shares[i], median);
        assert_true(median < bounds[i]);
        grid_release(&g);
    }
}

static void test_outliers(void **state)
{
    struct grid g;
    double median;

    (void)state;
    words(&g, 0.1, 0.1);
    median = learn(&g, 0.5, 0.5);
    print_message("one in ten is wrong by a factor of 1000: off by %.3f\n", median);
    assert_true(median < 0.12);
    grid_release(&g);
}

/* seconds ~ filters^1.4 x epochs, of which some values were never run. */
static void numbers(struct grid *g)
{
    static const double filters[] = {8, 16, 32, 64, 128, 256};
    static const double epochs[] = {1, 2, 5, 10, 20, 50, 100};

    memset(g, 0, sizeof *g);
    g->n_axes = 2;
    g->noise = 0.05;
    g->axes[0] = (struct cost_axis){filters, 6};
    g->axes[1] = (struct cost_axis){epochs, 7};
    for (int i = 0; i < 6; i++)
        g->factors[0][i] = pow(filters[i], 1.4);
    for (int i = 0; i < 7; i++)
        g->factors[1][i] = epochs[i];
    grid_init(g, 42);
}

static void test_power_law(void **state)
{
    struct grid g;

    (void)state;
    numbers(&g);
    for (int32_t f = 0; f < 4; f++)
        for (int32_t e = 0; e < 5; e += 2)
            teach(&g, f * 7 + e);
    print_message("between: %.3f, beyond one: %.3f, beyond both: %.3f\n", off(&g, 7 + 1),
                  off(&g, 2 * 7 + 6), off(&g, 41));
    assert_true(off(&g, 7 + 1) < 0.15);
    assert_true(off(&g, 2 * 7 + 6) < 0.3);
    assert_true(off(&g, 5 * 7 + 2) < 0.3);
    assert_true(off(&g, 41) < 0.5);
    grid_release(&g);
}

/* A program that needs a second to start and takes 0.1 s an epoch is no power law. */
static void test_curve(void **state)
{
    static const double epochs[] = {1, 2, 4, 8, 16, 32, 64, 128, 256};
    struct grid g = {.n_axes = 1, .noise = 0.02, .axes = {{epochs, 9}}};

    (void)state;
    for (int i = 0; i < 9; i++)
        g.factors[0][i] = 1 + 0.1 * epochs[i];
    grid_init(&g, 9);
    for (int32_t i = 0; i < 18; i += 2)
        teach(&g, i % 10);
    for (int32_t i = 1; i < 9; i += 2) {
        print_message("%g epochs: off by %.3f\n", epochs[i], off(&g, i));
        assert_true(off(&g, i) < 0.2);
    }
    grid_release(&g);
}

static void test_zero_and_words_among_numbers(void **state)
{
    static const double values[] = {0, 10, NAN, 20, 40, 80};
    struct grid g = {.n_axes = 1, .axes = {{values, 6}}};

    (void)state;
    for (int i = 0; i < 6; i++)
        g.factors[0][i] = isnan(values[i]) ? 100 : 1 + values[i];
    grid_init(&g, 6);
    for (int32_t i = 0; i < 6; i++)
        if (i != 3)
            teach(&g, i);
    assert_true(off(&g, 3) < 0.35);
    grid_release(&g);
}

static void test_never_seen(void **state)
{
    struct grid g;

    (void)state;
    words(&g, 0.05, 0);
    for (int32_t i = 0; i < 5 * 60; i++) /* the last value of the first axis is never seen */
        teach(&g, i * 77 % (5 * 60));
    for (int32_t i = 5 * 60; i < 6 * 60; i++) {
        double mean = 1;

        for (int32_t l = 0; l < 5; l++)
            mean *= pow(truth(&g, i % 60 + 60 * l), 0.2);
        assert_float_equal(cost_seconds(g.cost, i) / mean, 1, 0.1);
    }
    grid_release(&g);
}

static void test_nothing_known(void **state)
{
    struct grid g;

    (void)state;
    words(&g, 0, 0);
    assert_false(cost_is_known(g.cost));
    assert_false(cost_is_measured(g.cost));
    assert_false(cost_refit(g.cost));
    for (int32_t i = 0; i < g.n_configs; i++)
        assert_true(cost_seconds(g.cost, i) >= 1);
    cost_observe(g.cost, 7, 0, (double)NAN);
    cost_observe(g.cost, 7, 0, 0);
    cost_observe(g.cost, 7, 0, INFINITY);
    assert_false(cost_is_known(g.cost));
    cost_observe(g.cost, 7, 0, 7200);
    assert_true(cost_refit(g.cost));
    assert_true(cost_is_known(g.cost));
    for (int32_t i = 0; i < g.n_configs; i++)
        assert_float_equal(cost_seconds(g.cost, i) / 7200, 1, 0.01);
    grid_release(&g);
}

/* The longest guesses, whose trials run first, have every value of each axis. */
static void test_guesses_spread(void **state)
{
    struct grid g;
    bool seen[4][6] = {{false}};
    double order[6 * 5 * 4 * 3], least;
    int n = 0;

    (void)state;
    words(&g, 0, 0);
    for (int32_t i = 0; i < g.n_configs; i++)
        order[i] = cost_seconds(g.cost, i);
    qsort(order, (size_t)g.n_configs, sizeof *order, ascending);
    least = order[g.n_configs - 24];
    for (int32_t i = 0; i < g.n_configs; i++)
        n += order[i] >= least;
    assert_int_equal(n, 24);
    for (int32_t i = 0; i < g.n_configs; i++)
        for (int32_t a = 3, rest = i; a >= 0; rest /= g.axes[a--].n)
            seen[a][rest % g.axes[a].n] |= cost_seconds(g.cost, i) >= least;
    for (int32_t a = 0; a < 4; a++)
        for (int32_t l = 0; l < g.axes[a].n; l++)
            if (!seen[a][l])
                fail_msg("axis %d: value %d is not among the first 24 trials", a, l);
    grid_release(&g);
}

static void test_no_axis(void **state)
{
    struct grid g = {.n_axes = 0};

    (void)state;
    grid_init(&g, 1);
    cost_observe(g.cost, 0, 0, 3);
    assert_true(cost_refit(g.cost));
    assert_float_equal(cost_seconds(g.cost, 0), 3, 0.01);
    grid_release(&g);
}

/* The mean of its own trials counts for a configuration that fits no product. */
static void test_own_mean(void **state)
{
    struct grid g;

    (void)state;
    words(&g, 0.02, 0);
    for (int32_t i = 1; i < g.n_configs; i += 2)
        teach(&g, i);
    for (int i = 0; i < 3; i++)
        cost_observe(g.cost, 10, 0, 5 * truth(&g, 10));
    assert_float_equal(cost_seconds(g.cost, 10) / truth(&g, 10) / 5, 1, 0.1);
    grid_release(&g);
}

static void test_same_again(void **state)
{
    struct grid g, h;

    (void)state;
    words(&g, 0.1, 0.02);
    words(&h, 0.1, 0.02);
    learn(&g, 0.4, 0.5);
    learn(&h, 0.4, 0.5);
    for (int32_t i = 0; i < g.n_configs; i++)
        assert_true(cost_seconds(g.cost, i) == cost_seconds(h.cost, i));
    grid_release(&g);
    grid_release(&h);
}

static void test_many(void **state)
{
    struct grid g = {.n_axes = 5, .noise = 0.1};
    double begun_s, observe_s = 0, all_s;
    int n_news = 0;

    (void)state;
    for (int a = 0; a < 5; a++) {
        g.axes[a].n = 10;
        for (int l = 0; l < 10; l++)
            g.factors[a][l] = 1 + 0.2 * l * a;
    }
    grid_init(&g, MOST_CONFIGS);
    begun_s = clock_now(&clock_thread);
    for (int32_t i = 0; i < MOST_CONFIGS; i++) {
        cost_observe(g.cost, i * 7919 % MOST_CONFIGS, i % 2, truth(&g, i * 7919 % MOST_CONFIGS));
        n_news += cost_refit(g.cost);
    }
    observe_s = clock_now(&clock_thread) - begun_s;
    begun_s = clock_now(&clock_thread);
    for (int32_t i = 0; i < MOST_CONFIGS; i++)
        assert_true(cost_seconds(g.cost, i) > 0);
    all_s = clock_now(&clock_thread) - begun_s;
    print_message("100,000 configurations: %.2f us to learn one, %.3f us to predict one, %d news\n",
                  observe_s / MOST_CONFIGS * 1e6, all_s / MOST_CONFIGS * 1e6, n_news);
    assert_in_range(n_news, 1, 30);
    grid_release(&g);
}

/* Many axes: a fit takes no longer than some hundred results. */
static void test_wide(void **state)
{
    enum { N = 4096 };
    struct grid g = {.n_axes = MOST_AXES};
    double begun_s;

    (void)state;
    for (int a = 0; a < MOST_AXES; a++) {
        g.axes[a].n = 2;
        g.factors[a][0] = 1;
        g.factors[a][1] = 1 + 0.1 * a;
    }
    grid_init(&g, N);
    for (int32_t i = 0; i < N; i++)
        cost_observe(g.cost, i, 0, truth(&g, i));
    begun_s = clock_now(&clock_thread);
    assert_true(cost_refit(g.cost));
    print_message("fit with %d axes: %.3f ms\n", MOST_AXES,
                  1e3 * (clock_now(&clock_thread) - begun_s));
    grid_release(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_additive),
        cmocka_unit_test(test_outliers),
        cmocka_unit_test(test_power_law),
        cmocka_unit_test(test_curve),
        cmocka_unit_test(test_zero_and_words_among_numbers),
        cmocka_unit_test(test_never_seen),
        cmocka_unit_test(test_nothing_known),
        cmocka_unit_test(test_guesses_spread),
        cmocka_unit_test(test_no_axis),
        cmocka_unit_test(test_own_mean),
        cmocka_unit_test(test_same_again),
        cmocka_unit_test(test_many),
        cmocka_unit_test(test_wide),
    };

    return cmocka_run_group_tests_name("cost_levels", tests, NULL, NULL);
}
