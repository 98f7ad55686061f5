/* SPDX-License-Identifier: BSD-3-Clause */
/* Whole sweeps over the real ledger, cost model and dispatch policy: how close they come to the
 * best possible schedule. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/rng.h"
#include "sched/dispatch.h"
#include "simulator.h"

#define N_TRIALS 20000
#define GROUP 5
#define N_CONFIGS (N_TRIALS / GROUP)
#define N_WORKERS 64

enum shape { SAME, EVEN, LOGNORMAL, BIMODAL, PARETO };

/* Trials of about mean_s seconds. The cost model knows a configuration's seconds without its quirk.
 * The simulated machine has a tenth of the speed that it expects. */
struct scene {
    enum shape shape;
    double mean_s;
    double quirk, noise; /* sd of the logarithm: by configuration, by trial */
    double seconds[N_TRIALS];
    struct gcn_cost work[N_CONFIGS];
    double slowness[N_WORKERS];
};

static double draw(enum shape shape, const struct rng *rng, uint32_t config)
{
    double u = rng_uniform(rng, 1, config);

    switch (shape) {
    case EVEN:
        return 2 * u;
    case LOGNORMAL: /* sd 0.94, like the trials of grids/ft10.ini */
        return exp(0.94 * rng_normal(rng, 2, config) - 0.44);
    case BIMODAL: /* one in fifty is a hundred times longer */
        return u < 0.02 ? 33 : 0.33;
    case PARETO: /* the heaviest tail whose mean 20,000 trials still show */
        return 0.33 * pow(1 - u, -1 / 1.5);
    default:
        return 1;
    }
}

static void scene_init(struct scene *scene)
{
    struct rng rng;

    rng_init(&rng, hash_text("dispatch"), RNG_SIMULATE);
    for (uint32_t config = 0; config < N_CONFIGS; config++) {
        double base_s = scene->mean_s * draw(scene->shape, &rng, config);
        double quirk = exp(scene->quirk * rng_normal(&rng, 3, config));

        scene->work[config] = (struct gcn_cost){.flops = base_s * 1e10};
        for (uint32_t i = config * GROUP; i < (config + 1) * GROUP; i++)
            scene->seconds[i] = base_s * quirk * exp(scene->noise * rng_normal(&rng, 4, i));
    }
    for (int w = 0; w < N_WORKERS; w++)
        scene->slowness[w] = 1;
}

static double seconds_of(const void *arg, int64_t trial)
{
    return ((const struct scene *)arg)->seconds[trial];
}

static struct sim_report play(const struct scene *scene, int64_t n_trials, int32_t n_workers)
{
    struct sim sim = {.n_workers = n_workers,
                      .n_trials = n_trials,
                      .group_size = GROUP,
                      .work = scene->work,
                      .seconds = seconds_of,
                      .arg = scene,
                      .slowness = scene->slowness,
                      .latency_s = 1e-3,
                      .message_s = 5e-6,
                      .result_s = 20e-6};

    return sim_run(&sim);
}

static void expect(const char *name, const struct sim_report *r, double most)
{
    print_message("%s: %.3f x the bound of %.2f s, idle %.4f, longest wait %.4f s, predictions off "
                  "by %.3f\n",
                  name, r->makespan_s / r->bound_s, r->bound_s, r->idle, r->longest_wait_s, r->off);
    if (r->n_wrong)
        fail_msg("%s: %ld trials did not end once", name, (long)r->n_wrong);
    if (r->makespan_s > most * r->bound_s)
        fail_msg("%s: %.3f times the bound, at most %.3f was wanted", name,
                 r->makespan_s / r->bound_s, most);
    /* A worker waits for the scheduler no longer than a message both ways and its queue take. */
    assert_true(r->longest_wait_s < 0.02);
}

