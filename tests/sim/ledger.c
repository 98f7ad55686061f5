/* SPDX-License-Identifier: BSD-3-Clause */
/* Random walks over the ledger. Workers are lost, slow, or only seem lost; results come late,
 * twice, or out of order. Every trial must end exactly once. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "sched/ledger.h"

#define N_STEPS 100000
#define N_TRIALS 150
#define GROUP 4
#define N_WORKERS 12
#define MAX_HELD 400
#define MAX_FLYING 4096
#define CRASH_LIMIT 3

/* A worker's own state. The ledger may have declared it lost. */
struct actor {
    int64_t held[MAX_HELD];
    int n_held;
};

struct walk {
    struct rng rng;
    uint32_t step;
    uint32_t n_drawn;
    struct ledger *ledger;
    struct actor actors[N_WORKERS];
    int64_t flying[MAX_FLYING]; /* results on their way */
    int n_flying;
    int accepted[N_TRIALS];
    bool is_crash_failure[N_TRIALS];
    int n_rounds, n_failed, n_duplicates;
};

static uint32_t draw(struct walk *walk, uint32_t n)
{
    uint32_t block[4];

    rng_block(block, &walk->rng, walk->step, walk->n_drawn++);
    return block[0] % n;
}

static void begin_round(struct walk *walk)
{
    walk->ledger = ledger_create(N_TRIALS, GROUP, NULL, CRASH_LIMIT, NULL);
    assert_non_null(walk->ledger);
    memset(walk->accepted, 0, sizeof walk->accepted);
    memset(walk->is_crash_failure, 0, sizeof walk->is_crash_failure);
    memset(walk->actors, 0, sizeof walk->actors);
    walk->n_flying = 0;
    for (int64_t trial = 0; trial < N_TRIALS; trial += 1 + draw(walk, 40)) {
        ledger_mark(walk->ledger, trial, TRIAL_DONE);
        walk->accepted[trial]++;
    }
    for (int i = 0; i < 6; i++) { /* crashes of earlier sessions */
        uint32_t trial = draw(walk, N_TRIALS);

        if (ledger_blame(walk->ledger, trial, 1 + (int32_t)draw(walk, 2))) {
            walk->is_crash_failure[trial] = true;
            walk->accepted[trial]++;
        }
    }
}

static void end_round(struct walk *walk)
{
    for (int64_t trial = 0; trial < N_TRIALS; trial++)
        assert_int_equal(walk->accepted[trial], 1);
    ledger_destroy(walk->ledger);
    walk->n_rounds++;
}

static int64_t drop(struct actor *actor, int i)
{
    int64_t trial = actor->held[i];

    actor->held[i] = actor->held[--actor->n_held];
    return trial;
}

static void send_result(struct walk *walk, int64_t trial)
{
    if (walk->n_flying < MAX_FLYING)
        walk->flying[walk->n_flying++] = trial;
}

static void deliver(struct walk *walk)
{
    const enum trial_state states[] = {TRIAL_DONE, TRIAL_DONE, TRIAL_DIVERGED, TRIAL_FAILED};
    int i = (int)draw(walk, (uint32_t)walk->n_flying);
    int64_t trial = walk->flying[i];
    enum ledger_answer answer;

    if (draw(walk, 8)) /* otherwise it comes again */
        walk->flying[i] = walk->flying[--walk->n_flying];
    answer = ledger_finish(walk->ledger, trial, states[draw(walk, 4)]);
    if (answer == LEDGER_DUPLICATE)
        walk->n_duplicates++;
    else if (walk->is_crash_failure[trial]) /* a result replaces the failure */
        walk->is_crash_failure[trial] = false;
    else
        walk->accepted[trial]++;
}

static void lose(struct walk *walk, int w)
{
    int64_t failed[1];
    int32_t n = ledger_lose_worker(walk->ledger, w, 1, failed);

    assert_int_equal(ledger_held(walk->ledger, w), 0);
    for (int32_t i = 0; i < n; i++) {
        walk->is_crash_failure[failed[i]] = true;
        walk->accepted[failed[i]]++;
    }
    walk->n_failed += n;
    if (draw(walk, 2)) /* otherwise it was only slow, and continues */
        walk->actors[w].n_held = 0;
}

/* Suspects go after all others, and only to workers that hold nothing. */
static void check_turn(const struct walk *walk, int w, int64_t next)
{
    if (!ledger_is_suspect(walk->ledger, next))
        return;
    assert_int_equal(ledger_held(walk->ledger, w), 0);
    for (int64_t trial = 0; trial < N_TRIALS; trial++)
        assert_true(ledger_state(walk->ledger, trial) != TRIAL_PENDING ||
                    ledger_is_suspect(walk->ledger, trial));
}

