/* SPDX-License-Identifier: BSD-3-Clause */
/* The rules of advice, and values beyond the end of an axis. */
#include <math.h>

#include "gcn/metric.h"
#include "run/advice.h"
#include "unit.h"

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

/* Facts at the threshold, and beyond it. */
static void test_rules(void **state)
{
    struct errlist advice = {0};

    (void)state;
    advise(&advice, RULE_CLASSES, 10, "%d", 10);
    advise(&advice, RULE_SMALL_PART, ADVICE_FEW, "a" AND "b" AND "c" AND "d");
    advise(&advice, RULE_R2, 0, "%d" AND "0" AND "", 3);
    advise(&advice, RULE_R2, (double)NAN, "%d" AND "0" AND "", 3);
    advise(&advice, RULE_LIKE_FIXED, 0, "%d" AND "%d", 3, 1);
    is_only(&advice, NULL);
    advise(&advice, RULE_CLASSES, 11, "%d", 11);
    is_only(&advice, "the target has 11 different whole numbers, which are used as classes: set "
                     "[data] task = regression if they are amounts, task = classification if they "
                     "are classes");
    advise(&advice, RULE_SMALL_PART, 29,
           "the test part has" AND "%d samples" AND "its scores depend" AND "a larger part", 29);
    is_only(&advice, "the test part has only 29 samples, so its scores depend much on chance: use "
                     "a larger part");
    advise(&advice, RULE_LIKE_FIXED, 1, "%d" AND "%d", 3, 1);
    is_only(&advice,
            "c3 does not beat c1, the fixed effects alone (the 95 % interval of the paired "
            "difference contains 0): nothing shows that the features add to them");
    advise(&advice, RULE_SAME_REPEATS, 1,
           "folds" AND "%d" AND "fold" AND "folds" AND "ESPALIER_FOLD", 5);
    is_only(&advice, "folds = 5, but the command has neither {fold} nor {seed}: all folds of a "
                     "configuration are the same, unless the program reads ESPALIER_FOLD");
}

/* Every rule has a sentence and a remedy, and lacks no word. */
static void test_table(void **state)
{
    const char *words = "a" AND "b" AND "c" AND "d" AND "e" AND "f" AND "g" AND "h";

    (void)state;
    for (int rule = 0; rule < RULES; rule++) {
        struct errlist advice = {0};

        advise(&advice, (enum rule)rule, 1e9, "%s", words);
        advise(&advice, (enum rule)rule, -1e9, "%s", words);
        assert_int_equal(advice.n, 1);
        assert_null(strstr(advice.text[0], "{}"));
        assert_null(strstr(advice.text[0], "(null)"));
        assert_non_null(strstr(advice.text[0], ": "));
        errlist_release(&advice);
    }
}

static void losses(struct advice_losses losses, const char *text)
{
    struct buf out = {0};

    advice_put_losses(&out, &losses, "val_r2");
    assert_string_equal(buf_text(&out), text);
    buf_release(&out);
}

static void test_losses(void **state)
{
    (void)state;
    losses((struct advice_losses){.left = 3}, "");
    losses((struct advice_losses){.diverged = 3},
           "all 3 trials diverged (the loss was no longer finite): try a smaller learning rate");
    losses((struct advice_losses){.failed = 2, .diverged = 1, .undefined = 4, .left = 1},
           "no trial has a score yet: of 8 trials 2 failed, 1 diverged (the loss was no longer "
           "finite), 4 ended without a value of val_r2, 1 is left");
}

static void test_lacks(void **state)
{
    (void)state;
    for (int m = 0; m < METRIC_COUNT; m++)
        assert_non_null(strstr(metric_rows[m].lack, "has none; choose "));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rules),   cmocka_unit_test(test_table),
        cmocka_unit_test(test_losses),  cmocka_unit_test(test_lacks),
        cmocka_unit_test(test_ratios),  cmocka_unit_test(test_steps),
        cmocka_unit_test(test_no_edge), cmocka_unit_test(test_free_edges),
    };

    return cmocka_run_group_tests_name("advice", tests, NULL, NULL);
}
