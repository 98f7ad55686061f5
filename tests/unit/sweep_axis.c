/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "grid/axis.h"
#include "unit.h"

/* wanted: the values, joined by blanks. */
static void assert_axis(enum param_id id, const char *text, const char *wanted)
{
    struct axis axis = {.id = id, .row = param_row(id)};
    struct buf out = {0};
    struct err err;

    if (axis_parse(&axis, text, &err))
        fail_msg("%s", err.text);
    for (int32_t i = 0; i < axis.n; i++) {
        buf_puts(&out, i ? " " : "");
        param_format(&out, id, axis.values[i]);
    }
    assert_string_equal(buf_text(&out), wanted);
    buf_release(&out);
    axis_release(&axis);
}

static void assert_refused(enum param_id id, const char *text, const char *message)
{
    struct axis axis = {.id = id, .row = param_row(id)};
    struct err err = {.text = ""};

    assert_int_equal(axis_parse(&axis, text, &err), -1);
    assert_string_equal(err.text, message);
    assert_null(axis.values);
}

static void test_lists(void **state)
{
    (void)state;
    assert_axis(P_HIDDEN_SIZE, "16, 32,64 ,128", "16 32 64 128");
    assert_axis(P_BATCH_SIZE, "128, full, 32", "128 full 32");
    assert_axis(P_ACTIVATION, "tanh, relu", "tanh relu");
    assert_axis(P_REDUCE, "none, exact, pca:20,pca:50", "none exact pca:20 pca:50");
    assert_axis(P_DROPOUT, "0.5", "0.5");
    assert_axis(P_LEARNING_RATE, "log(1e-3, 1e-1, 3), 0.5, 1:2:0.5", "0.001 0.01 0.1 0.5 1 1.5 2");
}

static void test_ranges(void **state)
{
    (void)state;
    assert_axis(P_DROPOUT, "0.2:0.5:0.1", "0.2 0.3 0.4 0.5");
    assert_axis(P_DROPOUT, " 0.5 : 0.2 : -0.1 ", "0.5 0.4 0.3 0.2");
    assert_axis(P_DROPOUT, "0:0.95:0.3", "0 0.3 0.6 0.9");
    assert_axis(P_HIDDEN_SIZE, "16:64:16", "16 32 48 64");
    assert_axis(P_HIDDEN_SIZE, "5:5:1", "5");
    assert_axis(P_DROPOUT, "0.1:0.3:0.2", "0.1 0.3"); /* 0.3 - 0.1 is less than 0.2 */
    assert_axis(P_BATCH_SIZE, "32:64:32, full", "32 64 full");
    assert_axis(P_EPOCHS, "1000000:3000000:1000000", "1000000 2000000 3000000");
}

/* The same bits give the same trial keys. */
static void test_ranges_equal_lists(void **state)
{
    struct axis range = {.id = P_DROPOUT, .row = &param_table[P_DROPOUT]},
                list = {.id = P_DROPOUT, .row = &param_table[P_DROPOUT]};

    (void)state;
    assert_int_equal(axis_parse(&range, "0.01:0.99:0.01", NULL), 0);
    assert_int_equal(range.n, 99);
    for (int i = 0; i < 99; i++) {
        char text[16];

        snprintf(text, sizeof text, "0.%02d", i + 1);
        assert_int_equal(axis_parse(&list, text, NULL), 0);
        assert_memory_equal(&range.values[i], &list.values[0], sizeof *list.values);
    }
    axis_release(&range);
    axis_release(&list);
}

static void test_logs(void **state)
{
    (void)state;
    assert_axis(P_LEARNING_RATE, "log(1e-4, 1e-1, 4)", "0.0001 0.001 0.01 0.1");
    assert_axis(P_LEARNING_RATE, "log (1, 1e-2, 3)", "1 0.1 0.01");
    assert_axis(P_LEARNING_RATE, "log(0.3,9,1)", "0.3");
    assert_axis(P_HIDDEN_SIZE, "log(16, 128, 4)", "16 32 64 128");
    assert_axis(P_HIDDEN_SIZE, "log(10, 1000, 4)", "10 46 215 1000");
}

static void test_conditions(void **state)
{
    struct axis axis = {.id = (enum param_id)P_COUNT, .row = param_row((enum param_id)P_COUNT)};

    (void)state;
    assert_int_equal(
        axis_parse(&axis, "'a, if b', 1: 3 :1 , log( 5 , 10, 2) if  y = 'c, d' or 1", NULL), 0);
    assert_int_equal(axis.n, 6);
    assert_string_equal(axis.values[0].s, "a, if b");
    assert_string_equal(axis.values[5].s, "10");
    assert_string_equal(axis.condition, "y = 'c, d' or 1");
    assert_int_equal(axis_parse(&axis, "4", NULL), 0);
    assert_string_equal(axis.condition, "y = 'c, d' or 1");
    assert_int_equal(axis_parse(&axis, "4 if z", NULL), 0);
    assert_string_equal(axis.condition, "z");
    axis_release(&axis);
    assert_null(axis.condition);
}

