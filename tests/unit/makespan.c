/* SPDX-License-Identifier: BSD-3-Clause */
/* sched/makespan: each limit, and no bound above the best of all schedules. */
#include "sched/makespan.h"
#include "base/rng.h"
#include "unit.h"

static void expect(const struct makespan_work *work, size_t n, int64_t n_ranks, double seconds,
                   enum makespan_limit limit, int64_t width)
{
    struct makespan_work copy[4];
    struct makespan bound;

    if (n)
        memcpy(copy, work, n * sizeof *work);
    bound = makespan_bound(copy, n, n_ranks);
    assert_float_equal(bound.seconds, seconds, 1e-9);
    assert_int_equal(bound.limit, limit);
    assert_int_equal(bound.width, width);
}

static void test_limits(void **state)
{
    const struct makespan_work single = {1, 12, 2}, pairs = {2, 14, 2.5}, long_one = {1, 12, 11};
    const struct makespan_work mixed[] = {{1, 2, 1}, {3, 8, 2}, {2, 6, 2}};

    (void)state;
    expect(NULL, 0, 3, 0, MAKESPAN_EVEN, 0);
    expect(&single, 1, 3, 4, MAKESPAN_EVEN, 0);
    expect(&long_one, 1, 3, 11, MAKESPAN_LONGEST, 0);
    /* a gang of 2 fits into 3 ranks once, into 4 twice */
    expect(&pairs, 1, 2, 14, MAKESPAN_EVEN, 0);
    expect(&pairs, 1, 3, 14, MAKESPAN_WIDE, 2);
    expect(&pairs, 1, 4, 7, MAKESPAN_EVEN, 0);
    expect(&pairs, 1, 5, 7, MAKESPAN_WIDE, 2);
    /* gangs of 2 and 3 run one after another on 3 ranks, and only those of 3 on 5 */
    expect(mixed, 3, 3, 14, MAKESPAN_WIDE, 2);
    expect(mixed, 3, 5, 8, MAKESPAN_WIDE, 3);
    expect(mixed, 3, 6, 38. / 6, MAKESPAN_EVEN, 0);
    /* wider than the launch */
    expect(&pairs, 1, 1, 28, MAKESPAN_EVEN, 0);
}

/* ---- against all schedules ---- */

enum { RANKS = 5, TRIALS = 5 };

struct schedule {
    int32_t width[TRIALS], seconds[TRIALS]; /* whole seconds */
    int32_t starts[TRIALS], ends[TRIALS];
    int32_t best_s;
};

static bool has_room(const struct schedule *s, int32_t n, int32_t trial, int32_t at)
{
    for (int32_t t = at; t < at + s->seconds[trial]; t++) {
        int32_t used = s->width[trial];

        for (int32_t i = 0; i < n; i++)
            used += s->starts[i] <= t && t < s->ends[i] ? s->width[i] : 0;
        if (used > RANKS)
            return false;
    }
    return true;
}

static void place(struct schedule *s, int32_t n, int32_t end_s)
{
    if (n == TRIALS)
        s->best_s = end_s;
    for (int32_t at = 0; n < TRIALS && at + s->seconds[n] < s->best_s; at++) {
        s->starts[n] = at;
        s->ends[n] = at + s->seconds[n];
        if (has_room(s, n, n, at))
            place(s, n + 1, s->ends[n] > end_s ? s->ends[n] : end_s);
    }
}

static void test_no_schedule_is_shorter(void **state)
{
    struct rng rng;
    int n_tight = 0;

    (void)state;
    rng_init(&rng, hash_text("makespan"), RNG_SIMULATE);
    for (uint32_t round = 0; round < 200; round++) {
        struct schedule s = {.best_s = 4 * TRIALS};
        struct makespan_work work[TRIALS];
        double bound_s;

        for (uint32_t i = 0; i < TRIALS; i++) {
            s.width[i] = 1 + (int32_t)(rng_uniform(&rng, round, 2 * i) * RANKS);
            s.seconds[i] = 1 + (int32_t)(rng_uniform(&rng, round, 2 * i + 1) * 3);
            work[i] = (struct makespan_work){s.width[i], s.seconds[i], s.seconds[i]};
        }
        place(&s, 0, 0);
        bound_s = makespan_bound(work, TRIALS, RANKS).seconds;
        assert_true(bound_s <= s.best_s * (1 + 1e-9));
        n_tight += bound_s > s.best_s - 1;
    }
    print_message("%d of 200 bounds are tight\n", n_tight);
    assert_true(n_tight > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_no_schedule_is_shorter),
    };

    return cmocka_run_group_tests_name("makespan", tests, NULL, NULL);
}
