/* SPDX-License-Identifier: BSD-3-Clause */
/* The cost model on simulated machines. */
#include <math.h>

#include "base/rng.h"
#include "sched/cost.h"
#include "unit.h"

#define N_CONFIGS 300
#define N_RANKS 6

/* seconds = formula of its coefficients, times the rank's slowness and noise. */
struct machine {
    double a, b, c, d;
    double noise;          /* sd of the logarithm */
    double garbage;        /* share of measurements wrong by a factor of 1000, either way */
    double quirk;          /* sd of the logarithm of a configuration's own factor */
    double ranks[N_RANKS]; /* slowness; 0 means 1 */
    struct gcn_cost work[N_CONFIGS];
    struct rng rng;
    uint32_t n_drawn;
};

/* Sizes span two decades; 1 to 64 steps an epoch. */
static void machine_init(struct machine *m)
{
    rng_init(&m->rng, hash_text("cost"), RNG_SIMULATE);
    for (uint32_t i = 0; i < N_CONFIGS; i++) {
        double size = pow(100, rng_uniform(&m->rng, 1, i));
        double steps = 100 * pow(2, floor(7 * rng_uniform(&m->rng, 2, i)));

        m->work[i] = (struct gcn_cost){.flops = 1e8 * size * (1 + rng_uniform(&m->rng, 3, i)),
                                       .bytes = 1e6 * sqrt(size) * steps,
                                       .steps = steps};
    }
}

static double truth(const struct machine *m, int32_t config)
{
    const struct gcn_cost *work = &m->work[config];
    double quirk = m->quirk * rng_normal(&m->rng, 4, (uint32_t)config);

    return (m->a * work->flops + m->b * work->bytes + m->c * work->steps + m->d) * exp(quirk);
}

static double measure(struct machine *m, int32_t config, int32_t rank)
{
    double slowness = rank >= 0 && m->ranks[rank] > 0 ? m->ranks[rank] : 1;
    double s = truth(m, config) * slowness * exp(m->noise * rng_normal(&m->rng, 5, m->n_drawn++));
    double luck = rng_uniform(&m->rng, 6, m->n_drawn);

    if (luck < m->garbage)
        s *= luck < m->garbage / 2 ? 1000 : 0.001;
    return s;
}

static void teach(struct cost *cost, struct machine *m, int32_t from, int32_t to)
{
    for (int32_t config = from; config < to; config++) {
        int32_t rank = config % N_RANKS;

        cost_observe(cost, config, rank, measure(m, config, rank));
        cost_refit(cost);
    }
}

static int ascending(const void *a_, const void *b_)
{
    const double *a = a_, *b = b_;

    return (*a > *b) - (*a < *b);
}

/* Return the share-th quantile of |log(predicted / true)| over configurations [from, to). */
static double off(const struct cost *cost, const struct machine *m, int32_t from, int32_t to,
                  double share)
{
    double errors[N_CONFIGS];
    int32_t n = to - from;

    for (int32_t i = 0; i < n; i++)
        errors[i] = fabs(log(cost_seconds(cost, from + i) / truth(m, from + i)));
    qsort(errors, (size_t)n, sizeof *errors, ascending);
    return errors[(int32_t)(share * (n - 1))];
}

static struct cost *new_cost(struct machine *m)
{
    struct cost *cost;

    machine_init(m);
    cost = cost_create(m->work, N_CONFIGS, N_RANKS, NULL);
    assert_non_null(cost);
    return cost;
}

static void test_coefficients_are_found(void **state)
{
    static const double machines[][4] = {
        {1e-11, 1e-11, 5e-5, 1e-3}, /* as expected */
        {4e-9, 1e-10, 1e-6, 1e-2},  /* flops dominate */
        {1e-13, 1e-9, 1e-6, 1e-4},  /* memory dominates */
        {1e-13, 1e-13, 2e-3, 0.1},  /* steps dominate */
    };

    (void)state;
    for (int i = 0; i < 4; i++) {
        const double *c = machines[i];
        struct machine m = {.a = c[0], .b = c[1], .c = c[2], .d = c[3], .noise = 0.03};
        struct cost *cost = new_cost(&m);

        teach(cost, &m, 0, N_CONFIGS / 2);
        if (off(cost, &m, N_CONFIGS / 2, N_CONFIGS, 0.9) > 0.05)
            fail_msg("machine %d: off by %.3f", i, off(cost, &m, N_CONFIGS / 2, N_CONFIGS, 0.9));
        cost_destroy(cost);
    }
    cost_destroy(NULL);
}

