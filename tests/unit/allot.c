/* SPDX-License-Identifier: BSD-3-Clause */
/* The seconds of a training on several ranks, and the choice of ranks for a few trainings. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/rng.h"
#include "sched/allot.h"

enum { MOST = 8 };

/* ---- speed-up ---- */

static void test_seconds(void **state)
{
    const struct speedup s = {.parts = 10, .serial = 0.1, .steps = 1000, .bytes = 1e6};
    const struct speedup program = {.parts = 0};
    double on_host = 2 * (2e-6 + 2 * 0.2e-6 + 3 * 0.25e6 * 0.2e-9);
    double between = 2 * (50e-6 + 0.5e6 * 0.9e-9);

    (void)state;
    assert_true(speedup_seconds(&s, 50, 1, 4) == 50);
    assert_true(speedup_seconds(&program, 50, 7, 4) == 50);
    assert_true(speedup_one_s(&program, 50, 7, 4) == 50);
    /* The rank with most workers has 3 of 10. */
    assert_true(fabs(speedup_seconds(&s, 50, 4, 4) - (50 * 0.37 + 0.02 + 1000 * on_host)) < 1e-9);
    assert_true(fabs(speedup_seconds(&s, 50, 8, 4) -
                     (50 * 0.28 + 0.02 + 1000 * (on_host + between))) < 1e-9);
    for (int32_t n = 1; n <= 10; n++)
        assert_true(fabs(speedup_one_s(&s, speedup_seconds(&s, 50, n, 4), n, 4) - 50) < 1e-9);
    assert_true(speedup_one_s(&s, 0.01, 2, 4) > 0); /* less than the sums alone */
    for (int32_t n = 1; n <= 10; n++)
        assert_int_equal(speedup_enough(&s, n), n > 9 ? 10 : n > 4 ? 5 : n);
    assert_int_equal(speedup_enough(&program, 7), 7);
}

/* ---- allotments ---- */

/* Work is shared without loss. */
static const struct speedup ideal = {.parts = 1 << 20};

struct scene {
    struct allot allot;
    int32_t n_ranks;
};

static void set_up(struct scene *s, int32_t n_ranks)
{
    assert_int_equal(allot_init(&s->allot, 64, n_ranks, n_ranks, NULL), 0);
    s->n_ranks = n_ranks;
}

static void add(struct scene *s, double one_s, int32_t n, int32_t fewest, int32_t most,
                const struct speedup *speedup)
{
    s->allot.tasks[s->allot.n_tasks] = (struct allot_task){.group = s->allot.n_tasks,
                                                           .n = n,
                                                           .fewest = fewest,
                                                           .most = most,
                                                           .one_s = one_s,
                                                           .speedup = speedup};
    s->allot.n_tasks++;
}

static void add_free(struct scene *s, double at_s, int32_t n)
{
    s->allot.free[s->allot.n_free++] = (struct allot_free){at_s, n};
}

static int32_t width_of(const struct scene *s, int32_t group)
{
    for (int32_t i = 0; i < s->allot.n_tasks; i++)
        if (s->allot.tasks[i].group == group)
            return s->allot.tasks[i].width;
    return 0;
}

static void test_alone(void **state)
{
    const struct speedup ten = {.parts = 10};
    struct scene s = {.n_ranks = 0};

    (void)state;
    set_up(&s, 9);
    assert_true(allot_choose(&s.allot, INFINITY) == 0);
    add(&s, 1000, 1, 1, 9, &ten);
    add_free(&s, 0, 9);
    assert_true(fabs(allot_choose(&s.allot, INFINITY) - 200.02) < 0.1);
    assert_int_equal(width_of(&s, 0), 5); /* four more would not help */
    s.allot.tasks[0].one_s = 0.01;
    allot_choose(&s.allot, INFINITY);
    assert_int_equal(width_of(&s, 0), 1); /* too short for a gang */
    s.allot.tasks[0].one_s = 1000;
    allot_limit(&s.allot, &s.allot.tasks[0], 350);
    assert_int_equal(width_of(&s, 0), 4);
    allot_limit(&s.allot, &s.allot.tasks[0], 1000);
    assert_int_equal(width_of(&s, 0), 1);
    allot_limit(&s.allot, &s.allot.tasks[0], 1);
    assert_int_equal(width_of(&s, 0), 5);
    allot_release(&s.allot);
    allot_release(&s.allot);
}

static void test_together(void **state)
{
    struct scene s = {.n_ranks = 0};

    (void)state;
    set_up(&s, 12);
    add(&s, 900, 1, 1, 12, &ideal); /* a giant and three others end together */
    add(&s, 100, 3, 1, 12, &ideal);
    add_free(&s, 0, 12);
    assert_true(allot_choose(&s.allot, INFINITY) < 1.01 * 100);
    /* Two of three ranks are busy for long. */
    s.allot.n_free = s.allot.n_tasks = 0;
    add(&s, 100, 2, 1, 3, &ideal);
    add_free(&s, 1000, 2);
    add_free(&s, 0, 1);
    assert_true(fabs(allot_choose(&s.allot, INFINITY) - 200) < 1e-9);
    assert_int_equal(width_of(&s, 0), 1);
    allot_release(&s.allot);
}

