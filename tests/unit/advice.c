/* SPDX-License-Identifier: BSD-3-Clause */
/* Statistical advice: from facts to texts. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "gcn/metric.h"
#include "run/advice.h"

static void is_only(struct errlist *advice, const char *text)
{
    assert_int_equal(advice->n, text ? 1 : 0);
    if (text)
        assert_string_equal(advice->text[0], text);
    errlist_release(advice);
    *advice = (struct errlist){0};
}

static void edge(enum param_id id, const double *levels, int32_t n, double chosen, const char *text)
{
    struct advice_axis axis = {
        .name = param_table[id].key, .id = id, .levels = levels, .n = n, .chosen = chosen};
    struct errlist advice = {0};

    advice_axis(&advice, &axis, 7);
    is_only(&advice, text);
}

#define RATES ((const double[]){0.001, 0.01, 0.1})
#define SIZES ((const double[]){16, 32, 64})

static void test_ratios(void **state)
{
    (void)state;
    edge(
        P_LEARNING_RATE, RATES, 3, 0.1,
        "learning_rate: c7 has 0.1, the largest of 3 values, so a better one may lie beyond: try 1 "
        "and 10 (--set grid.learning_rate=1,10 adds them to the sweep)");
    edge(P_LEARNING_RATE, RATES, 3, 0.001,
         "learning_rate: c7 has 0.001, the smallest of 3 values, so a better one may lie beyond: "
         "try 0.0001 and 1e-05 (--set grid.learning_rate=0.0001,1e-05 adds them to the sweep)");
    edge(P_HIDDEN_SIZE, SIZES, 3, 64,
         "hidden_size: c7 has 64, the largest of 3 values, so a better one may lie beyond: try 128 "
         "and 256 (--set grid.hidden_size=128,256 adds them to the sweep)");
}

static void test_steps(void **state)
{
    (void)state;
    edge(
        P_DROPOUT, (const double[]){0.2, 0.3, 0.4}, 3, 0.4,
        "dropout: c7 has 0.4, the largest of 3 values, so a better one may lie beyond: try 0.5 and "
        "0.6 (--set grid.dropout=0.5,0.6 adds them to the sweep)");
    /* One step would leave the range: advise half the distance to its end. */
    edge(P_DROPOUT, (const double[]){0.5, 0.7, 0.9}, 3, 0.9,
         "dropout: c7 has 0.9, the largest of 3 values, so a better one may lie beyond: try 0.95 "
         "and 0.97 (--set grid.dropout=0.95,0.97 adds them to the sweep)");
    edge(P_LAYERS, (const double[]){1, 2, 3}, 3, 3,
         "layers: c7 has 3, the largest of 3 values, so a better one may lie beyond: try 4 and 5 "
         "(--set grid.layers=4,5 adds them to the sweep)");
    edge(P_K, (const double[]){2, 4, 6}, 3, 2,
         "k: c7 has 2, the smallest of 3 values, so a better one may lie beyond: try 1 (--set "
         "grid.k=1 adds them to the sweep)");
}

static void test_no_edge(void **state)
{
    struct advice_axis axis = {.name = "batch_size",
                               .id = P_BATCH_SIZE,
                               .levels = SIZES,
                               .n = 3,
                               .has_full = true,
                               .chosen = 64};
    struct errlist advice = {0};

    (void)state;
    edge(P_LEARNING_RATE, RATES, 3, 0.01, NULL);
    edge(P_LEARNING_RATE, RATES, 2, 0.01, NULL);
    /* These are the ends of the setting's own range; patience = 0 means never. */
    edge(P_DROPOUT, (const double[]){0, 0.2, 0.4}, 3, 0, NULL);
    edge(P_LAYERS, (const double[]){1, 2, 3}, 3, 1, NULL);
    edge(P_LAYERS, (const double[]){6, 7, 8}, 3, 8, NULL);
    edge(P_PATIENCE, (const double[]){1, 2, 3}, 3, 1, NULL);
    advice_axis(&advice, &axis, 7);
    is_only(&advice, NULL);
}

static void free_edge(const double *levels, int32_t n, double chosen, const char *next)
{
    struct advice_axis axis = {
        .name = "width", .id = P_COUNT, .levels = levels, .n = n, .chosen = chosen};
    struct errlist advice = {0};
    char text[64];

    snprintf(text, sizeof text, "(--set grid.width=%s adds them", next);
    advice_axis(&advice, &axis, 7);
    assert_int_equal(advice.n, *next != '\0');
    if (advice.n)
        assert_non_null(strstr(advice.text[0], text));
    errlist_release(&advice);
}

/* Names of programs have no limits, but counts, amounts and shares have. */
static void test_free_edges(void **state)
{
    (void)state;
    free_edge((const double[]){2, 4, 8}, 3, 2, "1");
    free_edge((const double[]){1, 2, 4}, 3, 1, "");
    free_edge((const double[]){0, 1, 2}, 3, 0, "");
    free_edge((const double[]){10, 20, 30}, 3, 10, "5,2");
    free_edge((const double[]){-1, 0, 1}, 3, -1, "-2,-3");
    free_edge((const double[]){0.1, 0.2, 0.3}, 3, 0.1, "0.05,0.025");
    free_edge((const double[]){0.5, 0.7, 0.9}, 3, 0.9, "0.95,0.97");
    free_edge((const double[]){0.001, 0.01, 0.1}, 3, 0.1, "1,10");
}

