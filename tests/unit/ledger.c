#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sched/ledger.h"

static void assert_checked(const struct ledger *ledger)
{
    struct err err = {""};

    if (!ledger_check(ledger, &err))
        fail_msg("%s", err.text);
}

static void assert_counts(const struct ledger *ledger, int64_t pending, int64_t leased,
                          int64_t done, int64_t failed)
{
    struct ledger_counts counts = ledger_counts(ledger);

    assert_checked(ledger);
    assert_int_equal(counts.pending, pending);
    assert_int_equal(counts.leased, leased);
    assert_int_equal(counts.done, done);
    assert_int_equal(counts.failed, failed);
    assert_int_equal(ledger_is_finished(ledger), !pending && !leased);
}

static void test_order(void **state)
{
    const double expected_s[] = {3, 1, 4, 2};
    struct ledger *ledger = ledger_create(4, 1, expected_s, 2, NULL);
    int64_t out[4];

    (void)state;
    assert_int_equal(ledger_lease(ledger, 0, 3, out, NULL), 3);
    assert_int_equal(out[0], 2);
    assert_int_equal(out[1], 0);
    assert_int_equal(out[2], 3);
    assert_int_equal(ledger_lease(ledger, 9, 3, out, NULL), 1);
    assert_int_equal(out[0], 1);
    assert_int_equal(ledger_lease(ledger, 5, 3, out, NULL), 0);
    assert_int_equal(ledger_held(ledger, 0), 3);
    assert_int_equal(ledger_held(ledger, 9), 1);
    assert_int_equal(ledger_held(ledger, 1000), 0);
    assert_int_equal(ledger_state(ledger, 3), TRIAL_RUNNING);
    assert_counts(ledger, 0, 4, 0, 0);
    ledger_destroy(ledger);
    ledger_destroy(NULL);
}

static void lease_all(struct ledger *ledger, const int64_t *wanted, int32_t n)
{
    int64_t out[16];

    assert_int_equal(ledger_next(ledger), wanted[0]);
    assert_int_equal(ledger_lease(ledger, 0, 16, out, NULL), n);
    for (int32_t i = 0; i < n; i++)
        assert_int_equal(out[i], wanted[i]);
    assert_int_equal(ledger_next(ledger), -1);
}

/* Trials of a group stay together; what is learnt while they run changes the order of the rest. */
static void test_order_changes(void **state)
{
    const double expected_s[] = {1, 4, 3, 2};
    struct ledger *ledger = ledger_create(11, 3, expected_s, 2, NULL);
    int64_t out[3];

    (void)state;
    assert_int_equal(ledger_n_groups(ledger), 4);
    assert_int_equal(ledger_group(ledger, 10), 3);
    assert_float_equal(ledger_pending_s(ledger), 3 * 1 + 3 * 4 + 3 * 3 + 2 * 2, 1e-9);
    assert_int_equal(ledger_lease(ledger, 0, 1, out, NULL), 1);
    assert_int_equal(out[0], 3);
    assert_int_equal(ledger_lessee(ledger, 3), 0);
    assert_int_equal(ledger_lessee(ledger, 4), -1);
    ledger_expect(ledger, 1, 0.5);
    ledger_expect(ledger, 3, 9);
    ledger_expect(ledger, 0, 3);
    assert_float_equal(ledger_pending_s(ledger), 3 * 3 + 2 * 0.5 + 3 * 3 + 2 * 9, 1e-9);
    assert_checked(ledger);
    /* What came back is first, whatever it costs; equal groups as numbered. */
    assert_int_equal(ledger_lease(ledger, 1, 1, out, NULL), 1);
    assert_int_equal(out[0], 9);
    ledger_give_back(ledger, 3);
    assert_float_equal(ledger_pending_s(ledger), 3 * 3 + 3 * 0.5 + 3 * 3 + 1 * 9, 1e-9);
    lease_all(ledger, (const int64_t[]){3, 10, 0, 1, 2, 6, 7, 8, 4, 5}, 10);
    assert_true(ledger_pending_s(ledger) == 0);
    ledger_destroy(ledger);
}

static void test_results(void **state)
{
    struct ledger *ledger = ledger_create(3, 1, NULL, 2, NULL);
    int64_t out[3];

    (void)state;
    ledger_lease(ledger, 0, 3, out, NULL);
    assert_int_equal(ledger_finish(ledger, 0, TRIAL_DONE), LEDGER_ACCEPTED);
    assert_int_equal(ledger_finish(ledger, 0, TRIAL_DONE), LEDGER_DUPLICATE);
    assert_int_equal(ledger_finish(ledger, 0, TRIAL_FAILED), LEDGER_DUPLICATE);
    assert_int_equal(ledger_finish(ledger, 3, TRIAL_DONE), LEDGER_UNKNOWN);
    assert_int_equal(ledger_finish(ledger, -1, TRIAL_DONE), LEDGER_UNKNOWN);
    assert_int_equal(ledger_finish(ledger, 1, TRIAL_DIVERGED), LEDGER_ACCEPTED);
    assert_int_equal(ledger_finish(ledger, 2, TRIAL_FAILED), LEDGER_ACCEPTED);
    assert_int_equal(ledger_counts(ledger).diverged, 1);
    assert_counts(ledger, 0, 0, 1, 1);
    ledger_destroy(ledger);
}

