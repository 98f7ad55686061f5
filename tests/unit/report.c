/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "base/text_width.h"
#include "report/answer.h"
#include "report/layout.h"
#include "report/rows.h"
#include "store/query/progress.h"
#include "unit.h"

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

static void assert_table(const struct result_table *of, enum report_kind kind, const char *wanted)
{
    struct buf out = {0};

    report_table(&out, of, kind);
    assert_string_equal(buf_text(&out), wanted);
    buf_release(&out);
}

static void assert_record(const struct result_table *of, enum report_kind kind, const char *wanted)
{
    struct buf out = {0};

    report_record(&out, of, kind);
    assert_string_equal(buf_text(&out), wanted);
    buf_release(&out);
}

static void test_text(void **state)
{
    const struct result_table one = {names, 3, 1, cells};

    (void)state;
    assert_table(&one, REPORT_TABLE,
                 "config  note  mean\n"
                 "    12  Grün   0.1\n");
}

/* A long text is cut in a table for people, also in a file; programs get all of it. */
static void test_long_text(void **state)
{
    static char text[1001];
    struct cell long_cells[] = {{.type = CELL_INTEGER, .i = 12}, {.type = CELL_TEXT, .s = text}};
    const struct result_table one = {names, 2, 1, long_cells};
    struct buf out = {0};

    (void)state;
    memset(text, 'x', sizeof text - 1);
    report_table(&out, &one, REPORT_TABLE);
    assert_non_null(strstr(buf_text(&out), "    12  xxx"));
    assert_int_equal(text_width(strchr(buf_text(&out), '\n') + 1), 8 + 300 + 1);
    assert_null(strstr(buf_text(&out), text));
    assert_non_null(strstr(buf_text(&out), text_ellipsis()));
    buf_clear(&out);
    report_table(&out, &one, REPORT_CSV);
    assert_non_null(strstr(buf_text(&out), text));
    buf_clear(&out);
    report_table(&out, &one, REPORT_JSON);
    assert_non_null(strstr(buf_text(&out), text));
    buf_release(&out);
}

static void test_record(void **state)
{
    const struct result_table one = {names, 3, 1, cells};
    const struct result_table none = {names, 3, 0, NULL};
    const struct result_table without = {names, 3, 1, cells + 3};

    (void)state;
    assert_record(&one, REPORT_TABLE,
                  "config  12\n"
                  "note    Grün\n"
                  "mean    0.1\n");
    assert_record(&none, REPORT_TABLE, "");
    assert_record(&without, REPORT_TABLE,
                  "config  3\n"
                  "note    a \"b\", c?\n");
    assert_record(&without, REPORT_JSON,
                  "{\"config\": 3, \"note\": \"a \\\"b\\\", c\\u000a\", \"mean\": null}");
    assert_record(&none, REPORT_JSON, "null");
    assert_record(&one, REPORT_CSV, "config,note,mean\n12,Grün,0.1\n");
}

static void expect_efficiency(const struct query_efficiency *e, const char *wanted)
{
    struct buf out = {0};

    progress_efficiency(&out, e);
    assert_string_equal(buf_text(&out), wanted);
    buf_release(&out);
}

