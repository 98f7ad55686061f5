/* SPDX-License-Identifier: BSD-3-Clause */
/* Widths of pending trials, step by step. tests/sim/elastic.c has whole sweeps. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sched/elastic.h"

enum { MOST_GROUPS = 8 };

struct scene {
    struct gcn_cost work[MOST_GROUPS];
    struct ledger *ledger;
    struct cost *cost;
    struct elastic *elastic;
};

/* each trials of every group, which take these seconds on one rank. The first n_done are done. */
static void set_up(struct scene *s, int32_t n, const double *seconds,
                   const struct elastic_rule *rules, int64_t each, int64_t n_done, int32_t n_ranks)
{
    for (int32_t i = 0; i < n; i++)
        s->work[i] = (struct gcn_cost){.flops = 1e10 * seconds[i]};
    s->ledger = ledger_create(n * each, each, seconds, 5, NULL);
    for (int64_t t = 0; t < n_done; t++)
        ledger_mark(s->ledger, t, TRIAL_DONE);
    s->cost = cost_create(s->work, n, n_ranks, NULL);
    for (int32_t i = 0; i < n; i++)
        for (int j = 0; j < 8; j++)
            cost_observe(s->cost, i, -1, seconds[i]);
    cost_refit(s->cost);
    s->elastic = elastic_create(s->ledger, s->cost, rules, n_ranks, n_ranks, NULL);
    assert_non_null(s->elastic);
}

static void tear_down(struct scene *s)
{
    struct err err = {""};

    if (elastic_check(s->elastic, &err))
        fail_msg("%s", err.text);
    elastic_destroy(s->elastic);
    cost_destroy(s->cost);
    ledger_destroy(s->ledger);
}

static int32_t width(const struct scene *s, int32_t group)
{
    return ledger_group_width(s->ledger, group);
}

static void free_ranks(struct scene *s, int32_t n)
{
    s->elastic->allot.free[0] = (struct allot_free){0, n};
    s->elastic->allot.n_free = 1;
}

static const struct elastic_rule any = {
    .fewest = 1, .most = 8, .is_chosen = true, .speedup = {.parts = 8}};
static const struct elastic_rule six = {.fewest = 1, .most = 6, .speedup = {.parts = 6}};
static const struct elastic_rule program = {.fewest = 4, .most = 4};

/* A training takes no more ranks than make a difference, and a program its own or none. */
static void test_fewer(void **state)
{
    const struct elastic_rule rules[] = {six, program, any};
    const double seconds[] = {60, 60, 60};
    struct scene s;

    (void)state;
    set_up(&s, 3, seconds, rules, 1, 0, 8);
    assert_int_equal(width(&s, 0), 6);
    assert_int_equal(width(&s, 1), 4);
    assert_int_equal(width(&s, 2), 1);
    elastic_set_alive(s.elastic, 5);
    assert_int_equal(width(&s, 0), 3); /* with 5, a rank would have two of six workers, too */
    elastic_set_alive(s.elastic, 3);
    assert_int_equal(width(&s, 1), 4);
    assert_int_equal(width(&s, 0), 3);
    elastic_set_alive(s.elastic, 7);
    assert_int_equal(width(&s, 0), 6);
    tear_down(&s);
}

/* Without the number of ranks, seconds of a program count, and those of a training do not. */
static void test_seconds(void **state)
{
    const struct elastic_rule rules[] = {six, program};
    const double seconds[] = {60, 60};
    struct scene s;

    (void)state;
    set_up(&s, 2, seconds, rules, 1, 0, 8);
    assert_true(isnan(elastic_one_s(s.elastic, 0, 50, 0)));
    assert_true(elastic_one_s(s.elastic, 1, 50, 0) == 50);
    assert_true(elastic_one_s(s.elastic, 1, 50, 4) == 50);
    assert_true(fabs(elastic_one_s(s.elastic, 0, 20.02, 3) - 60) < 0.1);
    assert_true(fabs(elastic_seconds(s.elastic, 0, 3) - 20.02) < 0.5);
    tear_down(&s);
}

/* Widths are chosen again when as many trials have ended as before the last choice, or an 8th of
 * those that are pending, or if the ranks have changed. */