static void test_distributions(void **state)
{
    static const struct {
        const char *name;
        enum shape shape;
        double mean_s;
    } cases[] = {
        {"all alike, 0.3 s", SAME, 0.3},      {"all alike, 10 ms", SAME, 0.01},
        {"all alike, 20 s", SAME, 20},        {"even, 1 s", EVEN, 1},
        {"lognormal, 0.5 s", LOGNORMAL, 0.5}, {"lognormal, 60 s", LOGNORMAL, 60},
        {"bimodal, 0.5 s", BIMODAL, 0.5},     {"heavy tail, 1 s", PARETO, 1},
    };
    static struct scene scene;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sim_report r;

        scene = (struct scene){
            .shape = cases[i].shape, .mean_s = cases[i].mean_s, .quirk = 0.2, .noise = 0.05};
        scene_init(&scene);
        r = play(&scene, N_TRIALS, N_WORKERS);
        expect(cases[i].name, &r, 1.01);
        assert_true(r.off < 0.16); /* the median of the quirks: folds are assigned together */
    }
}

/* Configurations are off by a factor of 2, either way. */
static void test_bad_formula(void **state)
{
    static struct scene scene = {.shape = LOGNORMAL, .mean_s = 1, .quirk = 0.7, .noise = 0.1};
    struct sim_report r;

    (void)state;
    scene_init(&scene);
    r = play(&scene, N_TRIALS, N_WORKERS);
    expect("quirks", &r, 1.01);
}

/* Half of the nodes have half the speed, and one faulty node is eight times slower. */
static void test_mixed_cluster(void **state)
{
    static struct scene scene = {.shape = LOGNORMAL, .mean_s = 0.5, .quirk = 0.2, .noise = 0.05};
    struct sim_report r;

    (void)state;
    scene_init(&scene);
    for (int w = 0; w < N_WORKERS; w++)
        scene.slowness[w] = w == 7 ? 8 : w % 2 ? 2 : 1;
    r = play(&scene, N_TRIALS, N_WORKERS);
    expect("mixed", &r, 1.01);
}

/* Trials of 3 us: the scheduler is the limit, and batches keep it busy. */
static void test_no_ops(void **state)
{
    static struct scene scene = {.shape = SAME, .mean_s = 3e-6, .noise = 0.3};
    struct sim_report r;

    (void)state;
    scene_init(&scene);
    r = play(&scene, N_TRIALS, 2);
    assert_int_equal(r.n_wrong, 0);
    assert_true(r.makespan_s < 1.2 * N_TRIALS * 20e-6 + 0.02);
    assert_true(r.n_messages < N_TRIALS / 20);
}

static void test_few_trials(void **state)
{
    static struct scene scene = {.shape = EVEN, .mean_s = 1};
    struct sim_report r;

    (void)state;
    scene_init(&scene);
    for (int64_t n = 5; n <= 65; n += 15) {
        r = play(&scene, n, N_WORKERS);
        assert_int_equal(r.n_wrong, 0);
        assert_true(r.makespan_s < 2 * r.bound_s + 0.01);
    }
    r = play(&scene, N_TRIALS / 100, 1);
    expect("one worker", &r, 1.01);
}

/* ---- the policy, step by step ---- */

struct hand {
    struct ledger *ledger;
    struct cost *cost;
    struct dispatch *dispatch;
};

static void hand_init(struct hand *hand, const struct gcn_cost *work, int64_t n_trials,
                      int64_t group, int32_t n_workers)
{
    hand->ledger = ledger_create(n_trials, group, NULL, 2, NULL);
    hand->cost = cost_create(work, ledger_n_groups(hand->ledger), n_workers, NULL);
    hand->dispatch = dispatch_create(hand->ledger, hand->cost, n_workers, NULL, false, NULL, NULL);
    assert_non_null(hand->dispatch);
}

static void hand_release(struct hand *hand)
{
    assert_int_equal(dispatch_check(hand->dispatch, NULL), 0);
    dispatch_destroy(hand->dispatch);
    cost_destroy(hand->cost);
    ledger_destroy(hand->ledger);
}

