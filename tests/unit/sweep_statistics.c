/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/sweep/statistics.h"

static void near(double got, double wanted)
{
    if (!(fabs(got - wanted) <= 1e-12 * (1 + fabs(wanted))))
        fail_msg("%.15g, not %.15g", got, wanted);
}

/* By R 4.2.2:
 *   g <- expand.grid(c = factor(1:3), b = factor(1:2), a = factor(1:4))
 *   summary(aov(y ~ (a + b + c)^2, data = g))[[1]][["Sum Sq"]]; sum((y - mean(y))^2) */
static void test_anova(void **state)
{
    static const double y[] = {3.1, 4.7, 2.2, 5.9, 6.4, 1.5, 2.8, 4.1, 3.3, 5.2, 7.7, 0.9,
                               3.6, 5.0, 2.9, 6.1, 6.6, 2.4, 2.0, 4.4, 3.1, 4.8, 7.1, 1.2};
    static const int32_t levels[] = {4, 2, 3};
    struct arena memory = {0};
    double main[3], pair[9];
    struct err err;

    (void)state;
    near(anova_grid(main, pair, y, levels, 3, &memory, &err), 85.9583333333333);
    near(main[0], 1.41833333333333234);
    near(main[1], 8.88166666666666238);
    near(main[2], 51.0208333333333357);
    near(pair[0 * 3 + 1], 0.005);
    near(pair[0 * 3 + 2], 1.76916666666667055);
    near(pair[1 * 3 + 2], 20.2008333333333212);
    near(pair[1 * 3 + 0], 0);
    arena_release(&memory);
}

static void test_one_axis(void **state)
{
    static const double y[] = {1, 2, 6};
    static const int32_t levels[] = {1, 3};
    struct arena memory = {0};
    double main[2], pair[4];
    struct err err;

    (void)state;
    near(anova_grid(main, pair, y, levels, 2, &memory, &err), 14);
    near(main[0], 0);
    near(main[1], 14);
    near(pair[1], 0);
    arena_release(&memory);
}

/* By R 4.2.2: qt(0.975, 4) * sqrt((1/5 + 1/4) * var(d)) */
static void test_half_width(void **state)
{
    static const double d[] = {0.31, 0.27, 0.41, 0.22, 0.35};

    (void)state;
    near(resampled_half_width(d, 5, 0.25), 0.135847347889796);
    assert_true(isnan(resampled_half_width(d, 1, 0.25)));
}

static void test_pareto(void **state)
{
    static const double score[] = {9, 8, 8, 7, 6, 6, 5};
    static const double cost[] = {50, 60, 40, NAN, 30, 20, 20};
    int32_t front[7];

    (void)state;
    assert_int_equal(pareto_front(front, score, cost, 7), 3);
    assert_int_equal(front[0], 5);
    assert_int_equal(front[1], 2);
    assert_int_equal(front[2], 0);
    assert_int_equal(pareto_front(front, score, cost, 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_anova),
        cmocka_unit_test(test_one_axis),
        cmocka_unit_test(test_half_width),
        cmocka_unit_test(test_pareto),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