/* A program keeps its ranks, and trainings fill the others. */
static void test_program(void **state)
{
    const struct speedup program = {.parts = 0};
    struct scene s = {.n_ranks = 0};

    (void)state;
    set_up(&s, 8);
    add(&s, 100, 1, 5, 5, &program);
    add(&s, 300, 1, 1, 8, &ideal);
    add_free(&s, 0, 8);
    assert_true(allot_choose(&s.allot, INFINITY) < 101);
    assert_int_equal(width_of(&s, 0), 5);
    assert_int_equal(width_of(&s, 1), 3);
    allot_release(&s.allot);
}

/* No trial may take longer than there is time. */
static void test_limited(void **state)
{
    const struct speedup lossy = {.parts = 4, .serial = 0.1}, twenty = {.parts = 20},
                         serial = {.parts = 4, .serial = 0.99};
    struct scene s = {.n_ranks = 0};

    (void)state;
    set_up(&s, 4);
    add(&s, 100, 8, 1, 4, &ideal);
    add_free(&s, 0, 4);
    allot_choose(&s.allot, 60);
    assert_in_range(width_of(&s, 0), 2, 4);
    allot_choose(&s.allot, 30);
    assert_int_equal(width_of(&s, 0), 4);
    /* Even if there is work for long, and ranks are used badly. */
    s.allot.tasks[0].n = 64;
    s.allot.tasks[0].speedup = &lossy;
    allot_choose(&s.allot, 60);
    assert_in_range(width_of(&s, 0), 2, 4);
    s.allot.tasks[0].speedup = &serial;
    allot_limit(&s.allot, &s.allot.tasks[0], 0);
    assert_int_equal(s.allot.tasks[0].width, 1); /* others are hardly faster */
    s.allot.tasks[0] =
        (struct allot_task){.fewest = 6, .most = 9, .one_s = 100, .speedup = &twenty};
    allot_limit(&s.allot, &s.allot.tasks[0], INFINITY);
    assert_int_equal(s.allot.tasks[0].width, 6);
    allot_release(&s.allot);
}

/* ---- against all allotments ---- */

struct best {
    const double *one_s, *free_s; /* [MOST] [n_ranks] */
    int32_t n, n_ranks;
    const struct speedup *speedup;
    double end_s;
};

static void try_all(struct best *best, int32_t task, const double *free_s, double end_s)
{
    if (end_s >= best->end_s)
        return;
    if (task == best->n) {
        best->end_s = end_s;
        return;
    }
    for (int32_t width = 1; width <= best->n_ranks; width++) {
        double next_s[MOST], seconds, from_s;
        int32_t at;

        seconds = speedup_seconds(best->speedup, best->one_s[task], width, MOST);
        from_s = free_s[width - 1]; /* in ascending order */
        at = width;
        for (int32_t i = 0, left = width; i < best->n_ranks; i++) {
            bool is_new = left > 0 && (at == best->n_ranks || from_s + seconds <= free_s[at]);

            next_s[i] = is_new ? from_s + seconds : free_s[at++];
            left -= is_new;
        }
        try_all(best, task + 1, next_s, fmax(end_s, from_s + seconds));
    }
}

static int descending(const void *a_, const void *b_)
{
    const double *a = a_, *b = b_;

    return (*a < *b) - (*a > *b);
}

/* All widths of up to 5 trials on 6 ranks: the choice is nearly the best of them. */
static void test_all_widths(void **state)
{
    const struct speedup speedup = {.parts = 12, .serial = 0.01, .steps = 100, .bytes = 1e5};
    double sum = 0, worst = 0;
    struct rng rng;

    (void)state;
    rng_init(&rng, hash_text("allot"), RNG_SIMULATE);
    for (uint32_t round = 0; round < 200; round++) {
        double one_s[MOST], free_s[MOST] = {0}, ratio;
        struct best best = {one_s, free_s, 1 + (int32_t)(round % 5), 6, &speedup, INFINITY};
        struct scene s = {.n_ranks = 0};

        set_up(&s, 6);
        for (uint32_t i = 0; i < (uint32_t)best.n; i++)
            one_s[i] = 100 * exp(rng_normal(&rng, round, i));
        qsort(one_s, (size_t)best.n, sizeof *one_s, descending);
        for (int32_t i = 0; i < best.n; i++)
            add(&s, one_s[i], 1, 1, 6, &speedup);
        for (uint32_t i = 3; i < 6; i++)
            free_s[i] = free_s[i - 1] + 20 * rng_uniform(&rng, round, 10 + i);
        for (int32_t i = 0; i < 6; i++)
            add_free(&s, free_s[i], 1);
        try_all(&best, 0, free_s, 0);
        ratio = allot_choose(&s.allot, INFINITY) / best.end_s;
        sum += ratio;
        worst = fmax(worst, ratio);
        allot_release(&s.allot);
    }
    print_message("mean %.3f and worst %.3f times the best end\n", sum / 200, worst);
    assert_true(sum / 200 < 1.06 && worst < 1.35);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_seconds),  cmocka_unit_test(test_alone),
        cmocka_unit_test(test_together), cmocka_unit_test(test_program),
        cmocka_unit_test(test_limited),  cmocka_unit_test(test_all_widths),
    };

    return cmocka_run_group_tests_name("allot", tests, NULL, NULL);
}
