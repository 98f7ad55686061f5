/* SPDX-License-Identifier: BSD-3-Clause */
/* A large ledger; tests/sim/walk walks over small ones. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/rng.h"
#include "sched/ledger.h"

#define CRASH_LIMIT 3

/* Each worker in turn hands in what it holds and leases more. One in two hundred is lost with what
 * it holds, and comes back empty. */
#define MANY_WORKERS 10000
#define MANY_TRIALS 1000000
#define BATCH 16

static void visit(struct ledger *ledger, int32_t w, int64_t held[BATCH], int32_t *n_held,
                  bool is_lost, int64_t *n_accepted)
{
    assert_int_equal(ledger_held(ledger, w), *n_held);
    if (*n_held)
        ledger_start(ledger, w, held[0]);
    if (is_lost)
        *n_accepted += ledger_lose_worker(ledger, w) >= 0;
    for (int32_t i = 0; i < *n_held && !is_lost; i++)
        *n_accepted += ledger_finish(ledger, held[i], TRIAL_DONE);
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
        cmocka_unit_test(test_many_workers),
    };

    return cmocka_run_group_tests_name("sim/ledger", tests, NULL, NULL);
}
