/* SPDX-License-Identifier: BSD-3-Clause */
/* Random walks over ledger and dispatch with gangs. Members end at different times, fail, die, hang
 * and come back; their messages are late; time may run out. The test compares everything with its
 * own book at each step. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "sched/dispatch.h"

#define N_STEPS 25000
#define N_TRIALS 120
#define GROUP 4
#define N_CONFIGS (N_TRIALS / GROUP)
#define N_WORKERS 9

static const int32_t hosts[N_WORKERS] = {2, 2, 2, 2, 0, 0, 0, 1, 1};

/* The book's view of a worker. */
struct actor {
    int64_t held[DISPATCH_MAX]; /* single trials */
    int32_t n_held;
    int64_t gang, trial; /* gang it is in, until its end is delivered; 0: none */
    bool has_ended;      /* its end is under way */
    bool is_lost, is_dead;
};

struct walk {
    struct rng rng;
    uint32_t step, n_drawn;
    struct ledger *ledger;
    struct cost *cost;
    struct dispatch *dispatch;
    struct gcn_cost work[N_CONFIGS];
    int32_t widths[N_CONFIGS];
    bool can_shrink;
    struct actor actors[N_WORKERS];
    int64_t runs[N_TRIALS]; /* gang that runs it; 0: none */
    bool is_final[N_TRIALS];
    bool is_deadly; /* some lost workers do not come back */
    int crash_limit;
    double now_s, until_s;
    int n_rounds, n_finished, n_short, n_out_of_time, n_gangs, n_failed, n_lost, n_returned,
        n_given_back, n_crash_failures;
};

static uint32_t draw(struct walk *walk, uint32_t n)
{
    uint32_t block[4];

    rng_block(block, &walk->rng, walk->step, walk->n_drawn++);
    return block[0] % n;
}

static int32_t width_of(const struct walk *walk, int64_t trial)
{
    return walk->widths[trial / GROUP];
}

/* ---- rounds ---- */

static void begin_round(struct walk *walk)
{
    walk->crash_limit = 1 + (int)draw(walk, 3);
    walk->is_deadly = draw(walk, 3) == 0;
    walk->can_shrink = draw(walk, 3) == 0;
    walk->now_s = 0;
    walk->until_s = draw(walk, 3) ? INFINITY : 10 + draw(walk, 60);
    for (int c = 0; c < N_CONFIGS; c++) {
        walk->work[c] = (struct gcn_cost){.flops = 1e9 * (1 + draw(walk, 100))};
        walk->widths[c] = draw(walk, 8) < 3 ? 1 : 1 + (int32_t)draw(walk, 6);
    }
    walk->ledger = ledger_create(N_TRIALS, GROUP, NULL, walk->crash_limit, NULL);
    walk->cost = cost_create(walk->work, N_CONFIGS, N_WORKERS, NULL);
    memset(walk->actors, 0, sizeof walk->actors);
    memset(walk->runs, 0, sizeof walk->runs);
    memset(walk->is_final, 0, sizeof walk->is_final);
    for (int i = 0; i < 3; i++) {
        uint32_t trial = draw(walk, N_TRIALS);

        ledger_mark(walk->ledger, trial, TRIAL_DONE);
        walk->is_final[trial] = true;
    }
    ledger_suspect(walk->ledger, draw(walk, N_TRIALS));
    walk->dispatch = dispatch_create(walk->ledger, walk->cost, N_WORKERS, walk->widths,
                                     walk->can_shrink, hosts, NULL);
    assert_non_null(walk->dispatch);
    for (int i = 0; i < 3; i++)
        dispatch_resume(walk->dispatch, draw(walk, N_TRIALS), 0.3);
    walk->n_rounds++;
}

static void end_round(struct walk *walk)
{
    walk->n_finished += ledger_is_finished(walk->ledger);
    dispatch_destroy(walk->dispatch);
    cost_destroy(walk->cost);
    ledger_destroy(walk->ledger);
}

