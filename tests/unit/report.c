/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/report.h"
#include "run/progress.h"

static char *names[] = {"config", "note", "mean"};
static struct cell cells[] = {
    {.type = CELL_INTEGER, .i = 12},
    {.type = CELL_TEXT, .s = "Grün"},
    {.type = CELL_REAL, .f = 0.1},
    {.type = CELL_INTEGER, .i = 3},
    {.type = CELL_TEXT, .s = "a \"b\", c\n"},
    {.type = CELL_NULL},
};
static const struct result_table table = {names, 3, 2, cells};

static void assert_report(void (*report)(struct buf *, const struct result_table *),
                          const char *wanted)
{
    struct buf out = {0};

    report(&out, &table);
    assert_string_equal(buf_text(&out), wanted);
    buf_release(&out);
}

static void test_text(void **state)
{
    struct buf out = {0};
    const struct result_table one = {names, 3, 1, cells};

    (void)state;
    report_text(&out, &one);
    assert_string_equal(buf_text(&out), "config  note  mean\n"
                                        "    12  Grün   0.1\n");
    buf_release(&out);
}

static void test_record(void **state)
{
    const struct result_table one = {names, 3, 1, cells};
    const struct result_table none = {names, 3, 0, NULL};
    const struct result_table without = {names, 3, 1, cells + 3};
    struct buf out = {0};

    (void)state;
    report_record(&out, &one);
    assert_string_equal(buf_text(&out), "config  12\n"
                                        "note    Grün\n"
                                        "mean    0.1\n");
    buf_clear(&out);
    report_record(&out, &none);
    assert_string_equal(buf_text(&out), "");
    report_record(&out, &without);
    assert_string_equal(buf_text(&out), "config  3\n"
                                        "note    a \"b\", c?\n");
    buf_release(&out);
}

static void expect_efficiency(const double row[6], int64_t ranks, int64_t n_rows,
                              const char *wanted)
{
    static char *columns[] = {"session",   "ranks",   "trials", "elapsed_s", "total_s",
                              "longest_s", "bound_s", "busy",   "above"};
    struct cell row_cells[9] = {{.type = CELL_INTEGER, .i = 1},
                                {.type = CELL_INTEGER, .i = ranks},
                                {.type = CELL_INTEGER, .i = 4}};
    const struct result_table one = {columns, 9, n_rows, row_cells};
    struct buf out = {0};

    for (int i = 0; i < 6; i++)
        row_cells[3 + i] =
            (struct cell){.type = isnan(row[i]) ? CELL_NULL : CELL_REAL, .f = row[i]};
    progress_efficiency(&out, &one);
    assert_string_equal(buf_text(&out), wanted);
    buf_release(&out);
}

/* elapsed_s, total_s, longest_s, bound_s, busy, above */
static void test_efficiency(void **state)
{
    const double even[6] = {11.4, 22.4, 3, 11.2, 0.9825, 0.0179};
    const double long_one[6] = {30, 40, 25, 25, 0.6667, 0.2};
    const double no_ops[6] = {0.2, 0.01, 1e-6, 0.005, 0.001, 40};
    const double instant[6] = {0, 0, 0, 0, NAN, NAN};

    (void)state;
    expect_efficiency(even, 2, 1,
                      "ranks were busy 98.2 % of the time; 1.8 % above the lower bound of 11.2 s "
                      "(total / 2 ranks)");
    expect_efficiency(even, 1, 1,
                      "ranks were busy 98.2 % of the time; 1.8 % above the lower bound of 11.2 s "
                      "(total / 1 rank)");
    expect_efficiency(long_one, 2, 1,
                      "ranks were busy 66.7 % of the time; 20 % above the lower bound of 25 s "
                      "(the longest trial)");
    expect_efficiency(no_ops, 2, 1,
                      "ranks were busy 0.1 % of the time; 41 times the lower bound of 0.005 s "
                      "(total / 2 ranks)");
    expect_efficiency(instant, 2, 1, "");
    expect_efficiency(even, 2, 0, "");
}