static void lease(struct walk *walk, int w)
{
    struct actor *actor = &walk->actors[w];
    int32_t max = 1 + (int32_t)draw(walk, 6);

    int64_t trial;

    while (max-- && actor->n_held < MAX_HELD &&
           (trial = ledger_next(walk->ledger, w, INFINITY)) >= 0) {
        check_turn(walk, w, trial);
        assert_int_equal(ledger_lease(walk->ledger, w, trial, NULL), 0);
        actor->held[actor->n_held++] = trial;
    }
}

static void act(struct walk *walk)
{
    int w = (int)draw(walk, N_WORKERS);
    struct actor *actor = &walk->actors[w];
    int i = actor->n_held ? (int)draw(walk, (uint32_t)actor->n_held) : 0;
    uint32_t what = draw(walk, 100);

    if (what < 2)
        ledger_expect(walk->ledger, (int32_t)draw(walk, (N_TRIALS + GROUP - 1) / GROUP),
                      1e-3 * draw(walk, 8));
    else if (what < 20)
        lease(walk, w);
    else if (what < 50 && actor->n_held)
        ledger_start(walk->ledger, w, actor->held[i]);
    else if (what < 70 && actor->n_held)
        send_result(walk, drop(actor, i));
    else if (what < 90 && walk->n_flying)
        deliver(walk);
    else if (what < 93 && actor->n_held)
        ledger_give_back(walk->ledger, drop(actor, i));
    else if (what < 99)
        lose(walk, w);
    else
        assert_int_equal(ledger_finish(walk->ledger, N_TRIALS + w, TRIAL_DONE), LEDGER_UNKNOWN);
}

static void test_random_walk(void **state)
{
    struct walk *walk = calloc(1, sizeof *walk);
    struct err err = {""};

    (void)state;
    rng_init(&walk->rng, hash_text("ledger"), RNG_SIMULATE);
    begin_round(walk);
    for (walk->step = 1; walk->step <= N_STEPS; walk->step++) {
        walk->n_drawn = 0;
        act(walk);
        if (ledger_check(walk->ledger, &err))
            fail_msg("step %u: %s", walk->step, err.text);
        if (ledger_is_finished(walk->ledger)) {
            end_round(walk);
            begin_round(walk);
        }
    }
    print_message("%d rounds, %d crash limits, %d duplicates\n", walk->n_rounds, walk->n_failed,
                  walk->n_duplicates);
    assert_true(walk->n_rounds > 10 && walk->n_failed > 10 && walk->n_duplicates > 1000);
    ledger_destroy(walk->ledger);
    free(walk);
}

/* Each worker in turn hands in what it holds and leases more. One in two hundred is lost with what
 * it holds, and comes back empty. */
#define MANY_WORKERS 10000
#define MANY_TRIALS 1000000
#define BATCH 16

static void visit(struct ledger *ledger, int32_t w, int64_t held[BATCH], int32_t *n_held,
                  bool is_lost, int64_t *n_accepted)
{
    int64_t failed[1];

    assert_int_equal(ledger_held(ledger, w), *n_held);
    if (*n_held)
        ledger_start(ledger, w, held[0]);
    if (is_lost)
        *n_accepted += ledger_lose_worker(ledger, w, 1, failed);
    for (int32_t i = 0; i < *n_held && !is_lost; i++)
        *n_accepted += ledger_finish(ledger, held[i], TRIAL_DONE) == LEDGER_ACCEPTED;
    for (*n_held = 0; *n_held < BATCH && (held[*n_held] = ledger_next(ledger, w, INFINITY)) >= 0;)
        ledger_lease(ledger, w, held[(*n_held)++], NULL);
}

static void test_many_workers(void **state)
{
    struct ledger *ledger = ledger_create(MANY_TRIALS, 10, NULL, CRASH_LIMIT, NULL);
    int64_t(*held)[BATCH] = calloc(MANY_WORKERS, sizeof *held);
    int32_t *n_held = calloc(MANY_WORKERS, sizeof *n_held);
    int64_t n_accepted = 0;
    uint32_t round = 0;
    struct rng rng;
    struct err err = {""};

    (void)state;
    rng_init(&rng, hash_text("many"), RNG_SIMULATE);
    for (; !ledger_is_finished(ledger); round++) {
        for (int32_t w = 0; w < MANY_WORKERS; w++)
            visit(ledger, w, held[w], &n_held[w], rng_uniform(&rng, round, (uint32_t)w) < 0.005,
                  &n_accepted);
        if (ledger_check(ledger, &err))
            fail_msg("round %u: %s", round, err.text);
    }
    assert_int_equal(n_accepted, MANY_TRIALS);
    assert_true(round < 20);
    free(held);
    free(n_held);
    ledger_destroy(ledger);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_walk),
        cmocka_unit_test(test_many_workers),
    };

    return cmocka_run_group_tests_name("sim/ledger", tests, NULL, NULL);
}
