/* SPDX-License-Identifier: BSD-3-Clause */
/* Trials with a checkpoint among trials without one, and trials of unknown seconds. */
#include <math.h>

#include "sched/dispatch.h"
#include "unit.h"

enum { TRIALS = 12, EACH = 3, WORKERS = 2 };

/* Trials of 10, 20, 30 and 40 s, three of each. */
struct scene {
    struct gcn_cost work[TRIALS / EACH];
    struct ledger *ledger;
    struct cost *cost;
    struct dispatch *dispatch;
    int64_t out[DISPATCH_MAX];
};

static struct scene s;

static int set_up(void **state)
{
    (void)state;
    s.ledger = ledger_create(TRIALS, EACH, NULL, 2, NULL);
    for (int i = 0; i < TRIALS / EACH; i++)
        s.work[i] = (struct gcn_cost){.flops = 1e10 * (i + 1)};
    s.cost = cost_create(s.work, TRIALS / EACH, WORKERS, NULL);
    for (int i = 0; i < TRIALS / EACH; i++)
        for (int n = 0; n < 8; n++)
            cost_observe(s.cost, i, -1, 10 * (i + 1));
    cost_refit(s.cost);
    s.dispatch = dispatch_create(s.ledger, s.cost, WORKERS, NULL, false, NULL, NULL);
    return s.dispatch ? 0 : -1;
}

/* Nothing is known of the seconds until a first trial finishes. */
static int set_up_unknown(void **state)
{
    (void)state;
    s.ledger = ledger_create(TRIALS, EACH, NULL, 2, NULL);
    s.cost = cost_create(NULL, TRIALS / EACH, WORKERS, NULL);
    s.dispatch = dispatch_create(s.ledger, s.cost, WORKERS, NULL, false, NULL, NULL);
    return s.dispatch ? 0 : -1;
}

static int tear_down(void **state)
{
    int rc = dispatch_check(s.dispatch, NULL);

    (void)state;
    dispatch_destroy(s.dispatch);
    cost_destroy(s.cost);
    ledger_destroy(s.ledger);
    return rc;
}

static int64_t assign(int32_t worker, double left_s)
{
    int32_t n = dispatch_assign(s.dispatch, worker, left_s, s.out, NULL);

    assert_true(n == 0 || n == 1);
    return n ? s.out[0] : -1;
}

static void test_comes_first_for_what_is_left(void **state)
{
    (void)state;
    dispatch_resume(s.dispatch, 4, 0.25);
    assert_true(dispatch_resumes(s.dispatch, 4));
    assert_false(dispatch_resumes(s.dispatch, 3));
    assert_int_equal(assign(0, INFINITY), 4);
    assert_true(fabs(dispatch_predicted(s.dispatch, 4) - 5) < 1);
    assert_int_equal(assign(1, INFINITY), 9);
    assert_true(fabs(dispatch_predicted(s.dispatch, 9) - 40) < 4);
}

static void test_fits_by_what_is_left(void **state)
{
    (void)state;
    assert_int_equal(assign(0, 8), -1);
    assert_false(dispatch_can_begin(s.dispatch, 8));
    dispatch_resume(s.dispatch, 10, 0.05);
    dispatch_resume(s.dispatch, 11, 0.9);
    assert_true(dispatch_can_begin(s.dispatch, 8));
    assert_int_equal(assign(0, 8), 10);
    assert_int_equal(assign(1, 8), -1);
    assert_false(dispatch_can_begin(s.dispatch, 8));
    assert_int_equal(assign(1, 150), 11);
}

static void test_comes_back(void **state)
{
    (void)state;
    assert_int_equal(assign(0, INFINITY), 9);
    dispatch_start(s.dispatch, 0, 9);
    dispatch_resume(s.dispatch, 9, 0.5);
    dispatch_give_back(s.dispatch, 0, 9);
    assert_int_equal(assign(1, INFINITY), 9);
    assert_true(fabs(dispatch_predicted(s.dispatch, 9) - 20) < 2);
    assert_true(dispatch_finish(s.dispatch, 1, 9, TRIAL_DONE, NAN));
    assert_int_equal(assign(1, INFINITY), 10);
}

/* A trial that took a rank down waits, then continues from its checkpoint. */
static void test_suspect(void **state)
{
    (void)state;
    assert_int_equal(assign(1, INFINITY), 9);
    dispatch_start(s.dispatch, 1, 9);
    dispatch_resume(s.dispatch, 9, 0.5);
    assert_int_equal(dispatch_lose(s.dispatch, 1), -1);
    dispatch_return(s.dispatch, 1);
    assert_int_equal(assign(1, INFINITY), 10);
    assert_true(dispatch_resumes(s.dispatch, 9));
}