/* The seconds of other work. */
static void test_each_coefficient(void **state)
{
    static const struct gcn_cost other[4] = {{0}, {.flops = 1e10}, {.bytes = 1e9}, {.steps = 1e4}};
    static struct gcn_cost work[N_CONFIGS + 4];
    struct machine m = {.a = 2e-11, .b = 3e-11, .c = 1e-4, .d = 0.02, .noise = 0.01};
    struct cost *cost;
    double d_s;

    (void)state;
    machine_init(&m);
    memcpy(work, m.work, sizeof m.work);
    memcpy(work + N_CONFIGS, other, sizeof other);
    cost = cost_create(work, N_CONFIGS + 4, N_RANKS, NULL);
    assert_non_null(cost);
    teach(cost, &m, 0, N_CONFIGS);
    d_s = cost_seconds(cost, N_CONFIGS);
    assert_float_equal(d_s / m.d, 1, 0.15);
    assert_float_equal((cost_seconds(cost, N_CONFIGS + 1) - d_s) / 1e10 / m.a, 1, 0.1);
    assert_float_equal((cost_seconds(cost, N_CONFIGS + 2) - d_s) / 1e9 / m.b, 1, 0.1);
    assert_float_equal((cost_seconds(cost, N_CONFIGS + 3) - d_s) / 1e4 / m.c, 1, 0.1);
    cost_destroy(cost);
}

/* The time of a trial that ran in vain counts, whatever others of its configuration taught. */
static void test_at_least(void **state)
{
    static struct machine m = {.d = 1};
    struct cost *cost;

    (void)state;
    machine_init(&m);
    cost = cost_create(m.work, N_CONFIGS, 1, NULL);
    assert_non_null(cost);
    cost_observe(cost, 7, 0, 2);
    cost_at_least(cost, 7, 50);
    cost_at_least(cost, 7, 20);
    assert_true(cost_seconds(cost, 7) == 50);
    assert_true(cost_seconds(cost, 8) < 50);
    cost_observe(cost, 7, 0, 2);
    assert_true(fabs(cost_slowness(cost, 0) - 1) < 1e-6); /* the rank is no faster by that */
    assert_true(cost_seconds(cost, 7) == 50);
    cost_destroy(cost);
}

/* A configuration's first trial corrects the prediction of its others. */
static void test_a_configuration_corrects_itself(void **state)
{
    struct machine m = {.a = 1e-11, .b = 1e-11, .c = 5e-5, .d = 1e-3, .noise = 0.02, .quirk = 0.4};
    struct cost *cost = new_cost(&m);

    (void)state;
    teach(cost, &m, 0, N_CONFIGS / 2);
    assert_true(off(cost, &m, 0, N_CONFIGS / 2, 0.9) < 0.2);
    assert_true(off(cost, &m, N_CONFIGS / 2, N_CONFIGS, 0.9) > 0.5);
    for (int i = 0; i < 3; i++)
        teach(cost, &m, 0, N_CONFIGS / 2);
    assert_true(off(cost, &m, 0, N_CONFIGS / 2, 0.9) < 0.1);
    cost_destroy(cost);
}

static void test_slow_ranks(void **state)
{
    struct machine m = {
        .a = 1e-11, .b = 1e-11, .c = 5e-5, .d = 1e-3, .noise = 0.05, .ranks = {1, 1, 1, 2, 2, 8}};
    struct cost *cost = new_cost(&m);
    double fast;

    (void)state;
    assert_true(cost_slowness(cost, 5) == 1);
    teach(cost, &m, 0, N_CONFIGS);
    fast = cost_slowness(cost, 0);
    for (int32_t r = 0; r < N_RANKS; r++)
        assert_float_equal(cost_slowness(cost, r) / fast / m.ranks[r], 1, 0.3);
    /* Compare the product: the first trials were measured before the slow ranks were known. */
    for (int32_t i = N_CONFIGS / 2; i < N_CONFIGS; i += 17)
        assert_float_equal(cost_seconds(cost, i) * cost_slowness(cost, 5) / truth(&m, i) / 8, 1,
                           0.3);
    cost_destroy(cost);
}

