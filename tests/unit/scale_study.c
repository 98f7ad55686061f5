/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables and advice of `espalier scale`, from made times. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "run/scale_study.h"

static void expect(const struct scale_point *point, int32_t threads, int32_t ranks)
{
    assert_int_equal(point->threads, threads);
    assert_int_equal(point->ranks, ranks);
}

static void test_combinations(void **state)
{
    const struct scale_list threads = {{1, 2, 4}, 3}, ranks = {{1, 2, 3}, 3}, two = {{2}, 1};
    struct scale_study study = {.n_points = 0};

    (void)state;
    assert_int_equal(scale_combine(&study, &threads, &ranks, 4, NULL), 0);
    assert_int_equal(study.n_points, 6);
    expect(&study.points[0], 1, 1);
    expect(&study.points[2], 4, 1);
    expect(&study.points[4], 2, 2);
    expect(&study.points[5], 1, 3);
    scale_release(&study);
    assert_int_equal(scale_combine(&study, &two, &two, 3, NULL), 0);
    assert_int_equal(study.n_points, 1);
    expect(&study.points[0], 1, 1);
    scale_release(&study);
}

/* On 8 cores. Times within 5 % are alike, and then fewer cores are better. */
static void test_best(void **state)
{
    struct scale_point points[] = {{.threads = 1, .ranks = 1, .seconds = 12},
                                   {.threads = 8, .ranks = 1, .seconds = 2.9},
                                   {.threads = 2, .ranks = 2, .seconds = 3, .communication = 0.1},
                                   {.threads = 2, .ranks = 1, .seconds = 6.1}};
    struct scale_study study = {.points = points, .n_points = 4};

    (void)state;
    assert_true(fabs(scale_speedup(&study, &points[2]) - 4) < 1e-12);
    assert_int_equal(scale_at_once(&points[2], 9), 2);
    assert_true(fabs(scale_throughput(&study, &points[2], 8) - 8) < 1e-12);
    expect(scale_fastest(&study), 2, 2);
    expect(scale_quickest(&study), 8, 1);
    expect(scale_busiest(&study, 8), 1, 1);
    points[2].seconds = 3.2;
    expect(scale_fastest(&study), 8, 1);
    points[3].seconds = 5.5; /* better by 9 % */
    expect(scale_busiest(&study, 8), 2, 1);
}

static void test_take(void **state)
{
    double five[] = {9, 1, 1.2, 1.1, 1}, three[] = {4, 2, 3}, one[] = {7};
    struct scale_point point = {.threads = 1, .ranks = 1};

    (void)state;
    scale_take(&point, five, 5); /* a single outlier does not count */
    assert_true(point.seconds == 1.1 && point.least == 1 && point.most == 1.2);
    scale_take(&point, one, 1);
    assert_true(point.seconds == 7 && point.least == 7 && point.most == 7);
    scale_take(&point, three, 3);
    assert_true(point.seconds == 3 && point.least == 2 && point.most == 4);
}

/* Scatter matters only if another point might be better. */
static void test_steady(void **state)
{
    struct scale_point points[] = {
        {.threads = 1, .ranks = 1, .seconds = 4, .least = 3.9, .most = 4.1},
        {.threads = 2, .ranks = 1, .seconds = 2.2, .least = 2.2, .most = 2.2},
        {.threads = 1, .ranks = 2, .seconds = 9, .least = 6, .most = 12},
    };
    struct scale_study study = {.points = points, .n_points = 3};

    (void)state;
    assert_null(scale_unsteady(&study, 2)); /* 6 s are still slower than 4 s */
    points[2].least = 2.1;
    assert_ptr_equal(scale_unsteady(&study, 2), &points[2]);
    points[2].least = 8;
    points[1].least = 2;
    points[1].most = 2.6; /* the best one scatters, but all others take longer */
    assert_null(scale_unsteady(&study, 2));
    points[1].most = 3.8;
    assert_ptr_equal(scale_unsteady(&study, 2), &points[1]);
    /* the throughput of 2 x 1 may be higher than that of two trials at once */
    points[1].most = points[1].seconds;
    points[0].most = 6;
    assert_ptr_equal(scale_unsteady(&study, 2), &points[0]);
    study.n_points = 1;
    assert_null(scale_unsteady(&study, 2));
}

/* A trial of 2 s has 40 epochs of 45 ms and 0.2 s that do not depend on them. */
static void test_epochs(void **state)
{
    struct scale_study study = {.all_epochs = 1000};
    struct scale_short few = {5, 0.425}, more = {10, 0.65}, long_one = {5, 1.9}, none = {5, 0};

    (void)state;
    assert_int_equal(scale_few_epochs(&study), 5);
    assert_int_equal(scale_more_epochs(&study, &few), 10);
    assert_int_equal(scale_epochs(&study, &few, &more), 40);
    study.all_epochs = 30;
    assert_int_equal(scale_epochs(&study, &few, &more), 30);
    few.seconds = 0.01;
    assert_int_equal(scale_more_epochs(&study, &few), 30);
    study.all_epochs = 1000;
    assert_int_equal(scale_more_epochs(&study, &few), 250);
    /* long epochs: one short trial is enough */
    assert_int_equal(scale_more_epochs(&study, &long_one), 5);
    assert_int_equal(scale_epochs(&study, &long_one, &long_one), 6);
    /* more epochs took no longer */
    few.seconds = 0.7;
    assert_int_equal(scale_epochs(&study, &few, &more), 31);
    long_one.seconds = 90;
    assert_int_equal(scale_epochs(&study, &long_one, &long_one), 5);
    assert_int_equal(scale_epochs(&study, &none, &none), 1000);
    study.all_epochs = 3;
    assert_int_equal(scale_few_epochs(&study), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_combinations), cmocka_unit_test(test_best),
        cmocka_unit_test(test_take),         cmocka_unit_test(test_steady),
        cmocka_unit_test(test_epochs),
    };

    return cmocka_run_group_tests_name("scale_study", tests, NULL, NULL);
}