static void test_baseline(void **state)
{
    struct errlist advice = {0};

    (void)state;
    advice_baseline(&advice, 3, 1, 0.1, 0.2);
    advice_baseline(&advice, 3, 1, -0.2, -0.1);
    advice_baseline(&advice, 3, 1, (double)NAN, (double)NAN);
    is_only(&advice, NULL);
    advice_baseline(&advice, 3, 1, -0.2, 0.1);
    is_only(&advice,
            "c3 does not beat c1, the fixed effects alone (the 95 % interval of the paired "
            "difference contains 0): nothing shows that the features add to them");
    advice_baseline(&advice, 1, 1, 0, 0);
    is_only(&advice, "c1, the fixed effects alone, is the best: the features add nothing to its "
                     "predictions");
}

static void test_r2(void **state)
{
    struct errlist advice = {0};

    (void)state;
    advice_r2(&advice, 3, (double)NAN, "val_pearson", true);
    advice_r2(&advice, 3, 0.0, "val_pearson", true);
    is_only(&advice, NULL);
    advice_r2(&advice, 3, -1.19, "val_pearson", false);
    is_only(&advice, "c3 has a mean validation R2 of -1.19: it predicts worse than the mean of the "
                     "target; a correlation ignores the scale of the predictions; set [sweep] "
                     "objective = val_r2 to rank by R2");
    advice_r2(&advice, 3, -0.1, "val_rmse", false);
    is_only(&advice, "c3 has a mean validation R2 of -0.1: it predicts worse than the mean of the "
                     "target; check the target and its ids, or add regularisation to the grid");
    advice_r2(&advice, 3, -0.1, "val_r2", true);
    is_only(&advice, "c3 has a mean validation R2 of -0.1: it predicts worse than the mean of the "
                     "target; check the target and its ids, or "
                     "add regularisation to the grid; [split] group leaves whole groups out, which "
                     "is harder than random folds: delete it if new samples will come from known "
                     "groups");
}

static void test_least_parts(void **state)
{
    struct errlist advice = {0};

    (void)state;
    advice_least_parts(&advice, &(struct advice_least){.train = 300, .val = 30, .test = 212});
    is_only(&advice, NULL);
    advice_least_parts(&advice, &(struct advice_least){.train = 67, .val = 23, .test = 30});
    is_only(&advice, "the smallest validation part has 23 samples, fewer than 30: its score "
                     "depends much on chance");
    advice_least_parts(&advice, &(struct advice_least){.train = 83, .test = 17});
    is_only(&advice, "the smallest test part has 17 samples, fewer than 30: the test scores depend "
                     "much on chance");
}

/* No setting makes the parts of so few samples large. */
static void test_few_samples(void **state)
{
    struct advice_parts val = {0}, stop = {0};
    struct errlist advice = {0};

    (void)state;
    advice_count_part(&val, 16, advice_most_val(80));
    advice_count_part(&stop, 13, advice_most_stop(64));
    assert_int_equal(val.n_small + stop.n_small, 0);
    advice_count_part(&val, 18, advice_most_val(90));
    advice_count_part(&stop, 10, advice_most_stop(100));
    assert_int_equal(val.n_small + stop.n_small, 2);
    advice_least_parts(&advice,
                       &(struct advice_least){.train = 51, .val = 16, .stop = 13, .test = 19});
    is_only(&advice, NULL);
}

static void test_undefined(void **state)
{
    struct errlist advice = {0};

    (void)state;
    advice_undefined(&advice, "val_roc_auc", 0, 464);
    is_only(&advice, NULL);
    advice_undefined(&advice, "val_roc_auc", 404, 464);
    is_only(&advice, "no val_roc_auc in 404 of 464 trials, which do not count: a part with one "
                     "class has none; choose objective = val_accuracy or fewer folds");
    for (int m = 0; m < METRIC_COUNT; m++) {
        advice_undefined(&advice, metric_name((enum metric)m), 1, 2);
        assert_int_equal(advice.n, 1);
        assert_non_null(strstr(advice.text[0], "has none; choose "));
        errlist_release(&advice);
        advice = (struct errlist){0};
    }
}