static void test_garbage(void **state)
{
    struct machine m = {
        .a = 1e-11, .b = 1e-11, .c = 5e-5, .d = 1e-3, .noise = 0.03, .garbage = 0.1};
    struct cost *cost = new_cost(&m);
    double before;

    (void)state;
    teach(cost, &m, 0, N_CONFIGS / 2);
    assert_true(off(cost, &m, N_CONFIGS / 2, N_CONFIGS, 0.9) < 0.1);
    for (int32_t r = 0; r < N_RANKS; r++)
        assert_true(fabs(log(cost_slowness(cost, r))) < 0.4);
    before = cost_seconds(cost, 0);
    cost_observe(cost, 0, 0, 0);
    cost_observe(cost, 0, 0, -1);
    cost_observe(cost, 0, 0, (double)NAN);
    cost_observe(cost, 0, 0, (double)INFINITY);
    assert_true(cost_seconds(cost, 0) == before);
    for (int i = 0; i < 10; i++)
        cost_observe(cost, 1, 1, i == 5 ? 1e9 : truth(&m, 1));
    assert_true(fabs(log(cost_seconds(cost, 1) / truth(&m, 1))) < 0.25);
    cost_destroy(cost);
}

static void test_from_dear_to_cheap(void **state)
{
    struct machine m = {.a = 3e-11, .b = 2e-11, .c = 1e-4, .d = 2e-3, .noise = 0.03};
    struct cost *cost = new_cost(&m);
    double dear = 0;
    int32_t n = 0;

    (void)state;
    for (int32_t i = 0; i < N_CONFIGS; i++)
        dear = fmax(dear, truth(&m, i));
    for (int32_t i = 0; i < N_CONFIGS; i++) {
        if (truth(&m, i) < dear / 4)
            continue;
        cost_observe(cost, i, 0, measure(&m, i, 0));
        cost_refit(cost);
        n++;
    }
    assert_true(n > 10);
    assert_true(off(cost, &m, 0, N_CONFIGS, 0.9) < 0.35);
    cost_destroy(cost);
}

static void test_no_work(void **state)
{
    const struct gcn_cost nothing[2] = {{.flops = 0}, {.flops = 0}};
    struct cost *cost = cost_create(nothing, 2, 1, NULL);

    (void)state;
    assert_true(cost_seconds(cost, 0) > 0);
    assert_false(cost_refit(cost));
    for (int i = 0; i < 100; i++) {
        cost_observe(cost, 0, 0, 2e-6);
        cost_refit(cost);
    }
    assert_float_equal(cost_seconds(cost, 1) / 2e-6, 1, 0.1);
    cost_destroy(cost);
}

/* Each piece of news makes the caller set all prices anew, so cost_refit() ignores changes in the
 * last digits. */
static void test_news_grow_rare(void **state)
{
    struct machine m = {.a = 1e-11, .b = 1e-11, .c = 5e-5, .d = 1e-3, .noise = 0.1};
    struct cost *cost = new_cost(&m);
    int n_news = 0;

    (void)state;
    for (int i = 0; i < 20000; i++) {
        cost_observe(cost, i % N_CONFIGS, i % N_RANKS, measure(&m, i % N_CONFIGS, i % N_RANKS));
        n_news += cost_refit(cost);
        assert_true(i > 0 || n_news == 1);
    }
    assert_in_range(n_news, 3, 20);
    cost_destroy(cost);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_coefficients_are_found),
        cmocka_unit_test(test_each_coefficient),
        cmocka_unit_test(test_a_configuration_corrects_itself),
        cmocka_unit_test(test_at_least),
        cmocka_unit_test(test_slow_ranks),
        cmocka_unit_test(test_garbage),
        cmocka_unit_test(test_from_dear_to_cheap),
        cmocka_unit_test(test_no_work),
        cmocka_unit_test(test_news_grow_rare),
    };

    return cmocka_run_group_tests_name("cost", tests, NULL, NULL);
}