static void test_parts_teach_nothing(void **state)
{
    double margin;

    (void)state;
    dispatch_resume(s.dispatch, 0, 0.001);
    assert_int_equal(assign(0, INFINITY), 0);
    margin = cost_margin(s.cost);
    dispatch_finish(s.dispatch, 0, 0, TRIAL_DONE, NAN);
    assert_true(fabs(cost_seconds(s.cost, 0) - 10) < 1);
    assert_true(cost_margin(s.cost) == margin);
    /* The checkpoint could not be used, so the trial was run whole. */
    dispatch_resume(s.dispatch, 1, 0.001);
    assert_int_equal(assign(0, INFINITY), 1);
    dispatch_finish(s.dispatch, 0, 1, TRIAL_DONE, 10);
    assert_true(cost_margin(s.cost) == margin);
}

static void test_unknown_goes_one_by_one(void **state)
{
    double margin;
    int64_t first;

    (void)state;
    margin = cost_margin(s.cost);
    first = assign(0, INFINITY);
    assert_true(first >= 0);
    assert_int_equal(assign(0, INFINITY), -1);
    assert_true(assign(1, INFINITY) >= 0);
    assert_int_equal(assign(1, INFINITY), -1);
    assert_true(isnan(dispatch_predicted(s.dispatch, first)));
    assert_true(isnan(dispatch_expected_s(s.dispatch, first)));
    assert_true(isnan(dispatch_left_s(s.dispatch)));
    assert_int_equal(dispatch_check(s.dispatch, NULL), 0);
    dispatch_finish(s.dispatch, 0, first, TRIAL_DONE, 7200);
    assert_true(cost_margin(s.cost) == margin); /* a guess is no prediction */
    assert_true(fabs(dispatch_expected_s(s.dispatch, first) - 7200) < 100);
    assert_true(dispatch_left_s(s.dispatch) > 7200);
}

static void test_unknown_begins_before_the_end(void **state)
{
    int64_t first;

    (void)state;
    assert_true(dispatch_can_begin(s.dispatch, 0.01));
    assert_false(dispatch_can_begin(s.dispatch, 0));
    assert_int_equal(assign(0, 0), -1);
    first = assign(0, 0.01);
    assert_true(first >= 0);
    dispatch_finish(s.dispatch, 0, first, TRIAL_DONE, 7200);
    assert_int_equal(assign(0, 3600), -1);
    assert_false(dispatch_can_begin(s.dispatch, 3600));
    assert_true(assign(0, 3 * 7200) >= 0);
}

/* One short trial is enough for batches. */
static void test_unknown_becomes_short(void **state)
{
    int64_t first;

    (void)state;
    first = assign(0, INFINITY);
    dispatch_finish(s.dispatch, 0, first, TRIAL_DONE, 1e-3);
    assert_in_range(dispatch_assign(s.dispatch, 0, INFINITY, s.out, NULL), 2, TRIALS / WORKERS);
}

static void test_parts(void **state)
{
    (void)state;
    dispatch_set_whole(s.dispatch, 35);
    assert_in_range(assign(0, 31), 0, 2); /* what fits, with the margin, goes first */
    assert_true(dispatch_can_begin(s.dispatch, 8));
    assert_int_equal(assign(1, 8), 9); /* of 40 s */
}

static void test_no_time_for_a_part(void **state)
{
    (void)state;
    dispatch_set_whole(s.dispatch, 35);
    assert_false(dispatch_can_begin(s.dispatch, 3)); /* too little to save anything */
    assert_int_equal(assign(0, 3), -1);
}

static void test_no_parts(void **state)
{
    (void)state;
    dispatch_set_whole(s.dispatch, 45);
    assert_false(dispatch_can_begin(s.dispatch, 8)); /* a whole run is long enough for each */
    assert_int_equal(assign(0, 8), -1);
    dispatch_resume(s.dispatch, 10, 0.9);
    assert_int_equal(assign(0, 8), 10); /* it has a checkpoint */
    assert_int_equal(assign(1, 8), -1);
}

#define TEST(name, set_up) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_parts, set_up),
        TEST(test_no_time_for_a_part, set_up),
        TEST(test_no_parts, set_up),
        TEST(test_comes_first_for_what_is_left, set_up),
        TEST(test_fits_by_what_is_left, set_up),
        TEST(test_comes_back, set_up),
        TEST(test_suspect, set_up),
        TEST(test_parts_teach_nothing, set_up),
        TEST(test_unknown_goes_one_by_one, set_up_unknown),
        TEST(test_unknown_begins_before_the_end, set_up_unknown),
        TEST(test_unknown_becomes_short, set_up_unknown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
