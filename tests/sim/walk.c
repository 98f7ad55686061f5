/* SPDX-License-Identifier: BSD-3-Clause */
/* Random walks over ledger and dispatch together. Workers die, hang and come back, or a trial kills
 * them; messages are late, doubled or lost with their worker; time may run out. The test compares
 * everything with its own book at each step. */
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

#define N_STEPS 100000
#define N_TRIALS 240
#define GROUP 6
#define N_CONFIGS (N_TRIALS / GROUP)
#define N_WORKERS 9
#define QUEUE 4096
#define BUCKET 1.032 /* width of a bucket of sched/ledger.h */

enum kind { RESULT, STARTED, RETURNED };

struct message {
    enum kind kind;
    int64_t trial;
    double seconds;
};

/* The true state of a worker; the book has the scheduler's view. */
struct actor {
    int64_t queue[QUEUE]; /* [at, end) assigned, not yet begun */
    int at, end;
    int64_t running; /* -1: none */
    double began_s;
    struct message sent[QUEUE]; /* [taken, put) under way, in order */
    int taken, put;
    bool is_dead;
};

struct book {
    bool is_final[N_TRIALS];
    bool is_crash_failure[N_TRIALS];
    bool is_suspect[N_TRIALS];
    int crashes[N_TRIALS];
    int64_t said[N_WORKERS]; /* the trial that it reported to run; -1: none */
    bool is_lost[N_WORKERS];
    int n_killed[N_TRIALS];
};

struct walk {
    struct rng rng;
    uint32_t step, n_drawn;
    struct ledger *ledger;
    struct cost *cost;
    struct dispatch *dispatch;
    struct gcn_cost work[N_CONFIGS];
    bool is_poison[N_TRIALS];
    struct actor actors[N_WORKERS];
    struct book book;
    bool is_chaos; /* otherwise only poison kills workers, and no message is lost */
    int crash_limit;
    double now_s, until_s;
    int n_rounds, n_finished, n_poisoned, n_innocent, n_returned, n_duplicates, n_out_of_time,
        n_dead;
};

static uint32_t draw(struct walk *walk, uint32_t n)
{
    uint32_t block[4];

    rng_block(block, &walk->rng, walk->step, walk->n_drawn++);
    return block[0] % n;
}

static double draw_uniform(struct walk *walk)
{
    return draw(walk, 1 << 24) / (double)(1 << 24);
}

/* ---- rounds ---- */

static void begin_book(struct walk *walk)
{
    memset(&walk->book, 0, sizeof walk->book);
    memset(walk->is_poison, 0, sizeof walk->is_poison);
    for (int w = 0; w < N_WORKERS; w++)
        walk->book.said[w] = -1;
    for (int64_t trial = draw(walk, 60); trial < N_TRIALS; trial += 1 + draw(walk, 60)) {
        ledger_mark(walk->ledger, trial, TRIAL_DONE);
        walk->book.is_final[trial] = true;
    }
    for (int i = 0; i < 3; i++) { /* crashes of earlier sessions */
        uint32_t trial = draw(walk, N_TRIALS);
        bool has_failed = ledger_blame(walk->ledger, trial, 1);

        if (walk->book.is_final[trial])
            continue;
        walk->book.is_suspect[trial] = true;
        walk->book.is_final[trial] = ++walk->book.crashes[trial] >= walk->crash_limit;
        walk->book.is_crash_failure[trial] = walk->book.is_final[trial];
        assert_int_equal(has_failed, walk->book.is_final[trial]);
    }
    for (int i = 0; i < 2; i++)
        walk->is_poison[draw(walk, N_TRIALS)] = true;
}

static void begin_round(struct walk *walk)
{
    walk->is_chaos = draw(walk, 2);
    walk->crash_limit = 1 + (int)draw(walk, 3);
    walk->now_s = 0;
    walk->until_s = draw(walk, 2) ? INFINITY : 2 + 15 * draw_uniform(walk);
    for (int c = 0; c < N_CONFIGS; c++)
        walk->work[c] = (struct gcn_cost){.flops = 1e11 * 0.005 * exp(6 * draw_uniform(walk))};
    walk->ledger = ledger_create(N_TRIALS, GROUP, NULL, walk->crash_limit, NULL);
    walk->cost = cost_create(walk->work, N_CONFIGS, N_WORKERS, NULL);
    begin_book(walk);
    walk->dispatch = dispatch_create(walk->ledger, walk->cost, N_WORKERS, NULL, false, NULL, NULL);
    assert_non_null(walk->dispatch);
    memset(walk->actors, 0, sizeof walk->actors);
    for (int w = 0; w < N_WORKERS; w++)
        walk->actors[w].running = -1;
    walk->n_rounds++;
}

