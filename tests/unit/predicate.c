/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "storelib.h"

#define GRID                                                                                     \
    "[grid]\nhidden_size = 16, 64\nk = 5, 10\nbatch_size = 32, full\nmetric = cosine, kinship\n" \
    "dropout = 0.1, 0.5\n"

/* Return how many of 32 points are kept, or -1 and err. */
static int keeps(const char *expression, struct err *err)
{
    struct store_predicate *where;
    struct fixture f;
    int n = 0;

    fixture_open(&f, GRID);
    if (store_predicate_open(&where, "where =", expression, &f.sweep, &f.plan.fixed, err)) {
        fixture_close(&f);
        assert_null(where);
        return -1;
    }
    for (int32_t c = 0; c < f.plan.n_configs && n >= 0; c++) {
        struct settings s;
        int keep;

        plan_settings(&f.plan, c, &s);
        keep = store_predicate_keep(where, &f.sweep, &s, err);
        n = keep < 0 ? -1 : n + keep;
    }
    store_predicate_close(where);
    fixture_close(&f);
    return n;
}

static void expect(const char *expression, int wanted)
{
    struct err err = {"?"};
    int got = keeps(expression, &err);

    if (got != wanted)
        fail_msg("%s: kept %d, wanted %d (%s)", expression, got, wanted, got < 0 ? err.text : "");
}

static void refuse(const char *expression, const char *wanted)
{
    struct err err = {"?"};
    int got = keeps(expression, &err);

    if (got != -1)
        fail_msg("%s: kept %d, but it must be refused", expression, got);
    if (!strstr(err.text, wanted) || !strstr(err.text, expression))
        fail_msg("%s: %s", expression, err.text);
}

static void test_names_and_types(void **state)
{
    (void)state;
    expect("1", 32);
    expect("0", 0);
    expect("NULL", 0);
    expect("0.5", 32);
    expect("hidden_size = 16", 16);
    expect("model.hidden_size = 16 AND graph.k < 10", 8);
    expect("metric = 'kinship'", 16);
    expect("dropout = 0.1", 16);
    expect("batch_size = 'full' OR batch_size * hidden_size <= 512", 24);
    expect("batch_size <= 64", 16);
    expect("CASE WHEN k = 5 THEN metric IN ('cosine') ELSE max(k, hidden_size) > 20 END", 16);
    expect("k = 5 -- the small ones", 16);
    expect("k = 5 /* the small ones */", 16);
    expect("(k = 5)\nAND (dropout < 0.2)", 8);
}

static void test_only_an_expression(void **state)
{
    (void)state;
    refuse("1; DROP TABLE trial", "syntax error");
    refuse("k = 5)", "syntax error");
    refuse("1); SELECT (1", "more than one expression");
    refuse("1) UNION SELECT (1", "syntax error");
    refuse("1) FROM (SELECT 1 AS z) -- ", "syntax error");
    refuse("1 /* open", "incomplete input");
    refuse("k = ", "syntax error");
    refuse("1, 2", "row value misused");
    refuse("hiden_size = 16",
           "no such column: hiden_size; the axes are: hidden_size, k, batch_size, "
           "metric, dropout");
    refuse("train.k = 5", "no such column: train.k");
    refuse("metric = \"kinship\"", "no such column");
    refuse("k IN (SELECT name FROM sqlite_master)", "prohibited");
    refuse("random() > 0", "not authorized");
    refuse("date('now') > '2020'", "not authorized");
    refuse("current_timestamp > '2020'", "not authorized");
    refuse("k < (WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i FROM r) SELECT max(i) FROM r)",
           "not authorized");
#define TEN "(VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9))"
    refuse("k < (SELECT count(*) FROM " TEN "," TEN "," TEN "," TEN "," TEN "," TEN "," TEN "," TEN
           ")",
           "takes more than 1000000 steps for one point");
    expect("k < (SELECT count(*) FROM " TEN "," TEN "," TEN ")", 32);
    refuse("length(replace(printf('%9999d', k), ' ', '12')) > 0", "too big");
    refuse("abs(k - 9223372036854775807 - 6) > 0", "integer overflow");
}

static void test_no_axes(void **state)
{
    struct store_predicate *where;
    struct fixture f;
    struct err err;

    (void)state;
    fixture_open(&f, "[model]\nhidden_size = 3\n");
    assert_int_equal(
        store_predicate_open(&where, "where =", "k > 2", &f.sweep, &f.plan.fixed, &err), -1);
    assert_non_null(strstr(err.text, "the axes are: none"));
    assert_int_equal(
        store_predicate_open(&where, "where =", "2 > 1", &f.sweep, &f.plan.fixed, &err), 0);
    assert_int_equal(store_predicate_keep(where, &f.sweep, &f.plan.fixed, &err), 1);
    store_predicate_close(where);
    store_predicate_close(NULL);
    fixture_close(&f);
}

/* A fixed setting that the file or --set gives has its value in all points. */
static void test_fixed_settings(void **state)
{
    struct store_predicate *where;
    struct fixture f;
    struct err err;

    (void)state;
    fixture_open(&f, "[model]\nhidden_size = 3\n[train]\nbatch_size = full\n[grid]\nk = 5, 10\n");
    assert_int_equal(store_predicate_open(&where,
                                          "where =", "k < hidden_size + 3 and batch_size = 'full'",
                                          &f.sweep, &f.plan.fixed, &err),
                     0);
    for (int32_t c = 0; c < 2; c++) {
        struct settings s;

        plan_settings(&f.plan, c, &s);
        assert_int_equal(store_predicate_keep(where, &f.sweep, &s, &err), c == 0);
    }
    store_predicate_close(where);
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_and_types),
        cmocka_unit_test(test_only_an_expression),
        cmocka_unit_test(test_no_axes),
        cmocka_unit_test(test_fixed_settings),
    };

    return cmocka_run_group_tests_name("predicate", tests, NULL, NULL);
}