static void test_csv(void **state)
{
    (void)state;
    assert_report(report_csv, "config,note,mean\n12,Grün,0.1\n3,\"a \"\"b\"\", c\n\",\n");
}

static void test_json(void **state)
{
    (void)state;
    assert_report(report_json, "[{\"config\": 12, \"note\": \"Grün\", \"mean\": 0.1},\n"
                               " {\"config\": 3, \"note\": \"a \\\"b\\\", c\\u000a\", "
                               "\"mean\": null}]\n");
}

static void test_json_has_no_nan(void **state)
{
    struct cell bad[] = {{.type = CELL_REAL, .f = NAN}};
    const struct result_table nan = {names, 1, 1, bad};
    struct buf out = {0};

    (void)state;
    report_json(&out, &nan);
    assert_string_equal(buf_text(&out), "[{\"config\": null}]\n");
    buf_release(&out);
}

static void test_empty(void **state)
{
    const struct result_table none = {names, 3, 0, NULL};
    struct buf out = {0};

    (void)state;
    report_format(&out, &none, "json");
    assert_string_equal(buf_text(&out), "[]\n");
    buf_clear(&out);
    report_format(&out, &none, "table");
    assert_string_equal(buf_text(&out), "config  note  mean\n");
    buf_release(&out);
}

/* Each real is formatted once, or not at all if the row above has the same. No row is visited
 * twice. */
static void test_rows_cost_themselves(void **state)
{
    static const char *const formats[] = {"table", "csv", "json"};
    static char *axes[] = {"rate", "seconds"};

    (void)state;
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++)
        for (int64_t n = 100; n <= 1000; n *= 10) {
            struct cell row[] = {{.type = CELL_REAL, .f = 0.25}, {.type = CELL_REAL}};
            struct buf out = {0};
            struct report report;

            report_begin(&report, &out, axes, 2, formats[f]);
            for (int64_t r = 0; r < n; r++) {
                row[1].f = (double)r + 0.5;
                report_row(&report, row);
            }
            report_end(&report);
            assert_int_equal(report.n_rows, n);
            assert_int_equal(report.n_formatted, n + 1);
            assert_false(buf_failed(&out));
            buf_release(&out);
        }
}

/* -0 equals 0 but has another text. */
static void test_negative_zero(void **state)
{
    static char *axes[] = {"value"};
    struct cell zero = {.type = CELL_REAL}, negative = {.type = CELL_REAL, .f = -0.0};
    struct buf out = {0};
    struct report report;

    (void)state;
    report_begin(&report, &out, axes, 1, "csv");
    report_row(&report, &zero);
    report_row(&report, &negative);
    report_row(&report, &zero);
    report_end(&report);
    assert_string_equal(buf_text(&out), "value\n0\n-0\n0\n");
    buf_release(&out);
}

/* Rows passed one by one give the same as a whole table. All rows share one alignment, including
 * those before the gap. */
static void test_gap(void **state)
{
    struct buf out = {0};
    struct report report;

    (void)state;
    report_begin(&report, &out, names, 3, "table");
    report_row(&report, cells);
    report_gap(&report);
    report_row(&report, cells + 3);
    report_end(&report);
    assert_string_equal(buf_text(&out), "config  note       mean\n"
                                        "    12  Grün        0.1\n"
                                        "...\n"
                                        "     3  a \"b\", c?     -\n");
    buf_release(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text),          cmocka_unit_test(test_record),
        cmocka_unit_test(test_efficiency),    cmocka_unit_test(test_csv),
        cmocka_unit_test(test_json),          cmocka_unit_test(test_json_has_no_nan),
        cmocka_unit_test(test_empty),         cmocka_unit_test(test_rows_cost_themselves),
        cmocka_unit_test(test_negative_zero), cmocka_unit_test(test_gap),
    };

    return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}