/* ---- assignment ---- */

static double left_s(const struct walk *walk)
{
    return walk->until_s - walk->now_s;
}

static bool is_free(const struct walk *walk, int32_t w)
{
    const struct actor *actor = &walk->actors[w];

    return !actor->is_lost && !actor->gang && !actor->n_held;
}

/* True if one host had room for the gang. */
static bool had_room(const struct walk *walk, const struct gang *gang)
{
    int n_free[8] = {0};

    for (int32_t w = 0; w < N_WORKERS; w++)
        n_free[hosts[w]] += walk->actors[w].gang == gang->number || is_free(walk, w);
    for (int host = 0; host < 8; host++)
        if (n_free[host] >= gang->n)
            return true;
    return false;
}

static void begin_gang(struct walk *walk, const struct gang *gang)
{
    bool is_together = true;

    assert_in_range(gang->n, walk->can_shrink ? 2 : width_of(walk, gang->trial),
                    width_of(walk, gang->trial));
    assert_int_equal(dispatch_width(walk->dispatch, gang->trial), gang->n);
    assert_int_equal(ledger_lessee(walk->ledger, gang->trial), gang->workers[0]);
    assert_true(gang->n > 1 && !gang->is_over && !walk->is_final[gang->trial]);
    assert_int_equal(walk->runs[gang->trial], 0);
    assert_true(gang->seconds <= left_s(walk) * 1.001);
    walk->runs[gang->trial] = gang->number;
    for (int32_t i = 0; i < gang->n; i++) {
        struct actor *actor = &walk->actors[gang->workers[i]];

        if (!is_free(walk, gang->workers[i]))
            fail_msg("step %u: worker %d is not free", walk->step, gang->workers[i]);
        actor->gang = gang->number;
        actor->trial = gang->trial;
        actor->has_ended = false;
        is_together &= hosts[gang->workers[i]] == hosts[gang->workers[0]];
    }
    if (!is_together && had_room(walk, gang) && !ledger_is_suspect(walk->ledger, gang->trial))
        fail_msg("step %u: a gang of %d is on several hosts", walk->step, gang->n);
    if (ledger_is_suspect(walk->ledger, gang->trial) && dispatch_n_alive(walk->dispatch) > gang->n)
        assert_true(walk->actors[0].gang != gang->number);
    walk->n_gangs++;
}

static void supply_gangs(struct walk *walk)
{
    const struct gang *gang;

    while (dispatch_place(walk->dispatch, left_s(walk), &gang, NULL) == 1)
        begin_gang(walk, gang);
}

static void supply(struct walk *walk, int32_t w)
{
    struct actor *actor = &walk->actors[w];
    int64_t out[DISPATCH_MAX];
    int32_t n = dispatch_assign(walk->dispatch, w, left_s(walk), out, NULL);

    assert_true(n >= 0);
    assert_true(!n || (!actor->is_lost && !actor->gang));
    for (int32_t i = 0; i < n; i++) {
        assert_true(walk->can_shrink || width_of(walk, out[i]) == 1);
        assert_int_equal(dispatch_width(walk->dispatch, out[i]), 1);
        actor->held[actor->n_held++] = out[i];
    }
}

static bool is_any_pending(const struct walk *walk, int32_t most_width)
{
    for (int64_t trial = 0; trial < N_TRIALS; trial++)
        if (ledger_state(walk->ledger, trial) == TRIAL_PENDING &&
            (walk->can_shrink || width_of(walk, trial) <= most_width))
            return true;
    return false;
}

/* After that, all are idle only if nothing can run. */
static void supply_idle(struct walk *walk)
{
    int32_t w, n = 0;

    supply_gangs(walk);
    while ((w = dispatch_idle(walk->dispatch)) >= 0) {
        supply(walk, w);
        supply_gangs(walk);
        if (++n > 1000)
            fail_msg("step %u: the supply does not end", walk->step);
    }
    if (isinf(walk->until_s) && !dispatch_n_busy(walk->dispatch) &&
        is_any_pending(walk, dispatch_n_alive(walk->dispatch)))
        fail_msg("step %u: all workers wait", walk->step);
}