static void test_efficiency(void **state)
{
    struct query_efficiency even = {
        .ranks = 2, .busy = 0.9825, .above = 0.0179, .bound = {11.2, MAKESPAN_EVEN, 0}};
    const struct query_efficiency long_one = {
        .ranks = 2, .busy = 0.6667, .above = 0.2, .bound = {25, MAKESPAN_LONGEST, 0}};
    const struct query_efficiency gangs = {
        .ranks = 7, .busy = 0.85, .above = 0, .bound = {25, MAKESPAN_WIDE, 3}};
    const struct query_efficiency no_ops = {
        .ranks = 2, .busy = 0.001, .above = 40, .bound = {0.005, MAKESPAN_EVEN, 0}};
    const struct query_efficiency instant = {.ranks = 2, .above = NAN};

    (void)state;
    expect_efficiency(&even,
                      "ranks were busy 98.2 % of the time; the trials took 1.8 % longer than the "
                      "11 s of all trials spread evenly over 2 ranks");
    even.ranks = 1;
    expect_efficiency(&even,
                      "ranks were busy 98.2 % of the time; the trials took 1.8 % longer than the "
                      "11 s of all trials spread evenly over 1 rank");
    expect_efficiency(&long_one,
                      "ranks were busy 66.7 % of the time; the trials took 20 % longer than "
                      "the 25 s of the longest trial");
    expect_efficiency(&gangs,
                      "ranks were busy 85.0 % of the time; the trials took no longer than the "
                      "25 s of the trials of 3 or more ranks, of which 7 ranks hold 2 at a time");
    expect_efficiency(&no_ops,
                      "ranks were busy 0.1 % of the time; the trials took 41 times the 0.005 s "
                      "of all trials spread evenly over 2 ranks");
    expect_efficiency(&instant, "");
}

static void test_kinds(void **state)
{
    struct cell bad[] = {{.type = CELL_REAL, .f = NAN}};
    const struct result_table nan = {names, 1, 1, bad}, none = {names, 3, 0, NULL};

    (void)state;
    assert_table(&table, REPORT_CSV, "config,note,mean\n12,Grün,0.1\n3,\"a \"\"b\"\", c\n\",\n");
    assert_table(&table, REPORT_JSON,
                 "[{\"config\": 12, \"note\": \"Grün\", \"mean\": 0.1},\n"
                 " {\"config\": 3, \"note\": \"a \\\"b\\\", c\\u000a\", \"mean\": null}]");
    assert_table(&table, REPORT_JSONL,
                 "{\"config\": 12, \"note\": \"Grün\", \"mean\": 0.1}\n"
                 "{\"config\": 3, \"note\": \"a \\\"b\\\", c\\u000a\", \"mean\": null}\n");
    assert_int_equal(report_kind_parse("jsonl"), REPORT_JSONL);
    assert_table(&nan, REPORT_JSON, "[{\"config\": null}]");
    assert_table(&none, REPORT_JSON, "[]");
    assert_table(&none, REPORT_JSONL, "");
    assert_table(&none, REPORT_TABLE, "config  note  mean\n");
    assert_record(&none, REPORT_JSONL, "");
}

