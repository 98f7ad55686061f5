/* SPDX-License-Identifier: BSD-3-Clause */
#include <float.h>
#include <math.h>

#include "base/rng.h"
#include "sched/ledger.h"
#include "unit.h"

static void assert_checked(const struct ledger *ledger)
{
    struct err err = {""};

    if (ledger_check(ledger, &err))
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

static int32_t lease(struct ledger *ledger, int32_t worker, int32_t max, int64_t *out)
{
    int32_t n = 0;

    while (n < max && (out[n] = ledger_next(ledger, worker, INFINITY)) >= 0)
        assert_int_equal(ledger_lease(ledger, worker, out[n++], NULL), 0);
    return n;
}

static void test_order(void **state)
{
    const double expected_s[] = {3, 1, 4, 2};
    struct ledger *ledger = ledger_create(4, 1, expected_s, 2, NULL);
    int64_t out[4] = {0};

    (void)state;
    assert_int_equal(lease(ledger, 0, 3, out), 3);
    assert_int_equal(out[0], 2);
    assert_int_equal(out[1], 0);
    assert_int_equal(out[2], 3);
    assert_int_equal(lease(ledger, 9, 3, out), 1);
    assert_int_equal(out[0], 1);
    assert_int_equal(lease(ledger, 5, 3, out), 0);
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
    int64_t out[16] = {0};

    assert_int_equal(ledger_next(ledger, 0, INFINITY), wanted[0]);
    assert_int_equal(lease(ledger, 0, 16, out), n);
    for (int32_t i = 0; i < n; i++)
        assert_int_equal(out[i], wanted[i]);
    assert_int_equal(ledger_next(ledger, 0, INFINITY), -1);
}

/* Trials of a group stay together. */
static void test_order_changes(void **state)
{
    const double expected_s[] = {1, 4, 3, 2};
    struct ledger *ledger = ledger_create(11, 3, expected_s, 2, NULL);
    int64_t out[3] = {0};

    (void)state;
    assert_int_equal(ledger_n_groups(ledger), 4);
    assert_int_equal(ledger_group(ledger, 10), 3);
    assert_float_equal(ledger_pending_s(ledger), 3 * 1 + 3 * 4 + 3 * 3 + 2 * 2, 1e-9);
    assert_int_equal(lease(ledger, 0, 1, out), 1);
    assert_int_equal(out[0], 3);
    assert_int_equal(ledger_lessee(ledger, 3), 0);
    assert_int_equal(ledger_lessee(ledger, 4), -1);
    ledger_expect(ledger, 1, 0.5);
    ledger_expect(ledger, 3, 9);
    ledger_expect(ledger, 0, 3);
    assert_float_equal(ledger_pending_s(ledger), 3 * 3 + 2 * 0.5 + 3 * 3 + 2 * 9, 1e-9);
    assert_checked(ledger);
    /* A returned trial is the first of its group. Groups with equal expectations go by number. */
    assert_int_equal(lease(ledger, 1, 1, out), 1);
    assert_int_equal(out[0], 9);
    ledger_give_back(ledger, 3);
    assert_float_equal(ledger_pending_s(ledger), 3 * 3 + 3 * 0.5 + 3 * 3 + 1 * 9, 1e-9);
    lease_all(ledger, (const int64_t[]){10, 6, 7, 8, 0, 1, 2, 3, 4, 5}, 10);
    assert_true(ledger_pending_s(ledger) == 0);
    ledger_destroy(ledger);
}

static void test_results(void **state)
{
    struct ledger *ledger = ledger_create(3, 1, NULL, 2, NULL);
    int64_t out[3] = {0};

    (void)state;
    lease(ledger, 0, 3, out);
    assert_true(ledger_finish(ledger, 0, TRIAL_DONE));
    assert_false(ledger_finish(ledger, 0, TRIAL_DONE));
    assert_false(ledger_finish(ledger, 0, TRIAL_FAILED));
    assert_true(ledger_finish(ledger, 1, TRIAL_DIVERGED));
    assert_true(ledger_finish(ledger, 2, TRIAL_FAILED));
    assert_int_equal(ledger_counts(ledger).diverged, 1);
    assert_counts(ledger, 0, 0, 1, 1);
    ledger_destroy(ledger);
}

/* A late result of a returned trial counts; giving it back again does not. */
static void test_given_back(void **state)
{
    struct ledger *ledger = ledger_create(4, 1, NULL, 2, NULL);
    int64_t out[4] = {0};

    (void)state;
    lease(ledger, 0, 2, out);
    ledger_give_back(ledger, 1);
    ledger_give_back(ledger, 1);
    assert_counts(ledger, 3, 1, 0, 0);
    assert_true(ledger_finish(ledger, 1, TRIAL_DONE));
    ledger_give_back(ledger, 1);
    assert_counts(ledger, 2, 1, 1, 0);
    ledger_give_back(ledger, 0);
    assert_int_equal(lease(ledger, 1, 4, out), 3);
    assert_int_equal(out[0], 0);
    assert_counts(ledger, 0, 3, 1, 0);
    ledger_destroy(ledger);
}

static void test_reopened(void **state)
{
    struct ledger *ledger = ledger_create(4, 2, NULL, 2, NULL);
    int64_t out[4] = {0};

    (void)state;
    ledger_mark(ledger, 0, TRIAL_DONE);
    lease(ledger, 0, 4, out);
    assert_true(ledger_finish(ledger, 1, TRIAL_DONE));
    assert_true(ledger_finish(ledger, 2, TRIAL_FAILED));
    assert_true(ledger_finish(ledger, 3, TRIAL_DIVERGED));
    assert_true(ledger_is_finished(ledger));
    for (int64_t t = 0; t < 4; t++)
        ledger_reopen(ledger, t);
    ledger_reopen(ledger, 0);
    assert_checked(ledger);
    assert_int_equal(ledger_counts(ledger).pending, 2);
    assert_int_equal(lease(ledger, 1, 4, out), 2);
    assert_true(ledger_finish(ledger, 0, TRIAL_DONE));
    assert_true(ledger_finish(ledger, 1, TRIAL_DONE));
    assert_false(ledger_finish(ledger, 1, TRIAL_DONE));
    assert_true(ledger_is_finished(ledger));
    assert_checked(ledger);
    ledger_destroy(ledger);
}

/* Held before they run, released, held at a rung, then stopped or released again. */
static void test_held(void **state)
{
    const double expected_s[] = {3, 1};
    struct ledger *ledger = ledger_create(4, 2, expected_s, 2, NULL);
    int64_t out[4] = {0};

    (void)state;
    ledger_suspect(ledger, 1);
    for (int64_t t = 0; t < 4; t++)
        ledger_mark(ledger, t, TRIAL_HELD);
    assert_counts(ledger, 0, 0, 0, 0);
    assert_int_equal(ledger_counts(ledger).held, 4);
    assert_int_equal(lease(ledger, 0, 4, out), 0);
    for (int64_t t = 0; t < 3; t++)
        ledger_reopen(ledger, t);
    ledger_reopen(ledger, 0); /* ignored: it is pending */
    assert_counts(ledger, 3, 0, 0, 0);
    assert_int_equal(lease(ledger, 0, 4, out), 2); /* 1 is still a suspect */
    assert_int_equal(out[0], 0);
    assert_int_equal(out[1], 2);
    ledger_stop(ledger, 0); /* ignored: it is leased */
    assert_true(ledger_finish(ledger, 0, TRIAL_HELD));
    assert_false(ledger_finish(ledger, 0, TRIAL_HELD)); /* of another rank */
    assert_true(ledger_finish(ledger, 2, TRIAL_DONE));
    assert_int_equal(lease(ledger, 0, 4, out), 1);
    assert_int_equal(out[0], 1);
    assert_true(ledger_finish(ledger, 1, TRIAL_HELD));
    assert_counts(ledger, 0, 0, 1, 0);
    ledger_stop(ledger, 0);
    ledger_stop(ledger, 2); /* ignored: it is done */
    assert_int_equal(ledger_state(ledger, 0), TRIAL_STOPPED);
    assert_int_equal(ledger_state(ledger, 2), TRIAL_DONE);
    assert_int_equal(ledger_counts(ledger).stopped, 1);
    ledger_reopen(ledger, 0);
    assert_counts(ledger, 1, 0, 1, 0);
    ledger_destroy(ledger);
}

static void test_crash_limit(void **state)
{
    struct ledger *ledger = ledger_create(3, 1, NULL, 2, NULL);
    int64_t out[3] = {0};

    (void)state;
    lease(ledger, 0, 2, out);
    ledger_start(ledger, 0, 0);
    assert_int_equal(ledger_blames(ledger, 0, 3, out), 1);
    assert_int_equal(out[0], 0);
    assert_int_equal(ledger_lose_worker(ledger, 0), -1);
    assert_counts(ledger, 3, 0, 0, 0);
    assert_true(ledger_is_suspect(ledger, 0) && !ledger_is_suspect(ledger, 1));
    /* The trial that was running comes last, and alone. */
    assert_int_equal(lease(ledger, 1, 3, out), 2);
    assert_int_equal(out[0], 1);
    assert_int_equal(out[1], 2);
    assert_int_equal(lease(ledger, 2, 3, out), 1);
    assert_int_equal(out[0], 0);
    ledger_give_back(ledger, 1);
    assert_int_equal(lease(ledger, 2, 3, out), 0);
    assert_int_equal(ledger_next(ledger, -1, INFINITY), 1);
    /* The worker held only this trial, so no start message is needed to blame it. */
    assert_int_equal(ledger_lose_worker(ledger, 2), 0);
    assert_int_equal(ledger_lose_worker(ledger, 2), -1);
    assert_int_equal(ledger_lose_worker(ledger, 77), -1);
    assert_int_equal(ledger_blames(ledger, 77, 3, out), 0);
    assert_counts(ledger, 1, 1, 0, 1);
    /* Worker 2 was only silent: its result arrives after all. */
    assert_false(ledger_finish(ledger, 0, TRIAL_FAILED));
    assert_true(ledger_finish(ledger, 0, TRIAL_DONE));
    assert_false(ledger_finish(ledger, 0, TRIAL_DONE));
    assert_counts(ledger, 1, 1, 1, 0);
    ledger_destroy(ledger);
}

/* Nobody knows which of many trials crashed: the ledger finds it. */
static void find_the_one(int32_t crash_limit, int n_lost_wanted)
{
    struct ledger *ledger = ledger_create(8, 8, NULL, crash_limit, NULL);
    int64_t out[8] = {0};
    int n_lost = 0, n_failed = 0;

    for (int32_t worker = 0; !ledger_is_finished(ledger); worker++) {
        int32_t n = lease(ledger, worker, 8, out);

        for (int32_t i = 0; i < n && out[i] != 5; i++)
            if (n == 1)
                assert_true(ledger_finish(ledger, out[i], TRIAL_DONE));
        if (ledger_held(ledger, worker)) {
            int64_t failed = ledger_lose_worker(ledger, worker);

            assert_true(failed == -1 || failed == 5);
            n_failed += failed == 5;
            n_lost++;
        }
        assert_checked(ledger);
    }
    assert_int_equal(n_lost, n_lost_wanted);
    assert_int_equal(n_failed, 1);
    assert_counts(ledger, 0, 0, 7, 1);
    ledger_destroy(ledger);
}

static void test_unknown_culprit(void **state)
{
    (void)state;
    find_the_one(3, 3);
    find_the_one(2, 2);
    find_the_one(1, 2);
}

/* Earlier sessions counted these crashes. */
static void test_blame(void **state)
{
    struct ledger *ledger = ledger_create(4, 1, NULL, 3, NULL);
    int64_t out[4] = {0};

    (void)state;
    ledger_mark(ledger, 3, TRIAL_DONE);
    assert_false(ledger_blame(ledger, 3, 5));
    assert_false(ledger_blame(ledger, 0, 0));
    assert_false(ledger_blame(ledger, 1, 2));
    assert_true(ledger_blame(ledger, 2, 3));
    assert_counts(ledger, 2, 0, 1, 1);
    assert_int_equal(lease(ledger, 0, 4, out), 1);
    assert_int_equal(out[0], 0);
    assert_int_equal(lease(ledger, 1, 4, out), 1);
    assert_int_equal(out[0], 1);
    assert_int_equal(ledger_lose_worker(ledger, 1), 1);
    assert_counts(ledger, 0, 1, 1, 2);
    ledger_destroy(ledger);
}

/* A trial that was running when an earlier run was killed comes last and alone. */
static void test_suspect(void **state)
{
    struct ledger *ledger = ledger_create(3, 1, NULL, 2, NULL);
    int64_t out[3] = {0};
    struct err err;

    (void)state;
    ledger_mark(ledger, 2, TRIAL_DONE);
    ledger_suspect(ledger, 2);
    ledger_suspect(ledger, 0);
    assert_true(ledger_is_suspect(ledger, 0));
    assert_false(ledger_is_suspect(ledger, 2));
    assert_counts(ledger, 2, 0, 1, 0);
    assert_int_equal(lease(ledger, 0, 3, out), 1);
    assert_int_equal(out[0], 1);
    assert_int_equal(lease(ledger, 1, 3, out), 1);
    assert_int_equal(out[0], 0);
    /* No crash counts against it yet. */
    assert_int_equal(ledger_lose_worker(ledger, 1), -1);
    assert_int_equal(lease(ledger, 1, 3, out), 1);
    assert_int_equal(ledger_lose_worker(ledger, 1), 0);
    assert_int_equal(ledger_check(ledger, &err), 0);
    ledger_destroy(ledger);
}

/* Suspects go only if nothing else fits. */
static void test_fitting(void **state)
{
    const double expected_s[] = {1, 10, 100, 5};
    struct ledger *ledger = ledger_create(4, 1, expected_s, 3, NULL);
    int64_t out[1] = {0};

    (void)state;
    ledger_blame(ledger, 3, 1);
    assert_int_equal(ledger_next(ledger, 0, 1000), 2);
    assert_int_equal(ledger_next(ledger, 0, 99), 1);
    assert_int_equal(ledger_next(ledger, 0, 9), 0);
    assert_int_equal(ledger_next(ledger, 0, 0.9), -1);
    assert_int_equal(ledger_next(ledger, 0, -1), -1);
    ledger_expect(ledger, 0, 7);
    ledger_expect(ledger, 3, 6);
    assert_int_equal(ledger_next(ledger, 0, 7), 0);
    assert_int_equal(ledger_next(ledger, 0, 6.5), 3);
    assert_int_equal(ledger_next(ledger, 0, 5.5), -1);
    assert_int_equal(lease(ledger, 0, 1, out), 1);
    assert_int_equal(ledger_next(ledger, 0, 6.5), -1);
    assert_int_equal(ledger_next(ledger, 1, 6.5), 3);
    assert_checked(ledger);
    ledger_destroy(ledger);
}

/* A crash counts only against the running trial of this worker. */
static void test_crash_of_the_right_trial(void **state)
{
    struct ledger *ledger = ledger_create(4, 1, NULL, 1, NULL);
    int64_t out[4] = {0};

    (void)state;
    lease(ledger, 0, 3, out);
    lease(ledger, 1, 1, out);
    ledger_start(ledger, 0, 0);
    ledger_start(ledger, 0, 3);
    ledger_finish(ledger, 0, TRIAL_DONE);
    assert_int_equal(ledger_blames(ledger, 0, 3, out), 0);
    assert_int_equal(ledger_lose_worker(ledger, 0), -1);
    assert_counts(ledger, 2, 1, 1, 0);
    ledger_destroy(ledger);
}

static void test_out_of_order(void **state)
{
    struct ledger *ledger = ledger_create(4, 4, NULL, 2, NULL);
    int64_t out[4] = {0};

    (void)state;
    lease(ledger, 0, 3, out);
    ledger_finish(ledger, 0, TRIAL_DONE);
    ledger_start(ledger, 0, 0); /* ended */
    ledger_start(ledger, 0, 3); /* no worker has it */
    ledger_start(ledger, 0, -1);
    ledger_start(ledger, 5, 1);
    assert_int_equal(ledger_blames(ledger, 0, 4, out), 2);
    ledger_start(ledger, 0, 2);
    assert_int_equal(ledger_blames(ledger, 0, 4, out), 1);
    assert_int_equal(out[0], 2);
    assert_int_equal(ledger_lose_worker(ledger, 0), -1);
    /* A start message from before the loss names a trial that another worker has now. */
    assert_int_equal(lease(ledger, 1, 4, out), 2);
    assert_int_equal(out[0], 1);
    ledger_start(ledger, 0, 1);
    assert_int_equal(ledger_blames(ledger, 1, 4, out), 2);
    assert_int_equal(ledger_blames(ledger, 0, 4, out), 0);
    /* The suspect's own late result ends it. */
    assert_int_equal(lease(ledger, 2, 4, out), 1);
    assert_true(ledger_finish(ledger, 2, TRIAL_DONE));
    assert_int_equal(ledger_lose_worker(ledger, 2), -1);
    assert_false(ledger_finish(ledger, 2, TRIAL_DONE));
    assert_counts(ledger, 0, 2, 2, 0);
    ledger_destroy(ledger);
}

/* ---- groups by seconds ---- */

/* Seconds beyond the buckets, and on their edges. */
static void test_extremes(void **state)
{
    static const double seconds[] = {0, DBL_MIN, 1e-12,  0x1p-25, 0x1p-24, 0x1.fffffffffffffp-1,
                                     1, 0x1p22,  0x1p23, 1e12,    DBL_MAX};
    enum { COUNT = sizeof seconds / sizeof *seconds };
    struct ledger *ledger = ledger_create(COUNT, 1, seconds, 2, NULL);
    int64_t out[1] = {0};

    (void)state;
    assert_int_equal(ledger_check(ledger, NULL), 0);
    for (int32_t g = COUNT; g-- > 0;) {
        if (seconds[g] > 0x1p-24 && seconds[g] < 0x1p23)
            assert_int_equal(ledger_next(ledger, 0, seconds[g]), g);
        assert_int_equal(lease(ledger, g, 1, out), 1);
        /* the first and the last bucket have several */
        assert_true(fmin(fmax(seconds[out[0]], 0x1p-25), 0x1p23) ==
                    fmin(fmax(seconds[g], 0x1p-25), 0x1p23));
    }
    ledger_destroy(ledger);
}

enum { N = 200, N_STEPS = 20000 };
#define WIDTH (1 + 1.0 / 32) /* the widest bucket */

/* The longest trial that fits is found to within a bucket. */
static void check_next(const struct ledger *ledger, double most_s)
{
    int64_t got = ledger_next(ledger, 0, most_s);
    double best_s = 0;

    for (int32_t g = 0; g < N; g++)
        if (ledger_state(ledger, g) == TRIAL_PENDING && ledger_expected(ledger, g) <= most_s)
            best_s = fmax(best_s, ledger_expected(ledger, g));
    if (got >= 0) {
        double s = ledger_expected(ledger, (int32_t)got);

        assert_true(ledger_state(ledger, got) == TRIAL_PENDING && s <= most_s);
        assert_true(s * WIDTH >= best_s || best_s * WIDTH >= most_s);
    } else {
        assert_true(best_s == 0 || best_s * WIDTH >= most_s);
    }
}

static void test_longest_first(void **state)
{
    struct ledger *ledger = ledger_create(N, 1, NULL, 2, NULL);
    struct rng rng;

    (void)state;
    rng_init(&rng, hash_text("pending"), RNG_SIMULATE);
    for (uint32_t step = 0; step < N_STEPS; step++) {
        int32_t g = (int32_t)(N * rng_uniform(&rng, 1, step));

        if (rng_uniform(&rng, 3, step) > 0.3)
            ledger_expect(ledger, g, exp(4 * rng_normal(&rng, 2, step)));
        else if (ledger_lessee(ledger, g) >= 0)
            ledger_give_back(ledger, g);
        else
            assert_int_equal(ledger_lease(ledger, 0, g, NULL), 0);
        check_next(ledger, exp(4 * rng_normal(&rng, 4, step)));
        check_next(ledger, INFINITY);
        if (step % 16 == 0)
            assert_checked(ledger);
    }
    ledger_destroy(ledger);
}

/* Each worker in turn hands in what it holds and leases more. One in two hundred is lost with what
 * it holds, and comes back empty. */
#define MANY_WORKERS 10000
#define MANY_TRIALS 1000000
#define BATCH 16

static void visit(struct ledger *ledger, int32_t w, int64_t held[BATCH], int32_t *n_held,
                  bool is_lost, int64_t *n_accepted)
{
    assert_int_equal(ledger_held(ledger, w), *n_held);
    if (*n_held)
        ledger_start(ledger, w, held[0]);
    if (is_lost)
        *n_accepted += ledger_lose_worker(ledger, w) >= 0;
    for (int32_t i = 0; i < *n_held && !is_lost; i++)
        *n_accepted += ledger_finish(ledger, held[i], TRIAL_DONE);
    for (*n_held = 0; *n_held < BATCH && (held[*n_held] = ledger_next(ledger, w, INFINITY)) >= 0;)
        ledger_lease(ledger, w, held[(*n_held)++], NULL);
}

static void test_many_workers(void **state)
{
    struct ledger *ledger = ledger_create(MANY_TRIALS, 10, NULL, 3, NULL);
    int64_t(*held)[BATCH] = calloc(MANY_WORKERS, sizeof *held);
    int32_t *n_held = calloc(MANY_WORKERS, sizeof *n_held);
    int64_t n_accepted = 0;
    uint32_t round = 0;
    struct rng rng;
    struct err err = {""};

    (void)state;
    rng_init(&rng, hash_text("many"), RNG_SIMULATE);
    for (; !ledger_is_finished(ledger); round++) {
        for (int32_t w = 0; w < MANY_WORKERS; w++)
            visit(ledger, w, held[w], &n_held[w], rng_uniform(&rng, round, (uint32_t)w) < 0.005,
                  &n_accepted);
        if (ledger_check(ledger, &err))
            fail_msg("round %u: %s", round, err.text);
    }
    assert_int_equal(n_accepted, MANY_TRIALS);
    assert_true(round < 20);
    free(held);
    free(n_held);
    ledger_destroy(ledger);
}

static void test_empty(void **state)
{
    struct ledger *ledger = ledger_create(0, 1, NULL, 1, NULL);
    int64_t out[1] = {0};

    (void)state;
    assert_counts(ledger, 0, 0, 0, 0);
    assert_int_equal(lease(ledger, 0, 1, out), 0);
    ledger_destroy(ledger);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),           cmocka_unit_test(test_order_changes),
        cmocka_unit_test(test_results),         cmocka_unit_test(test_given_back),
        cmocka_unit_test(test_reopened),        cmocka_unit_test(test_held),
        cmocka_unit_test(test_crash_limit),     cmocka_unit_test(test_crash_of_the_right_trial),
        cmocka_unit_test(test_empty),           cmocka_unit_test(test_out_of_order),
        cmocka_unit_test(test_unknown_culprit), cmocka_unit_test(test_blame),
        cmocka_unit_test(test_suspect),         cmocka_unit_test(test_fitting),
        cmocka_unit_test(test_extremes),        cmocka_unit_test(test_longest_first),
        cmocka_unit_test(test_many_workers),
    };

    return cmocka_run_group_tests_name("ledger", tests, NULL, NULL);
}
