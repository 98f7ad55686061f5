/* SPDX-License-Identifier: BSD-3-Clause */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/rng.h"
#include "sched/pending.h"

#define N 200
#define N_STEPS 20000
#define WIDTH (1 + 1.0 / PENDING_ORDER_STEPS) /* the widest bucket */

static void assert_checked(const struct pending_order *order)
{
    struct err err = {""};

    if (pending_order_check(order, &err))
        fail_msg("%s", err.text);
}

static void test_by_hand(void **state)
{
    struct pending_order order;

    (void)state;
    assert_int_equal(pending_order_init(&order, 5, 1, NULL), 0);
    assert_int_equal(pending_order_first(&order, 0, INFINITY), -1);
    pending_order_add(&order, 3, 2);
    pending_order_add(&order, 2, 2); /* before its equals */
    pending_order_add(&order, 1, 7);
    pending_order_add(&order, 1, 1); /* present */
    pending_order_set(&order, 4, 9); /* absent */
    pending_order_remove(&order, 0);
    assert_int_equal(order.tiers[0].n, 3);
    assert_int_equal(pending_order_first(&order, 0, INFINITY), 1);
    assert_int_equal(pending_order_first(&order, 0, 7), 1);
    assert_int_equal(pending_order_first(&order, 0, 6.9), 2);
    assert_int_equal(pending_order_first(&order, 0, 1.9), -1);
    assert_int_equal(pending_order_first(&order, 0, -1), -1);
    pending_order_set(&order, 1, 2); /* behind its equals */
    assert_int_equal(pending_order_first(&order, 0, INFINITY), 2);
    pending_order_remove(&order, 2);
    pending_order_remove(&order, 3);
    assert_int_equal(pending_order_first(&order, 0, 2), 1);
    assert_true(pending_order_has(&order, 1) && !pending_order_has(&order, 2));
    assert_checked(&order);
    pending_order_release(&order);
    pending_order_release(&order);
}

/* Seconds beyond the buckets, and on their edges. */
static void test_extremes(void **state)
{
    static const double seconds[] = {0, DBL_MIN, 1e-12,  0x1p-25, 0x1p-24, 0x1.fffffffffffffp-1,
                                     1, 0x1p22,  0x1p23, 1e12,    DBL_MAX, INFINITY};
    enum { COUNT = sizeof seconds / sizeof *seconds };
    struct pending_order order;

    (void)state;
    assert_int_equal(pending_order_init(&order, COUNT, 1, NULL), 0);
    for (int32_t g = 0; g < COUNT; g++) {
        pending_order_add(&order, g, seconds[g]);
        assert_checked(&order);
        assert_int_equal(pending_order_first(&order, 0, INFINITY), g);
        if (seconds[g] > 0x1p-24 && seconds[g] < 0x1p23)
            assert_int_equal(pending_order_first(&order, 0, seconds[g]), g);
    }
    for (int32_t g = COUNT; g-- > 0;) {
        assert_int_equal(pending_order_first(&order, 0, INFINITY), g);
        pending_order_remove(&order, g);
    }
    pending_order_release(&order);
}

/* The longest trial that fits is found to within a bucket. */
static void check_first(const struct pending_order *order, const double *seconds, double most_s)
{
    int32_t got = pending_order_first(order, 0, most_s);
    double best_s = 0;

    for (int32_t g = 0; g < N; g++)
        if (pending_order_has(order, g) && seconds[g] <= most_s)
            best_s = fmax(best_s, seconds[g]);
    if (got >= 0) {
        assert_true(pending_order_has(order, got) && seconds[got] <= most_s);
        assert_true(seconds[got] * WIDTH >= best_s || best_s * WIDTH >= most_s);
    } else {
        assert_true(best_s == 0 || best_s * WIDTH >= most_s);
    }
}

static void test_random_walk(void **state)
{
    double seconds[N] = {0};
    struct pending_order order;
    struct rng rng;

    (void)state;
    rng_init(&rng, hash_text("pending"), RNG_SIMULATE);
    assert_int_equal(pending_order_init(&order, N, 1, NULL), 0);
    for (uint32_t step = 0; step < N_STEPS; step++) {
        int32_t g = (int32_t)(N * rng_uniform(&rng, 1, step));
        double drawn_s = exp(4 * rng_normal(&rng, 2, step)), what = rng_uniform(&rng, 3, step);

        if (what < 0.3) {
            pending_order_remove(&order, g);
        } else {
            if (pending_order_has(&order, g))
                pending_order_set(&order, g, drawn_s);
            else
                pending_order_add(&order, g, drawn_s);
            seconds[g] = drawn_s;
        }
        check_first(&order, seconds, exp(4 * rng_normal(&rng, 4, step)));
        check_first(&order, seconds, INFINITY);
        if (step % 16 == 0)
            assert_checked(&order);
    }
    pending_order_release(&order);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_extremes),
        cmocka_unit_test(test_random_walk),
    };

    return cmocka_run_group_tests_name("pending", tests, NULL, NULL);
}
