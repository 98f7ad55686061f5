/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "gcn/metric.h"
#include "unit.h"

static double scratch[256];

static double regression(enum metric metric, const float *truth, const float *prediction, int n)
{
    assert_true(metric_scratch_bytes(n, 0) <= sizeof scratch);
    return metric_regression(metric, truth, prediction, n, scratch);
}

static void assert_near(double found, double want)
{
    if (!(fabs(found - want) < 1e-6))
        fail_msg("found %.9g, want %.9g", found, want);
}

static void test_names(void **state)
{
    (void)state;
    for (int i = 0; i < METRIC_COUNT; i++)
        assert_int_equal(metric_parse(metric_rows[i].name), i);
    assert_int_equal(metric_parse("accurracy"), -1);
    assert_false(metric_rows[METRIC_RMSE].is_larger_better);
    assert_true(metric_rows[METRIC_ACCURACY].is_larger_better);
    assert_int_equal(metric_rows[METRIC_LOG_LOSS].task, TASK_CLASSIFICATION);
}

/* Values computed with numpy 1.24.2. */
static void test_regression(void **state)
{
    static const float truth[] = {3, -0.5f, 2, 7, 4.25f, 2};
    static const float prediction[] = {2.5f, 0, 2, 8, 4, 2.5f};

    (void)state;
    assert_near(regression(METRIC_R2, truth, prediction, 6), 0.943006878);
    assert_near(regression(METRIC_MAE, truth, prediction, 6), 0.458333333);
    assert_near(regression(METRIC_RMSE, truth, prediction, 6), 0.549621082);
    assert_near(regression(METRIC_PEARSON, truth, prediction, 6), 0.979388793);
    assert_near(regression(METRIC_SPEARMAN, truth, prediction, 6), 0.955882353);
}

/* At 1e6 float32 has 4 decimals left; the sums must not lose them. */
static void test_pearson_of_large_offset(void **state)
{
    static const float truth[] = {1000001, 1000002, 1000003, 1000004};
    static const float prediction[] = {1, 2, 3, 5};

    (void)state;
    assert_near(regression(METRIC_PEARSON, truth, prediction, 4), 0.982707630);
}

static void test_regression_degenerate(void **state)
{
    static const float flat[] = {0.1f, 0.1f, 0.1f}, slope[] = {1, 2, 3}, bad[] = {1, NAN, 2};

    (void)state;
    assert_true(isnan(regression(METRIC_PEARSON, flat, slope, 3)));
    assert_true(isnan(regression(METRIC_PEARSON, slope, flat, 3)));
    assert_true(isnan(regression(METRIC_SPEARMAN, flat, slope, 3)));
    assert_true(isnan(regression(METRIC_SPEARMAN, slope, flat, 3)));
    assert_true(isnan(regression(METRIC_R2, flat, slope, 3)));
    assert_true(isnan(regression(METRIC_RMSE, slope, flat, 0)));
    assert_true(isnan(regression(METRIC_SPEARMAN, slope, bad, 3)));
}

static double classification(enum metric metric, const int32_t *truth, const float *prob, int n,
                             int n_classes)
{
    float log_prob[64];

    assert_true(metric_scratch_bytes(n, n_classes) <= sizeof scratch);
    for (int i = 0; i < n * n_classes; i++)
        log_prob[i] = logf(prob[i]);
    return metric_classification(metric, truth, log_prob, n, n_classes, scratch);
}

/* Two classes, with ties among the scores. */
static void test_binary(void **state)
{
    static const int32_t truth[] = {0, 0, 1, 1, 1};
    static const float prob[] = {.9f, .1f, .6f, .4f, .65f, .35f, .2f, .8f, .6f, .4f};

    (void)state;
    assert_near(classification(METRIC_ROC_AUC, truth, prob, 5, 2), 4.5 / 6);
    assert_near(classification(METRIC_ACCURACY, truth, prob, 5, 2), 0.6);
    /* class 0: 2 hits, 2 truths, 4 predictions; class 1: 1, 3, 1 */
    assert_near(classification(METRIC_MACRO_F1, truth, prob, 5, 2), (4.0 / 6 + 2.0 / 4) / 2);
    assert_near(classification(METRIC_LOG_LOSS, truth, prob, 5, 2),
                -(log(.9) + log(.6) + log(.35) + log(.8) + log(.4)) / 5);
}

/* Class 3 occurs nowhere, class 2 only among the predictions. */
static void test_multiclass(void **state)
{
    static const int32_t truth[] = {0, 1, 1, 0};
    static const float prob[] = {.7f, .1f, .1f, .1f, .2f, .6f, .1f, .1f,
                                 .1f, .2f, .6f, .1f, .4f, .4f, .1f, .1f};

    (void)state;
    assert_near(classification(METRIC_ACCURACY, truth, prob, 4, 4), 0.75);
    assert_near(classification(METRIC_MACRO_F1, truth, prob, 4, 4), (1 + 2.0 / 3 + 0) / 3);
    /* class 0: scores .7 .4 above .2 .1: 1; class 1: .6 and .2 against .1 and .4: 3 of 4 */
    assert_near(classification(METRIC_ROC_AUC, truth, prob, 4, 4), (1 + 0.75) / 2);
}

static void test_classification_degenerate(void **state)
{
    static const int32_t truth[] = {1, 1};
    static const float prob[] = {.5f, .5f, .25f, .75f};
    static const float bad[] = {NAN, .5f, .25f, .75f};

    (void)state;
    assert_true(isnan(classification(METRIC_ROC_AUC, truth, prob, 2, 2)));
    assert_near(classification(METRIC_ACCURACY, truth, prob, 2, 2), 0.5);
    assert_true(isnan(classification(METRIC_ACCURACY, truth, prob, 0, 2)));
    assert_true(isnan(classification(METRIC_ACCURACY, truth, bad, 2, 2)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_regression),
        cmocka_unit_test(test_pearson_of_large_offset),
        cmocka_unit_test(test_regression_degenerate),
        cmocka_unit_test(test_binary),
        cmocka_unit_test(test_multiclass),
        cmocka_unit_test(test_classification_degenerate),
    };

    return cmocka_run_group_tests_name("metric", tests, NULL, NULL);
}