/* The first result of a configuration moves its other trials. */
static void test_order_follows_results(void **state)
{
    const struct gcn_cost work[3] = {{.flops = 5e10}, {.flops = 4e10}, {.flops = 3e10}};
    int64_t out[DISPATCH_MAX];
    struct hand hand;

    (void)state;
    hand_init(&hand, work, 9, 3, 1);
    for (int i = 0; i < 4; i++)
        cost_observe(hand.cost, 1, -1, 0.9);
    assert_int_equal(dispatch_assign(hand.dispatch, 0, INFINITY, out, NULL), 1);
    assert_int_equal(out[0], 0);
    dispatch_finish(hand.dispatch, 0, 0, TRIAL_DONE, 0.6);
    assert_int_equal(dispatch_assign(hand.dispatch, 0, INFINITY, out, NULL), 1);
    assert_int_equal(out[0], 3);
    assert_float_equal(dispatch_predicted(hand.dispatch, 3), 0.9, 0.2);
    assert_true(isnan(dispatch_predicted(hand.dispatch, 4)));
    hand_release(&hand);
}

static void test_idle_and_late(void **state)
{
    const struct gcn_cost work[1] = {{.flops = 2e9}};
    int64_t out[DISPATCH_MAX];
    struct hand hand;
    int32_t n;

    (void)state;
    hand_init(&hand, work, 100, 100, 3);
    for (int i = 0; i < 4; i++)
        cost_observe(hand.cost, 0, -1, 0.02);
    assert_int_equal(dispatch_n_busy(hand.dispatch), 0);
    assert_int_equal(dispatch_idle(hand.dispatch), 0);
    n = dispatch_assign(hand.dispatch, 0, INFINITY, out, NULL);
    assert_in_range(n, 5, 7); /* the running one, and work for a tenth of a second */
    assert_int_equal(dispatch_idle(hand.dispatch), 1);
    dispatch_leave(hand.dispatch, 1);
    assert_int_equal(dispatch_idle(hand.dispatch), 2);
    assert_int_equal(dispatch_assign(hand.dispatch, 1, INFINITY, out, NULL), 0);
    dispatch_assign(hand.dispatch, 2, INFINITY, out, NULL);
    assert_int_equal(dispatch_n_busy(hand.dispatch), 2);
    assert_int_equal(dispatch_idle(hand.dispatch), -1);
    for (int64_t trial = 1; trial < n; trial++)
        dispatch_give_back(hand.dispatch, 0, trial);
    assert_int_equal(dispatch_assign(hand.dispatch, 0, INFINITY, out, NULL), 0);
    dispatch_finish(hand.dispatch, 0, 0, TRIAL_DONE, 0.02);
    assert_int_equal(dispatch_idle(hand.dispatch), 0);
    assert_in_range(dispatch_assign(hand.dispatch, 0, INFINITY, out, NULL), 2, 7);
    assert_int_equal(out[0], n - 1); /* the returned one is first */
    hand_release(&hand);
}

static void test_slow_worker(void **state)
{
    const struct gcn_cost work[1] = {{.flops = 2e9}};
    int64_t out[DISPATCH_MAX];
    struct hand hand;
    int32_t fast, slow;

    (void)state;
    hand_init(&hand, work, 1000, 1000, 2);
    for (int i = 0; i < 200; i++)
        cost_observe(hand.cost, 0, i % 2, i % 2 ? 0.04 : 0.01);
    fast = dispatch_assign(hand.dispatch, 0, INFINITY, out, NULL);
    slow = dispatch_assign(hand.dispatch, 1, INFINITY, out, NULL);
    assert_in_range(fast, 9, 13);
    assert_in_range(slow, 3, 5);
    assert_float_equal(dispatch_predicted(hand.dispatch, out[0]), 0.04, 0.005);
    hand_release(&hand);
}