static void test_refused_lists(void **state)
{
    (void)state;
    assert_refused(P_DROPOUT, "", "dropout: an axis needs at least one value");
    assert_refused(P_DROPOUT, " \t", "dropout: an axis needs at least one value");
    assert_refused(P_DROPOUT, "0.1,,0.2", "dropout: value 2 of the list is empty");
    assert_refused(P_DROPOUT, "0.1, 0.2,", "dropout: value 3 of the list is empty");
    assert_refused(P_DROPOUT, "0.1 0.2", "dropout = 0.1 0.2: must be a number in [0, 1)");
    assert_refused(P_DROPOUT, "0.1, 0.2, 0.10", "dropout: 0.1 comes twice");
    assert_refused(P_DROPOUT, "0, -0", "dropout: 0 comes twice");
    assert_refused(P_BUILD, "auto, knn", "build = auto: an axis must name the value");
    assert_refused(P_DROPOUT, "0.5, 1", "dropout = 1: must be in [0, 1)");
    assert_refused(P_DROPOUT, "0,25, 0,5",
                   "dropout = 25: must be in [0, 1); if 0,25 is one number, use a decimal point: "
                   "0.25");
    assert_refused(P_ACTIVATION, "relu, log(1,2,3)",
                   "activation = log(1,2,3): ranges and log() are for numbers");
    assert_refused(P_REDUCE, "log(1,2,3)", "reduce = log(1,2,3): ranges and log() are for numbers");
    assert_refused(P_REDUCE, "exact, pca:10:50:20",
                   "reduce = pca:10:50:20: must be none | exact | pca:K, K an integer in [1, "
                   "1000000000]");
    assert_refused(P_REDUCE, "pca:5, pca:05", "reduce: pca:5 comes twice");
    assert_refused(P_ACTIVATION, "1:2:3", "activation = 1:2:3: ranges and log() are for numbers");
}

static void test_refused_ranges(void **state)
{
    (void)state;
    assert_refused(P_DROPOUT, "0:0.5:0", "dropout = 0:0.5:0: the step is zero");
    assert_refused(P_DROPOUT, "0:0.5:-0.1", "dropout = 0:0.5:-0.1: the step leads away from 0.5");
    assert_refused(P_DROPOUT, "0:0.5:5",
                   "dropout = 0:0.5:5: the step is larger than the range lo:hi:step: five values "
                   "from 0 to 1 are 0:1:0.25; for one value write 0");
    assert_refused(P_DROPOUT, "0.5:0:-5",
                   "dropout = 0.5:0:-5: the step is larger than the range lo:hi:step: five values "
                   "from 0 to 1 are 0:1:0.25; for one value write 0.5");
    assert_refused(P_DROPOUT, "0:0.5", "dropout = 0:0.5: a range is lo:hi:step, three numbers");
    assert_refused(P_DROPOUT, "0:0.5:0.1:1",
                   "dropout = 0:0.5:0.1:1: a range is lo:hi:step, three numbers");
    assert_refused(P_DROPOUT, "0:a:0.1", "dropout = 0:a:0.1: a range is lo:hi:step, three numbers");
    assert_refused(P_DROPOUT, "0:0.9:1e-9",
                   "dropout = 0:0.9:1e-9: 9e+08 values, at most 100000 are allowed");
    assert_refused(P_DROPOUT, "0:0.9:1e-320",
                   "dropout = 0:0.9:1e-320: inf values, at most 100000 are allowed");
    assert_refused(P_DROPOUT, "0:1:0.5", "dropout = 1: must be in [0, 1)");
    assert_refused(P_HIDDEN_SIZE, "1:3:0.5", "hidden_size = 1.5: must be an integer in [1, 65536]");
    assert_refused(P_HIDDEN_SIZE, "1:65536:1, 1:65536:1", "hidden_size: more than 100000 values");
    assert_refused(P_HIDDEN_SIZE, "4:6:1, 5", "hidden_size: 5 comes twice");
}

static void test_refused_logs(void **state)
{
    (void)state;
    assert_refused(P_LEARNING_RATE, "log(0, 1, 3)",
                   "learning_rate = log(0, 1, 3): lo and hi must be greater than 0");
    assert_refused(P_LEARNING_RATE, "log(1, -1, 3)",
                   "learning_rate = log(1, -1, 3): lo and hi must be greater than 0");
    assert_refused(P_LEARNING_RATE, "log(1, 2, 0)",
                   "learning_rate = log(1, 2, 0): n must be an integer in [1, 100000]");
    assert_refused(P_LEARNING_RATE, "log(1, 2, 2.5)",
                   "learning_rate = log(1, 2, 2.5): n must be an integer in [1, 100000]");
    assert_refused(P_LEARNING_RATE, "log(1, 2, 1e9)",
                   "learning_rate = log(1, 2, 1e9): n must be an integer in [1, 100000]");
    assert_refused(P_LEARNING_RATE, "log(1, 2)",
                   "learning_rate = log(1, 2): must be log(lo, hi, n), three numbers");
    assert_refused(P_LEARNING_RATE, "log(1, 2, 3",
                   "learning_rate = log(1, 2, 3: must be a number in (0, 1000]");
    assert_refused(P_LEARNING_RATE, "log(1, 1, 2)", "learning_rate: 1 comes twice");
    assert_refused(P_HIDDEN_SIZE, "log(1, 2, 8)", "hidden_size: 1 comes twice");
}

static void test_fault_keeps_axis(void **state)
{
    struct axis axis = {.id = P_K, .row = &param_table[P_K]};

    (void)state;
    assert_int_equal(axis_parse(&axis, "5, 10", NULL), 0);
    assert_int_equal(axis_parse(&axis, "5, x", NULL), -1);
    assert_int_equal(axis.n, 2);
    assert_int_equal(axis.values[1].i, 10);
    axis_release(&axis);
    axis_release(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_ranges_equal_lists),
        cmocka_unit_test(test_logs),
        cmocka_unit_test(test_conditions),
        cmocka_unit_test(test_refused_lists),
        cmocka_unit_test(test_refused_ranges),
        cmocka_unit_test(test_refused_logs),
        cmocka_unit_test(test_fault_keeps_axis),
    };

    return cmocka_run_group_tests_name("sweep_axis", tests, NULL, NULL);
}