/* Poison kills at most as many workers as the limit (one more with a limit of 1 and no report of
 * the running trial). */
static void check_poison(const struct walk *walk)
{
    int most = walk->crash_limit > 1 ? walk->crash_limit : 2;

    for (int64_t trial = 0; trial < N_TRIALS; trial++)
        if (walk->book.n_killed[trial] > most)
            fail_msg("step %u: trial %ld took %d workers down", walk->step, (long)trial,
                     walk->book.n_killed[trial]);
}

static void end_round(struct walk *walk)
{
    if (!walk->is_chaos)
        check_poison(walk);
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

static bool may_run(const struct walk *walk, int32_t w, int64_t trial)
{
    return w || dispatch_n_alive(walk->dispatch) == 1 || !walk->book.is_suspect[trial];
}

/* Predicted seconds, with the margin. */
static double safe_seconds(const struct walk *walk, int32_t w, int64_t trial)
{
    return cost_seconds(walk->cost, ledger_group(walk->ledger, trial)) *
           cost_slowness(walk->cost, w) * cost_margin(walk->cost);
}

static bool is_pending(const struct walk *walk, int64_t trial)
{
    return ledger_state(walk->ledger, trial) == TRIAL_PENDING;
}

/* A suspect is assigned if no other trial fits, or if the whole sweep would wait for it. */
static void check_suspect(const struct walk *walk, int32_t w, int64_t trial, double sweep_s)
{
    double expected_s = ledger_expected(walk->ledger, ledger_group(walk->ledger, trial));

    assert_int_equal(ledger_held(walk->ledger, w), 1);
    assert_true(may_run(walk, w, trial));
    if (expected_s >= sweep_s)
        return;
    for (int64_t other = 0; other < N_TRIALS; other++)
        if (is_pending(walk, other) && !walk->book.is_suspect[other] &&
            safe_seconds(walk, w, other) * BUCKET < left_s(walk))
            fail_msg("step %u: suspect %ld goes before %ld", walk->step, (long)trial, (long)other);
}

static void supply(struct walk *walk, int32_t w)
{
    struct actor *actor = &walk->actors[w];
    int64_t out[DISPATCH_MAX];
    double held_s = 0, margin, sweep_s = dispatch_left_s(walk->dispatch);
    int32_t n = dispatch_assign(walk->dispatch, w, left_s(walk), out, NULL);

    assert_in_range(n, 0, DISPATCH_MAX);
    assert_true(!n || !walk->book.is_lost[w]);
    if (actor->at == actor->end)
        actor->at = actor->end = 0;
    for (int32_t i = 0; i < n; i++) {
        assert_false(walk->book.is_final[out[i]]);
        assert_int_equal(ledger_lessee(walk->ledger, out[i]), w);
        if (walk->book.is_suspect[out[i]])
            check_suspect(walk, w, out[i], sweep_s);
        assert_true(actor->end < QUEUE);
        actor->queue[actor->end++] = out[i];
    }
    for (int64_t trial = 0; trial < N_TRIALS && n; trial++)
        if (ledger_lessee(walk->ledger, trial) == w)
            held_s += dispatch_predicted(walk->dispatch, trial);
    margin = ledger_held(walk->ledger, w) == 1 ? 1 : cost_margin(walk->cost);
    if (n && held_s * margin > left_s(walk) * (1 + 1e-5))
        fail_msg("step %u: %g s for worker %d with %g s left", walk->step, held_s, w, left_s(walk));
}

/* After that, a worker holds nothing only if there is nothing for it. */
static void supply_idle(struct walk *walk)
{
    int32_t w;

    while ((w = dispatch_idle(walk->dispatch)) >= 0)
        supply(walk, w);
    for (w = 0; w < N_WORKERS && isinf(walk->until_s); w++)
        for (int64_t trial = 0; trial < N_TRIALS && !walk->book.is_lost[w]; trial++)
            if (!ledger_held(walk->ledger, w) && is_pending(walk, trial) && may_run(walk, w, trial))
                fail_msg("step %u: worker %d holds nothing and %ld waits", walk->step, w,
                         (long)trial);
}

/* ---- messages to the scheduler ---- */

static void take_result(struct walk *walk, int32_t w, const struct message *message)
{
    enum trial_state state = draw(walk, 8) ? TRIAL_DONE : TRIAL_DIVERGED;
    bool is_first = dispatch_finish(walk->dispatch, w, message->trial, state, message->seconds);
    bool is_new =
        !walk->book.is_final[message->trial] || walk->book.is_crash_failure[message->trial];

    assert_int_equal(is_first, is_new);
    walk->book.is_final[message->trial] = true;
    walk->book.is_crash_failure[message->trial] = false;
    walk->n_duplicates += !is_new;
    supply(walk, w);
}

static void hear(struct walk *walk, int32_t w, const struct message *message)
{
    if (walk->book.is_lost[w] && !walk->actors[w].is_dead) {
        walk->book.is_lost[w] = false;
        walk->n_returned++;
        dispatch_return(walk->dispatch, w);
    }
    if (message->kind == STARTED) {
        ledger_start(walk->ledger, w, message->trial);
        if (ledger_lessee(walk->ledger, message->trial) == w)
            walk->book.said[w] = message->trial;
    } else if (message->kind == RETURNED) {
        dispatch_give_back(walk->dispatch, w, message->trial);
    } else {
        take_result(walk, w, message);
    }
}

static void deliver(struct walk *walk, int32_t w)
{
    struct actor *actor = &walk->actors[w];
    struct message message;

    if (actor->taken == actor->put)
        return;
    message = actor->sent[actor->taken++ % QUEUE];
    hear(walk, w, &message);
    if (message.kind == RESULT && !draw(walk, 8))
        hear(walk, w, &message);
}

/* ---- life and death of workers ---- */

static void send(struct walk *walk, int32_t w, enum kind kind, int64_t trial, double seconds)
{
    struct actor *actor = &walk->actors[w];

    assert_true(actor->put - actor->taken < QUEUE);
    actor->sent[actor->put++ % QUEUE] = (struct message){kind, trial, seconds};
}

static double true_seconds(const struct walk *walk, int64_t trial)
{
    double noise = 0.8 + 0.05 * (double)(trial % 9);

    return walk->work[trial / GROUP].flops * 1e-11 * noise;
}

static void live(struct walk *walk, int32_t w)
{
    struct actor *actor = &walk->actors[w];
    int64_t running = actor->running;

    if (running < 0) {
        if (actor->at == actor->end)
            return;
        actor->running = actor->queue[actor->at++];
        actor->began_s = walk->now_s;
    } else if (walk->now_s < actor->began_s + true_seconds(walk, running)) {
        if (draw(walk, 2))
            send(walk, w, STARTED, running, 0);
        else if (!draw(walk, 4))
            while (actor->at < actor->end)
                send(walk, w, RETURNED, actor->queue[actor->at++], 0);
    } else if (walk->is_poison[running]) {
        actor->is_dead = true;
        walk->book.n_killed[running]++;
    } else {
        send(walk, w, RESULT, running, true_seconds(walk, running));
        actor->running = -1;
    }
}

/* Trials that get a crash if this worker is lost now. */
static int32_t culprits(const struct walk *walk, int32_t w, int64_t out[N_TRIALS])
{
    int64_t said = walk->book.said[w];
    int32_t n = 0;

    if (said >= 0 && ledger_lessee(walk->ledger, said) == w) {
        out[0] = said;
        return 1;
    }
    for (int64_t trial = 0; trial < N_TRIALS; trial++)
        if (ledger_lessee(walk->ledger, trial) == w)
            out[n++] = trial;
    return n;
}

static void lose(struct walk *walk, int32_t w)
{
    int64_t trials[N_TRIALS], blamed[N_TRIALS], failed;
    int32_t n = culprits(walk, w, trials);
    bool counts = n == 1 || walk->crash_limit > 1;
    bool has_failed = false;

    assert_int_equal(ledger_blames(walk->ledger, w, N_TRIALS, blamed), counts ? n : 0);
    failed = dispatch_lose(walk->dispatch, w);
    for (int32_t i = 0; i < n; i++) {
        walk->book.is_suspect[trials[i]] = true;
        walk->book.crashes[trials[i]] += counts;
        if (walk->book.crashes[trials[i]] >= walk->crash_limit)
            walk->book.is_final[trials[i]] = walk->book.is_crash_failure[trials[i]] = has_failed =
                true;
    }
    assert_int_equal(failed, has_failed ? trials[0] : -1);
    assert_true(!has_failed || n == 1);
    assert_true(!has_failed || walk->is_chaos || walk->is_poison[trials[0]]);
    walk->n_poisoned += has_failed && walk->is_poison[trials[0]];
    walk->n_innocent += has_failed && !walk->is_poison[trials[0]];
    walk->book.is_lost[w] = true;
    walk->book.said[w] = -1;
    supply_idle(walk);
}

/* In chaos, the last messages may be lost, too. */
static void notice(struct walk *walk, int32_t w)
{
    struct actor *actor = &walk->actors[w];

    if (!actor->is_dead || walk->book.is_lost[w])
        return;
    if (walk->is_chaos && !draw(walk, 3))
        actor->taken = actor->put;
    while (actor->taken != actor->put)
        deliver(walk, w);
    walk->n_dead++;
    lose(walk, w);
}

static void act(struct walk *walk)
{
    int32_t w = (int32_t)draw(walk, N_WORKERS);
    uint32_t what = draw(walk, 1000);
    bool is_alive = !walk->actors[w].is_dead;

    walk->now_s += 0.03 * draw_uniform(walk);
    if (what < 500 && is_alive)
        live(walk, w);
    else if (what < 900)
        deliver(walk, w);
    else if (what < 960)
        notice(walk, w);
    else if (what < 962 && walk->is_chaos)
        walk->actors[w].is_dead = true;
    else if (what < 966 && walk->is_chaos && !walk->book.is_lost[w])
        lose(walk, w);
    else
        supply_idle(walk);
}

/* ---- what must hold ---- */

static void check(const struct walk *walk)
{
    struct ledger_counts counts = ledger_counts(walk->ledger);
    struct err err = {""};

    if (dispatch_check(walk->dispatch, &err))
        fail_msg("step %u: %s", walk->step, err.text);
    assert_int_equal(counts.pending + counts.leased + counts.done + counts.diverged + counts.failed,
                     N_TRIALS);
    for (int64_t trial = 0; trial < N_TRIALS; trial++) {
        enum trial_state state = ledger_state(walk->ledger, trial);
        bool is_final = state != TRIAL_PENDING && state != TRIAL_RUNNING;

        if (is_final != walk->book.is_final[trial])
            fail_msg("step %u: trial %ld is %s", walk->step, (long)trial, trial_state_name(state));
        if (ledger_is_suspect(walk->ledger, trial) != walk->book.is_suspect[trial])
            fail_msg("step %u: trial %ld: is it a suspect?", walk->step, (long)trial);
    }
}

/* No worker is busy and none can begin, so no pending trial would have ended in time. */
static void check_nothing_fits(const struct walk *walk)
{
    for (int32_t w = 0; w < N_WORKERS; w++)
        for (int64_t trial = 0; trial < N_TRIALS; trial++)
            if (!walk->book.is_lost[w] && is_pending(walk, trial) && may_run(walk, w, trial) &&
                safe_seconds(walk, w, trial) * BUCKET < left_s(walk))
                fail_msg("step %u: trial %ld still fits", walk->step, (long)trial);
}

static bool is_over(struct walk *walk)
{
    if (ledger_is_finished(walk->ledger) || !dispatch_n_alive(walk->dispatch))
        return true;
    if (dispatch_n_busy(walk->dispatch))
        return false;
    if (dispatch_can_begin(walk->dispatch, left_s(walk))) {
        supply_idle(walk);
        assert_true(dispatch_n_busy(walk->dispatch) > 0);
        return false;
    }
    check_nothing_fits(walk);
    walk->n_out_of_time++;
    return true;
}

static void test_walk(void **state)
{
    struct walk *walk = calloc(1, sizeof *walk);

    (void)state;
    assert_non_null(walk);
    rng_init(&walk->rng, hash_text("walk"), RNG_SIMULATE);
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
    print_message(
        "%d rounds, %d finished, %d out of time; %d workers died, %d returned; failed: %d "
        "poison, %d others; %d duplicates\n",
        walk->n_rounds, walk->n_finished, walk->n_out_of_time, walk->n_dead, walk->n_returned,
        walk->n_poisoned, walk->n_innocent, walk->n_duplicates);
    assert_true(walk->n_rounds > 20 && walk->n_finished > 10 && walk->n_out_of_time > 5);
    assert_true(walk->n_poisoned > 20 && walk->n_returned > 20 && walk->n_duplicates > 100);
    end_round(walk);
    free(walk);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_walk),
    };

    return cmocka_run_group_tests_name("sim/walk", tests, NULL, NULL);
}