static void test_alike(void **state)
{
    struct query_alike alike = {.n_scored = 1};
    struct errlist advice = {0};

    (void)state;
    advice_alike(&advice, &alike, false, false);
    alike = (struct query_alike){.n_scored = 5, .n_compared = 4};
    advice_alike(&advice, &alike, false, false);
    is_only(&advice, NULL);
    alike.n_alike = 3;
    advice_alike(&advice, &alike, false, false);
    is_only(&advice,
            "3 of the 4 configurations after the best one cannot be told apart from it (the "
            "95 % interval of the difference contains 0): more replicates or folds narrow "
            "the intervals, and 'best --rule 1se' chooses the cheapest configuration "
            "that is nearly as good");
    alike = (struct query_alike){.n_scored = 5, .n_compared = 1, .n_alike = 1};
    advice_alike(&advice, &alike, false, false);
    is_only(&advice, "the configuration after the best one cannot be told apart from it (the 95 % "
                     "interval of the difference contains 0): more replicates or folds narrow the "
                     "intervals, and 'best --rule 1se' chooses the cheapest configuration that "
                     "is nearly as good");
    alike = (struct query_alike){.n_scored = 15, .n_compared = 8, .n_alike = 3};
    advice_alike(&advice, &alike, true, false);
    is_only(&advice,
            "3 of the 8 configurations that --where compares with the best one of the sweep cannot "
            "be told apart from it (the 95 % interval of the difference contains 0): more "
            "replicates or folds narrow the intervals, and 'best --rule 1se' chooses the cheapest "
            "configuration that is nearly as good");
    alike = (struct query_alike){.n_scored = 5};
    advice_alike(&advice, &alike, false, false);
    is_only(&advice, "with one trial for each configuration, no difference can be told from "
                     "chance: --set replicates=5 adds replicates, which give intervals");
    advice_alike(&advice, &alike, false, true);
    is_only(&advice, "with one trial for each configuration, no difference can be told from "
                     "chance: --set replicates=5 adds replicates, which give intervals; first let "
                     "the program use {seed} or ESPALIER_SEED, else they are copies");
}

static void test_few_trials(void **state)
{
    struct errlist advice = {0};

    (void)state;
    advice_few_trials(&advice, 1, false, false); /* advice_alike() warns of it */
    advice_few_trials(&advice, 3, true, false);
    is_only(&advice, NULL);
    advice_few_trials(&advice, 1, true, false);
    is_only(&advice, "the score of a single trial has no interval, so nobody knows how much of it "
                     "is chance: --set replicates=5 adds replicates");
    advice_few_trials(&advice, 2, false, false);
    is_only(&advice, "two trials for each configuration give intervals so wide that they show "
                     "almost nothing (one degree of freedom): use at least 5 folds, or add "
                     "replicates with --set replicates=5");
}

static void test_early_test(void **state)
{
    struct errlist advice = {0};

    (void)state;
    advice_early_test(&advice, 0, 10);
    is_only(&advice, NULL);
    advice_early_test(&advice, 4, 10);
    is_only(&advice, "these test scores are too early: 4 of 10 trials are left, so the rule may "
                     "still choose another configuration; test scores that were seen before the "
                     "choice was final are no longer an independent estimate");
}

static struct advice_parts parts(int32_t a, int32_t b)
{
    struct advice_parts parts = {0};

    advice_count_part(&parts, a, 100);
    advice_count_part(&parts, b, 100);
    return parts;
}

static void small(struct advice_parts val, struct advice_parts stop, bool is_correlation,
                  bool has_folds, const char *text)
{
    struct advice_objective objective = {"val_r2", is_correlation, has_folds};
    struct errlist advice = {0};

    advice_small_parts(&advice, &val, &stop, &objective);
    is_only(&advice, text);
}

static void test_parts(void **state)
{
    (void)state;
    small(parts(30, 40), parts(0, 0), true, false, NULL);
    small(parts(29, 40), parts(0, 0), true, true,
          "1 of 2 validation parts have fewer than 30 samples (the smallest has 29): the score "
          "depends much on chance; use fewer folds or a coarser [split] group");
    small(parts(12, 0), parts(0, 0), true, false,
          "the validation part has fewer than 30 samples (12): the score depends much on "
          "chance; use a larger [split] val");
    small(parts(2, 12), parts(0, 0), true, false,
          "1 of 2 validation parts have fewer than 3 samples (the smallest has 2): val_r2 means "
          "nothing for so few samples; use a larger [split] val, or objective = val_rmse");
    small(parts(30, 30), parts(5, 6), true, false,
          "2 of 2 stop parts have fewer than 30 samples (the smallest has 5): the choice of "
          "the epoch depends much on chance; use a larger [split] stop");
    small(parts(30, 30), parts(2, 0), true, false,
          "the stop part has fewer than 3 samples (2): val_r2 of so few samples chooses the epoch "
          "at random; use a larger [split] stop");
    small(parts(30, 30), parts(2, 0), false, false,
          "the stop part has fewer than 30 samples (2): the choice of the epoch depends "
          "much on chance; use a larger [split] stop");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ratios),      cmocka_unit_test(test_steps),
        cmocka_unit_test(test_no_edge),     cmocka_unit_test(test_free_edges),
        cmocka_unit_test(test_baseline),    cmocka_unit_test(test_r2),
        cmocka_unit_test(test_alike),       cmocka_unit_test(test_few_trials),
        cmocka_unit_test(test_early_test),  cmocka_unit_test(test_parts),
        cmocka_unit_test(test_least_parts), cmocka_unit_test(test_few_samples),
        cmocka_unit_test(test_undefined),
    };

    return cmocka_run_group_tests_name("advice", tests, NULL, NULL);
}