/* Given back: it is next in line; a late result of it is welcome, a second giving back is not. */
static void test_given_back(void **state)
{
    struct ledger *ledger = ledger_create(4, 1, NULL, 2, NULL);
    int64_t out[4];

    (void)state;
    ledger_lease(ledger, 0, 2, out, NULL);
    ledger_give_back(ledger, 1);
    ledger_give_back(ledger, 1);
    ledger_give_back(ledger, 99);
    assert_counts(ledger, 3, 1, 0, 0);
    assert_int_equal(ledger_finish(ledger, 1, TRIAL_DONE), LEDGER_ACCEPTED);
    ledger_give_back(ledger, 1);
    assert_counts(ledger, 2, 1, 1, 0);
    ledger_give_back(ledger, 0);
    assert_int_equal(ledger_lease(ledger, 1, 4, out, NULL), 3);
    assert_int_equal(out[0], 0);
    assert_counts(ledger, 0, 3, 1, 0);
    ledger_destroy(ledger);
}

static void test_crash_limit(void **state)
{
    struct ledger *ledger = ledger_create(3, 1, NULL, 2, NULL);
    int64_t out[3], failed[3];

    (void)state;
    ledger_lease(ledger, 0, 2, out, NULL);
    ledger_start(ledger, 0, 0);
    assert_int_equal(ledger_lose_worker(ledger, 0, 3, failed), 0);
    assert_counts(ledger, 3, 0, 0, 0);
    /* What was only held comes first, what was running last. */
    assert_int_equal(ledger_lease(ledger, 1, 3, out, NULL), 3);
    assert_int_equal(out[0], 1);
    assert_int_equal(out[2], 0);
    ledger_start(ledger, 1, 0);
    assert_int_equal(ledger_lose_worker(ledger, 1, 3, failed), 1);
    assert_int_equal(failed[0], 0);
    assert_int_equal(ledger_lose_worker(ledger, 1, 3, failed), 0);
    assert_int_equal(ledger_lose_worker(ledger, 77, 3, failed), 0);
    assert_counts(ledger, 2, 0, 0, 1);
    assert_int_equal(ledger_finish(ledger, 0, TRIAL_DONE), LEDGER_DUPLICATE);
    ledger_destroy(ledger);
}

/* Only the trial that runs counts a crash: not one that finished, nor one of another worker. */
static void test_crash_of_the_right_trial(void **state)
{
    struct ledger *ledger = ledger_create(3, 1, NULL, 1, NULL);
    int64_t out[3], failed[3];

    (void)state;
    ledger_lease(ledger, 0, 2, out, NULL);
    ledger_lease(ledger, 1, 1, out, NULL);
    ledger_start(ledger, 0, 0);
    ledger_start(ledger, 0, 2);
    ledger_finish(ledger, 0, TRIAL_DONE);
    assert_int_equal(ledger_lose_worker(ledger, 0, 3, failed), 0);
    assert_counts(ledger, 1, 1, 1, 0);
    ledger_destroy(ledger);
}

/* A worker that was only slow: its result counts once, whoever has the trial by then. */
static void test_slow_worker(void **state)
{
    struct ledger *ledger = ledger_create(1, 1, NULL, 2, NULL);
    int64_t out[1];

    (void)state;
    ledger_lease(ledger, 0, 1, out, NULL);
    ledger_lose_worker(ledger, 0, 0, NULL);
    assert_int_equal(ledger_lease(ledger, 1, 1, out, NULL), 1);
    assert_int_equal(ledger_finish(ledger, 0, TRIAL_DONE), LEDGER_ACCEPTED);
    assert_int_equal(ledger_held(ledger, 1), 0);
    assert_int_equal(ledger_finish(ledger, 0, TRIAL_DONE), LEDGER_DUPLICATE);
    assert_counts(ledger, 0, 0, 1, 0);
    ledger_destroy(ledger);
}

/* A grid that grew: what is known already is not run again. */
static void test_grown(void **state)
{
    struct ledger *ledger = ledger_create(5, 1, NULL, 2, NULL);
    int64_t out[5];

    (void)state;
    ledger_mark(ledger, 0, TRIAL_DONE);
    ledger_mark(ledger, 3, TRIAL_DIVERGED);
    ledger_mark(ledger, 4, TRIAL_FAILED);
    assert_counts(ledger, 2, 0, 1, 1);
    assert_int_equal(ledger_lease(ledger, 0, 5, out, NULL), 2);
    assert_int_equal(out[0], 1);
    assert_int_equal(out[1], 2);
    ledger_destroy(ledger);
}

static void test_empty(void **state)
{
    struct ledger *ledger = ledger_create(0, 1, NULL, 1, NULL);
    int64_t out[1];

    (void)state;
    assert_counts(ledger, 0, 0, 0, 0);
    assert_int_equal(ledger_lease(ledger, 0, 1, out, NULL), 0);
    ledger_destroy(ledger);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),       cmocka_unit_test(test_order_changes),
        cmocka_unit_test(test_results),     cmocka_unit_test(test_given_back),
        cmocka_unit_test(test_crash_limit), cmocka_unit_test(test_crash_of_the_right_trial),
        cmocka_unit_test(test_slow_worker), cmocka_unit_test(test_grown),
        cmocka_unit_test(test_empty),
    };

    return cmocka_run_group_tests_name("ledger", tests, NULL, NULL);
}