/* ---- events ---- */

static void finish(struct walk *walk, int32_t w, int64_t trial, enum trial_state state)
{
    double seconds = 1e-11 * walk->work[trial / GROUP].flops * 10;

    assert_int_equal(dispatch_finish(walk->dispatch, w, trial, state, seconds),
                     !walk->is_final[trial]);
    walk->is_final[trial] = true;
    walk->runs[trial] = 0;
}

static void end_single(struct walk *walk, int32_t w)
{
    struct actor *actor = &walk->actors[w];
    int64_t trial = actor->held[--actor->n_held];

    if (draw(walk, 8)) {
        finish(walk, w, trial, TRIAL_DONE);
    } else {
        dispatch_give_back(walk->dispatch, w, trial);
        walk->n_given_back++;
    }
    supply_gangs(walk);
    supply(walk, w);
}

/* A member's end arrives: the leader's has a result or gives the trial back; another's may fail it. */
static void end_member(struct walk *walk, int32_t w)
{
    struct actor *actor = &walk->actors[w];
    int64_t number = actor->gang, trial = actor->trial;
    const struct gang *gang = dispatch_gang(walk->dispatch, w);
    bool runs = walk->runs[trial] == number;

    assert_non_null(gang);
    assert_int_equal(gang->number, number);
    assert_int_equal(gang->is_over, !runs);
    if (runs && gang->workers[0] == w && draw(walk, 6)) {
        finish(walk, w, trial, draw(walk, 8) ? TRIAL_DONE : TRIAL_DIVERGED);
    } else if (runs && gang->workers[0] == w) {
        dispatch_give_back(walk->dispatch, w, trial);
        walk->runs[trial] = 0;
        walk->n_given_back++;
    } else if (runs && !draw(walk, 10)) {
        finish(walk, gang->workers[0], trial, TRIAL_FAILED);
        walk->n_failed++;
    }
    assert_int_equal(gang->is_over, walk->runs[trial] != number);
    dispatch_end_member(walk->dispatch, w, number + 1); /* another gang's: ignored */
    assert_ptr_equal(dispatch_gang(walk->dispatch, w), gang);
    dispatch_end_member(walk->dispatch, w, number);
    assert_null(dispatch_gang(walk->dispatch, w));
    actor->gang = 0;
    supply_idle(walk);
}

static void lose(struct walk *walk, int32_t w)
{
    struct actor *actor = &walk->actors[w];
    int64_t failed, blamed[DISPATCH_MAX];
    bool ran = actor->gang && walk->runs[actor->trial] == actor->gang;
    int32_t n = dispatch_blames(walk->dispatch, w, DISPATCH_MAX, blamed);

    if (ran)
        assert_true(n == 1 && blamed[0] == actor->trial);
    failed = dispatch_lose(walk->dispatch, w);
    if (failed >= 0) {
        walk->is_final[failed] = true;
        walk->n_crash_failures++;
    }
    if (ran) {
        walk->runs[actor->trial] = 0;
        assert_true(ledger_is_suspect(walk->ledger, actor->trial));
        assert_int_equal(ledger_state(walk->ledger, actor->trial),
                         failed >= 0 ? TRIAL_FAILED : TRIAL_PENDING);
    }
    actor->gang = 0;
    actor->n_held = 0;
    actor->is_lost = true;
    actor->is_dead = walk->is_deadly && draw(walk, 2);
    walk->n_lost++;
    supply_idle(walk);
}