static void test_due(void **state)
{
    const double seconds[] = {60};
    int64_t at = 12;
    struct scene s;

    (void)state;
    set_up(&s, 1, seconds, &any, 100, 10, 2);
    free_ranks(&s, 2);
    assert_true(elastic_is_due(s.elastic));
    elastic_choose(s.elastic, 1e6, INFINITY);
    assert_false(elastic_is_due(s.elastic));
    ledger_finish(s.ledger, 10, TRIAL_DONE);
    assert_true(elastic_is_due(s.elastic)); /* the first of this run: none had ended before */
    elastic_choose(s.elastic, 1e6, INFINITY);
    ledger_finish(s.ledger, 11, TRIAL_DONE);
    assert_false(elastic_is_due(s.elastic)); /* one had ended */
    for (int step = 0; step < 6; step++) {   /* 2, 4, 8 ... of those of this run */
        while (!elastic_is_due(s.elastic))
            ledger_finish(s.ledger, at++, TRIAL_DONE);
        elastic_choose(s.elastic, 1e6, INFINITY);
    }
    assert_in_range(at, 40, 60); /* an 8th each time */
    elastic_set_alive(s.elastic, 1);
    assert_true(elastic_is_due(s.elastic));
    for (; at < 100; at++)
        ledger_finish(s.ledger, at, TRIAL_DONE);
    assert_false(elastic_is_due(s.elastic)); /* nothing is pending */
    tear_down(&s);
}

/* Few trials are 64, or two for each rank, if they are long enough to be worth a choice. */
static void test_end(void **state)
{
    const double seconds[] = {60};
    struct scene s;

    (void)state;
    set_up(&s, 1, seconds, &any, 65, 0, 8);
    assert_false(elastic_is_end(s.elastic, 1e6));
    ledger_finish(s.ledger, 0, TRIAL_DONE);
    assert_true(elastic_is_end(s.elastic, 1e6));
    assert_true(
        elastic_is_end(s.elastic, 1.1)); /* 64 trials and 8 ranks take 1.3 ms, eight times */
    assert_false(elastic_is_end(s.elastic, 0.9));
    tear_down(&s);
    set_up(&s, 1, seconds, &any, 65, 0, 33);
    assert_true(elastic_is_end(s.elastic, 1e6));
    tear_down(&s);
}

/* While there is much to do, only trials that would end late, or too late, get more ranks; suspects,
 * too. */
static void test_many(void **state)
{
    const struct elastic_rule rules[] = {any, any};
    const double seconds[] = {800, 10};
    struct scene s;

    (void)state;
    for (int suspect = 0; suspect < 2; suspect++) {
        set_up(&s, 2, seconds, rules, 65, 0, 8);
        for (int64_t t = 0; suspect && t < 65; t++)
            ledger_blame(s.ledger, t, 1);
        assert_false(elastic_is_end(s.elastic, 1e4));
        elastic_choose(s.elastic, 1e4, INFINITY);
        assert_int_equal(width(&s, 0), 1);
        assert_true(elastic_choose(s.elastic, 300, INFINITY)); /* 210 s are 70 % */
        assert_int_equal(width(&s, 0), 4);
        assert_int_equal(width(&s, 1), 1);
        assert_false(elastic_choose(s.elastic, 300, INFINITY));
        assert_true(elastic_choose(s.elastic, 1e4, 410)); /* the time that is left */
        assert_int_equal(width(&s, 0), 2);
        tear_down(&s);
    }
}

/* Few trials share all ranks; programs that need more than are alive are left aside. */
static void test_few(void **state)
{
    const struct elastic_rule rules[] = {any, program};
    const double seconds[] = {800, 100};
    struct scene s;

    (void)state;
    for (int suspect = 0; suspect < 2; suspect++) {
        set_up(&s, 2, seconds, rules, 1, 0, 8);
        if (suspect)
            ledger_blame(s.ledger, 0, 1);
        elastic_set_alive(s.elastic, 2);
        free_ranks(&s, 2);
        assert_true(elastic_choose(s.elastic, 400, INFINITY));
        assert_int_equal(width(&s, 0), 2);
        assert_int_equal(width(&s, 1), 4);
        tear_down(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fewer), cmocka_unit_test(test_seconds), cmocka_unit_test(test_due),
        cmocka_unit_test(test_end),   cmocka_unit_test(test_many),    cmocka_unit_test(test_few),
    };

    return cmocka_run_group_tests_name("elastic", tests, NULL, NULL);
}