static void test_rows_cost_themselves(void **state)
{
    static char *axes[] = {"rate", "seconds"};

    (void)state;
    for (size_t f = 0; f <= REPORT_JSONL; f++)
        for (int64_t n = 100; n <= 1000; n *= 10) {
            struct cell row[] = {{.type = CELL_REAL, .f = 0.25}, {.type = CELL_REAL}};
            struct buf out = {0};
            struct report report;

            report_begin(&report, &out, axes, 2, (enum report_kind)f);
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

static void test_negative_zero(void **state)
{
    static char *axes[] = {"value"};
    struct cell zero = {.type = CELL_REAL}, negative = {.type = CELL_REAL, .f = -0.0};
    struct buf out = {0};
    struct report report;

    (void)state;
    report_begin(&report, &out, axes, 1, REPORT_CSV);
    report_row(&report, &zero);
    report_row(&report, &negative);
    report_row(&report, &zero);
    report_end(&report);
    assert_string_equal(buf_text(&out), "value\n0\n-0\n0\n");
    buf_release(&out);
}

/* Rows passed one by one share one alignment, also those before the gap. */
static void test_gap(void **state)
{
    struct buf out = {0};
    struct report report;

    (void)state;
    report_begin(&report, &out, names, 3, REPORT_TABLE);
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

/* ---- layout ---- */

/* Columns of a leaderboard: "place config rate mean sd seconds", then a text. */
static void fit(struct layout_column columns[7], int width)
{
    static const struct layout_column leaderboard[7] = {
        {.name = "place", .width = 5, .least = 5},
        {.name = "config", .width = 6, .least = 6},
        {.name = "rate", .width = 4, .least = 4, .is_same = true},
        {.name = "mean", .width = 8, .least = 4},
        {.name = "sd", .width = 8, .least = 2},
        {.name = "seconds", .width = 7, .least = 7},
        {.name = "error", .width = 60, .least = 5, .is_text = true},
    };

    memcpy(columns, leaderboard, sizeof leaderboard);
    layout_fit(columns, 7, width, "place config mean", "seconds error = sd *");
}

static void expect_fit(int width, const char *shown, int text_is)
{
    struct layout_column columns[7];
    char names_shown[80] = "";
    int sum = -LAYOUT_GAP;

    fit(columns, width);
    for (int c = 0; c < 7; c++)
        if (!columns[c].is_left_out) {
            strcat(strcat(names_shown, *names_shown ? " " : ""), columns[c].name);
            sum += columns[c].width + LAYOUT_GAP;
        }
    assert_string_equal(names_shown, shown);
    assert_true(width == 0 || width < 23 || sum <= width);
    if (!columns[6].is_left_out)
        assert_int_equal(columns[6].width, text_is);
}

/* "diff" and its bounds leave together, and sd takes their room. */
static void test_layout_together(void **state)
{
    static const struct layout_column leaderboard[] = {
        {.name = "place", .width = 5, .least = 5},
        {.name = "sd", .width = 8, .least = 2},
        {.name = "diff", .width = 8, .least = 4},
        {.name = "diff_low", .width = 8, .least = 8},
        {.name = "diff_high", .width = 9, .least = 9}};
    struct layout_column columns[5];

    (void)state;
    for (int width = 5; width < 46; width++) {
        memcpy(columns, leaderboard, sizeof leaderboard);
        layout_fit(columns, 5, width, "place", "sd diff+diff_low+diff_high");
        assert_int_equal(columns[1].is_left_out, width < 15 || width >= 36);
        assert_int_equal(columns[2].is_left_out, width < 36);
        assert_int_equal(columns[3].is_left_out, width < 36);
        assert_int_equal(columns[4].is_left_out, width < 36);
    }
}

static void test_layout(void **state)
{
    (void)state;
    expect_fit(0, "place config rate mean sd seconds error", 60);
    expect_fit(200, "place config rate mean sd seconds error", 60);
    /* The text is narrowed before a column is dropped, and then gets the room of that column. */
    expect_fit(100, "place config rate mean sd seconds error", 50);
    expect_fit(74, "place config rate mean sd seconds error", 24);
    expect_fit(73, "place config rate mean sd error", 32);
    /* Without the text there is room for the column again. */
    expect_fit(64, "place config rate mean sd seconds", 0);
    expect_fit(38, "place config mean sd", 0);
    expect_fit(29, "place config rate mean", 0);
    expect_fit(24, "place config mean", 0);
    expect_fit(5, "place config mean", 0);
}

/* ---- answers ---- */

static const struct answer_section sections[] = {
    {"sweeps", NULL, false, NULL, NULL},
    {"session", "last session", true, NULL, NULL},
    {"failures", "failed trials", false, NULL, NULL},
};

static void expect_answer(const struct answer_style *style, bool has_section, const char *wanted)
{
    static const char *const columns[] = {"sweep", "trials"};
    struct rows sweeps, failures, session = {0};
    struct answer answer;

    rows_init(&sweeps, columns, 2);
    rows_text(&sweeps, "sweep", "small");
    rows_integer(&sweeps, "trials", 4);
    rows_text(&sweeps, "sweep", NULL);
    rows_integer(&sweeps, "trials", 12);
    rows_text(&session, "host", "node\n7");
    rows_real(&session, "rate", 2.5);
    rows_real(&session, "left_s", NAN);
    rows_init(&failures, columns, 2);
    answer_init(&answer, style);
    answer_table(&answer, &sections[0], rows_table(&sweeps));
    answer_printf(&answer, "%d trials\033[1m\n", 4);
    answer_table(&answer, &sections[1], rows_table(&session));
    answer_table(&answer, &sections[2], rows_table(&failures));
    assert_int_equal(answer_end(&answer), has_section);
    assert_string_equal(buf_text(&answer.out), wanted);
    answer_release(&answer);
    rows_release(&sweeps);
    rows_release(&session);
    rows_release(&failures);
}

static void test_answer(void **state)
{
    struct answer_style style = {.kind = REPORT_TABLE, .is_document = true};
    struct answer_style bold = {.kind = REPORT_TABLE, .bold = "<", .plain = ">"};

    (void)state;
    expect_answer(&style, true,
                  "sweep  trials\n"
                  "small       4\n"
                  "-          12\n"
                  "4 trials?[1m\n"
                  "\nlast session\n"
                  "host  node?7\n"
                  "rate  2.5\n");
    bold.section = "failures";
    expect_answer(&bold, true, "<sweep  trials>\n");
    style.kind = REPORT_JSON;
    expect_answer(&style, true,
                  "{\"sweeps\": [{\"sweep\": \"small\", \"trials\": 4},\n"
                  " {\"sweep\": null, \"trials\": 12}],\n"
                  " \"session\": {\"host\": \"node\\u000a7\", \"rate\": 2.5, \"left_s\": null},\n"
                  " \"failures\": []}\n");
    style.section = "session";
    expect_answer(&style, true, "{\"host\": \"node\\u000a7\", \"rate\": 2.5, \"left_s\": null}\n");
    style.section = "curve";
    expect_answer(&style, false, "\n");
    style.kind = REPORT_CSV;
    style.section = NULL;
    expect_answer(&style, true, "sweep,trials\nsmall,4\n,12\n");
    style.section = "failures";
    expect_answer(&style, true, "sweep,trials\n");
    style.kind = REPORT_JSONL;
    expect_answer(&style, true, "");
    style.section = NULL;
    expect_answer(&style, true,
                  "{\"sweep\": \"small\", \"trials\": 4}\n"
                  "{\"sweep\": null, \"trials\": 12}\n");
}

/* Texts are cut with a mark, and dropped columns are listed. */
static void test_narrow(void **state)
{
    struct answer_style style = {.kind = REPORT_TABLE, .width = 34};
    static const char *const columns[] = {"trial", "state", "seconds", "reason"};
    static const struct answer_section failures = {"failures", NULL, false, "trial",
                                                   "state seconds"};
    struct rows rows;
    struct answer answer;

    (void)state;
    rows_init(&rows, columns, 4);
    rows_integer(&rows, "trial", 7);
    rows_text(&rows, "state", "failed");
    rows_real(&rows, "seconds", 0.5);
    rows_text(&rows, "reason", "the learning rate is too large for it");
    setenv("LC_ALL", "en_US.UTF-8", 1);
    answer_init(&answer, &style);
    answer_table(&answer, &failures, rows_table(&rows));
    answer_end(&answer);
    assert_string_equal(buf_text(&answer.out), "trial  reason\n"
                                               "    7  the learning rate is too l…\n");
    assert_string_equal(buf_text(&answer.left_out), "state, seconds");
    answer_release(&answer);
    setenv("LC_ALL", "C", 1);
    answer_init(&answer, &style);
    answer_table(&answer, &failures, rows_table(&rows));
    answer_end(&answer);
    assert_string_equal(buf_text(&answer.out), "trial  reason\n"
                                               "    7  the learning rate is too...\n");
    answer_release(&answer);
    rows_release(&rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text),          cmocka_unit_test(test_long_text),
        cmocka_unit_test(test_record),        cmocka_unit_test(test_efficiency),
        cmocka_unit_test(test_kinds),         cmocka_unit_test(test_rows_cost_themselves),
        cmocka_unit_test(test_negative_zero), cmocka_unit_test(test_gap),
        cmocka_unit_test(test_layout),        cmocka_unit_test(test_layout_together),
        cmocka_unit_test(test_answer),        cmocka_unit_test(test_narrow),
    };

    return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}