static void act(struct walk *walk)
{
    int32_t w = (int32_t)draw(walk, N_WORKERS);
    struct actor *actor = &walk->actors[w];
    uint32_t what = draw(walk, 1000);

    walk->now_s += 0.01 * draw(walk, 20);
    dispatch_set_time(walk->dispatch, walk->now_s);
    if (what < 600 && actor->n_held) {
        end_single(walk, w);
    } else if (what < 600 && actor->gang) {
        if (actor->has_ended)
            end_member(walk, w);
        actor->has_ended = true;
    } else if (what >= 600 && what < (walk->is_deadly ? 610 : 603) && !actor->is_lost) {
        lose(walk, w);
    } else if (what >= 600 && what < 660 && actor->is_lost && !actor->is_dead) {
        dispatch_return(walk->dispatch, w);
        actor->is_lost = false;
        walk->n_returned++;
    } else {
        supply_idle(walk);
    }
}

/* ---- what must hold ---- */

static void check(const struct walk *walk)
{
    struct err err = {""};

    if (dispatch_check(walk->dispatch, &err))
        fail_msg("step %u: %s", walk->step, err.text);
    for (int64_t trial = 0; trial < N_TRIALS; trial++) {
        enum trial_state state = ledger_state(walk->ledger, trial);
        bool is_final = state != TRIAL_PENDING && state != TRIAL_RUNNING;

        if (is_final != walk->is_final[trial] || (walk->runs[trial] && state != TRIAL_RUNNING))
            fail_msg("step %u: trial %ld is %s", walk->step, (long)trial, trial_state_name(state));
    }
    for (int32_t w = 0; w < N_WORKERS; w++) {
        const struct gang *gang = dispatch_gang(walk->dispatch, w);

        if ((gang ? gang->number : 0) != walk->actors[w].gang)
            fail_msg("step %u: worker %d is in gang %ld, not %ld", walk->step, w,
                     (long)(gang ? gang->number : 0), (long)walk->actors[w].gang);
    }
}

static bool is_over(struct walk *walk)
{
    int32_t lacks = dispatch_lacks(walk->dispatch);

    if (lacks && is_any_pending(walk, lacks - 1))
        fail_msg("step %u: trials narrower than %d are pending", walk->step, lacks);
    if (ledger_is_finished(walk->ledger) || !dispatch_n_alive(walk->dispatch))
        return true;
    if (dispatch_n_busy(walk->dispatch))
        return false;
    if (dispatch_can_begin(walk->dispatch, left_s(walk))) {
        supply_idle(walk);
        if (!dispatch_n_busy(walk->dispatch))
            fail_msg("step %u: nothing begins although something can", walk->step);
        return false;
    }
    assert_true(isfinite(walk->until_s) || lacks > dispatch_n_alive(walk->dispatch));
    *(lacks ? &walk->n_short : &walk->n_out_of_time) += 1;
    return true;
}

static void test_walk(void **state)
{
    struct walk *walk = calloc(1, sizeof *walk);

    (void)state;
    assert_non_null(walk);
    rng_init(&walk->rng, hash_text("gang walk"), RNG_SIMULATE);
    begin_round(walk);
    supply_idle(walk);
    for (walk->step = 1; walk->step <= N_STEPS; walk->step++) {
        walk->n_drawn = 0;
        act(walk);
        check(walk);
        if (is_over(walk)) {
            end_round(walk);
            begin_round(walk);
            supply_idle(walk);
        }
    }
    print_message("%d rounds: %d finished, %d short of ranks, %d out of time; %d gangs, %d failed "
                  "by a member, %d trials given back; %d workers lost, %d returned; %d trials "
                  "failed by crashes\n",
                  walk->n_rounds, walk->n_finished, walk->n_short, walk->n_out_of_time,
                  walk->n_gangs, walk->n_failed, walk->n_given_back, walk->n_lost, walk->n_returned,
                  walk->n_crash_failures);
    assert_true(walk->n_finished > 5 && walk->n_short > 1 && walk->n_out_of_time > 1);
    assert_true(walk->n_failed > 20 && walk->n_returned > 20 && walk->n_given_back > 100);
    end_round(walk);
    free(walk);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_walk),
    };

    return cmocka_run_group_tests_name("sim/gang_walk", tests, NULL, NULL);
}
