/* SPDX-License-Identifier: BSD-3-Clause */
#include "trial/failures.h"
#include "unit.h"

static enum failures_verdict note(struct failures *f, int64_t trial, enum trial_state state,
                                  const char *reason)
{
    int32_t config = (int32_t)(trial % 100);

    struct trial_result r;

    trial_result_init(&r, trial);
    r.state = state;
    snprintf(r.error, sizeof r.error, "%s", reason);
    return failures_note(f, config, &r);
}

static void test_three_alike(void **state)
{
    struct failures f;

    (void)state;
    failures_init(&f, FAILURES_ALIKE, 50, false);
    assert_int_equal(note(&f, 4, TRIAL_FAILED, "took 1.25 s, limit 1 s"), FAILURES_GO_ON);
    assert_int_equal(note(&f, 5, TRIAL_FAILED, "took 31 s, limit 1 s"), FAILURES_GO_ON);
    assert_int_equal(note(&f, 9, TRIAL_PENDING, ""), FAILURES_GO_ON);
    assert_int_equal(note(&f, 6, TRIAL_FAILED, "took 2 s, limit 1 s"), FAILURES_ALL_ALIKE);
    assert_int_equal(f.trial, 6);
    assert_string_equal(f.reason, "took 2 s, limit 1 s");
    /* Trials that were still running do not change the reason. */
    assert_int_equal(note(&f, 7, TRIAL_DONE, ""), FAILURES_ALL_ALIKE);
    assert_int_equal(note(&f, 8, TRIAL_FAILED, "other"), FAILURES_ALL_ALIKE);
    assert_int_equal(f.trial, 6);
}

/* Trials 7, 107 and 207 are folds of one configuration. */
static void test_one_bad_configuration(void **state)
{
    struct failures f;

    (void)state;
    for (int32_t n_configs = 1; n_configs <= 4; n_configs++) {
        int32_t needed = n_configs < FAILURES_IN_A_ROW ? n_configs : FAILURES_IN_A_ROW;

        failures_init(&f, FAILURES_ALIKE, n_configs, false);
        for (int32_t config = 1; config <= needed; config++)
            for (int fold = 0; fold < 3; fold++)
                if (config < needed || fold < 2)
                    note(&f, 100 * fold + config, TRIAL_FAILED, "out of memory");
        assert_int_equal(f.verdict, n_configs >= 2 ? FAILURES_ALL_ALIKE : FAILURES_GO_ON);
        failures_init(&f, FAILURES_ALIKE, n_configs, false);
        for (int fold = 0; fold < 9; fold++)
            note(&f, 100 * fold + 7, TRIAL_FAILED, "out of memory");
        assert_int_equal(f.verdict, n_configs == 1 ? FAILURES_ALL_ALIKE : FAILURES_GO_ON);
        /* a limit replaces this rule */
        failures_init(&f, 0, n_configs, false);
        for (int i = 0; i < 40; i++)
            assert_int_equal(note(&f, i, TRIAL_FAILED, "out of memory"), FAILURES_GO_ON);
    }
}

static void test_other_reasons(void **state)
{
    struct failures f;

    (void)state;
    failures_init(&f, FAILURES_ALIKE, 50, false);
    for (int i = 0; i < 10; i++) {
        assert_int_equal(note(&f, 0, TRIAL_FAILED, "a"), FAILURES_GO_ON);
        assert_int_equal(note(&f, 1, TRIAL_FAILED, "a"), FAILURES_GO_ON);
        assert_int_equal(note(&f, 2, TRIAL_FAILED, "ab"), FAILURES_GO_ON);
        assert_int_equal(note(&f, 2, TRIAL_FAILED, "ab"), FAILURES_GO_ON);
    }
    assert_int_equal(f.n, 40);
}

static void test_after_success(void **state)
{
    static const enum trial_state successes[] = {TRIAL_DONE, TRIAL_DIVERGED};
    struct failures f;

    (void)state;
    for (int i = 0; i < 3; i++) {
        failures_init(&f, FAILURES_ALIKE, 50, i == 2);
        if (i < 2)
            assert_int_equal(note(&f, 0, successes[i], ""), FAILURES_GO_ON);
        for (int k = 0; k < 10; k++)
            assert_int_equal(note(&f, k, TRIAL_FAILED, "a"), FAILURES_GO_ON);
    }
}

static void test_limit(void **state)
{
    struct failures f;

    (void)state;
    failures_init(&f, 2, 50, true);
    assert_int_equal(note(&f, 0, TRIAL_FAILED, "a"), FAILURES_GO_ON);
    assert_int_equal(note(&f, 1, TRIAL_DONE, ""), FAILURES_GO_ON);
    assert_int_equal(note(&f, 2, TRIAL_FAILED, "b"), FAILURES_TOO_MANY);
    assert_int_equal(f.n, 2);
    failures_init(&f, 1, 50, false);
    assert_int_equal(note(&f, 0, TRIAL_FAILED, "a"), FAILURES_TOO_MANY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_three_alike),   cmocka_unit_test(test_one_bad_configuration),
        cmocka_unit_test(test_other_reasons), cmocka_unit_test(test_after_success),
        cmocka_unit_test(test_limit),
    };

    return cmocka_run_group_tests_name("failures", tests, NULL, NULL);
}