/* Idle workers are served when a trial comes back. */
static void test_back_to_the_idle(void **state)
{
    const struct gcn_cost work[1] = {{.flops = 2e9}};
    int64_t out[DISPATCH_MAX];
    struct hand hand;

    (void)state;
    hand_init(&hand, work, 2, 2, 2);
    assert_int_equal(dispatch_assign(hand.dispatch, 0, INFINITY, out, NULL), 2);
    assert_int_equal(dispatch_assign(hand.dispatch, 1, INFINITY, out, NULL), 0);
    assert_int_equal(dispatch_idle(hand.dispatch), -1);
    dispatch_give_back(hand.dispatch, 1, 1); /* worker 1 does not hold it */
    assert_int_equal(dispatch_idle(hand.dispatch), -1);
    dispatch_give_back(hand.dispatch, 0, 1);
    assert_int_equal(dispatch_idle(hand.dispatch), 1);
    assert_int_equal(dispatch_assign(hand.dispatch, 1, INFINITY, out, NULL), 1);
    assert_int_equal(dispatch_lose(hand.dispatch, 1), -1);
    assert_int_equal(dispatch_n_alive(hand.dispatch), 1);
    /* No other worker is alive: worker 0 gets the suspect once it holds nothing else. */
    assert_int_equal(dispatch_assign(hand.dispatch, 0, INFINITY, out, NULL), 0);
    dispatch_finish(hand.dispatch, 0, 0, TRIAL_DONE, 0.02);
    assert_int_equal(dispatch_idle(hand.dispatch), 0);
    assert_int_equal(dispatch_assign(hand.dispatch, 0, INFINITY, out, NULL), 1);
    assert_int_equal(out[0], 1);
    dispatch_return(hand.dispatch, 1);
    assert_true(dispatch_finish(hand.dispatch, 1, 1, TRIAL_DONE, 60));
    assert_int_equal(dispatch_n_busy(hand.dispatch), 0);
    hand_release(&hand);
}

/* Outdated predictions must not end a sweep early. */
static void test_can_begin(void **state)
{
    enum { N = 640 };
    static struct gcn_cost work[N];
    int64_t out[DISPATCH_MAX];
    struct hand hand;
    double left_s;

    (void)state;
    for (int i = 0; i < N; i++)
        work[i].flops = 1e12;
    hand_init(&hand, work, N, 1, 2);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(dispatch_assign(hand.dispatch, 0, INFINITY, out, NULL), 1);
        dispatch_finish(hand.dispatch, 0, out[0], TRIAL_DONE, 10 * pow(0.1, i));
    }
    assert_true(ledger_expected(hand.ledger, N - 1) > 1.5 * cost_seconds(hand.cost, N - 1));
    left_s = 1.2 * cost_seconds(hand.cost, N - 1);
    for (int32_t w = 0; w < 2; w++)
        assert_int_equal(dispatch_assign(hand.dispatch, w, left_s, out, NULL), 0);
    assert_int_equal(dispatch_idle(hand.dispatch), -1);
    assert_false(dispatch_can_begin(hand.dispatch, left_s / 2));
    assert_int_equal(dispatch_idle(hand.dispatch), -1);
    assert_true(dispatch_can_begin(hand.dispatch, left_s));
    assert_in_range(dispatch_idle(hand.dispatch), 0, 1);
    assert_int_equal(dispatch_assign(hand.dispatch, 1, left_s, out, NULL), 1);
    dispatch_lose(hand.dispatch, 0);
    dispatch_lose(hand.dispatch, 1);
    assert_false(dispatch_can_begin(hand.dispatch, INFINITY));
    hand_release(&hand);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_distributions),    cmocka_unit_test(test_bad_formula),
        cmocka_unit_test(test_mixed_cluster),    cmocka_unit_test(test_no_ops),
        cmocka_unit_test(test_few_trials),       cmocka_unit_test(test_order_follows_results),
        cmocka_unit_test(test_idle_and_late),    cmocka_unit_test(test_slow_worker),
        cmocka_unit_test(test_back_to_the_idle), cmocka_unit_test(test_can_begin),
    };

    return cmocka_run_group_tests_name("sim/dispatch", tests, NULL, NULL);
}
