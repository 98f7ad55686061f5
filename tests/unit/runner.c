/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "data/format.h"
#include "gang/gang.h"
#include "gcn/ridge.h"
#include "grid/plan.h"
#include "grid/sweep_file.h"
#include "trial/model_runner.h"
#include "trial/prepared.h"
#include "trial/spec.h"
#include "unit.h"

#include "resolve.h"

static const char text[] = "[sweep]\nname = height, cm\nfolds = 3\n"
                           "[data]\nsamples = 60\nmarkers = 40\ncausal = 5\n"
                           "[graph]\nk = 4\n"
                           "[train]\nepochs = 5\n"
                           "[grid]\nhidden_size = 4, 8\nbatch_size = 8, full\n";

struct fixture {
    struct sweep sweep;
    struct dataset data;
    struct plan plan;
    struct prepared *prepared;
    struct model_runner *gcn;
    struct runner runner;
};

static struct fixture fixture;

static void set_up(struct fixture *f, const char *ini)
{
    struct errlist errors = {0};
    struct data_report report;
    struct data_spec spec;
    struct predicate all = {0};
    struct err err;

    memset(f, 0, sizeof *f);
    assert_int_equal(sweep_parse(&f->sweep, "unit.ini", ini, NULL, 0, &errors), 0);
    spec_data(&spec, f->sweep.fixed.v);
    assert_int_equal(data_load(&f->data, &spec, &report, &err), 0);
    assert_int_equal(resolve_sweep(&f->sweep, f->data.task, &err), 0);
    assert_int_equal(make_plan(&f->plan, &f->sweep, &all, &err), 0);
    f->prepared = prepared_create(&f->data, &err);
    f->gcn = model_runner_create(&f->plan, &f->data, f->prepared, &clock_system, &err);
    assert_non_null(f->gcn);
    f->runner = model_runner_interface(f->gcn);
}

static void tear_down(struct fixture *f)
{
    model_runner_destroy(f->gcn);
    prepared_destroy(f->prepared);
    plan_release(&f->plan);
    dataset_release(&f->data);
    sweep_release(&f->sweep);
}

static int setup(void **state)
{
    (void)state;
    set_up(&fixture, text);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    tear_down(&fixture);
    return 0;
}

static bool always(void *arg)
{
    (void)arg;
    return true;
}

static bool never(void *arg)
{
    (void)arg;
    return false;
}

static void run_trial(struct fixture *f, struct trial_result *r, int64_t number)
{
    trial_result_init(r, number);
    f->runner.run(f->runner.self, r, number, &(struct trial_watch){.keep_going = always});
}

static void assert_same(const struct trial_result *a, const struct trial_result *b)
{
    assert_int_equal(a->state, b->state);
    assert_memory_equal(&a->value, &b->value, sizeof a->value);
    assert_memory_equal(a->metrics, b->metrics, sizeof a->metrics);
    assert_int_equal(a->n_curve, b->n_curve);
    for (int32_t i = 0; i < a->n_curve; i++)
        assert_true(a->curve[i].train_loss == b->curve[i].train_loss);
}

static void test_order_does_not_matter(void **state)
{
    struct trial_result forwards[12], backwards[12];

    (void)state;
    assert_int_equal(fixture.plan.n_trials, 12);
    for (int64_t t = 0; t < 12; t++)
        run_trial(&fixture, &forwards[t], t);
    for (int64_t t = 11; t >= 0; t--)
        run_trial(&fixture, &backwards[t], t);
    for (int64_t t = 0; t < 12; t++) {
        assert_int_equal(forwards[t].state, TRIAL_DONE);
        assert_int_equal(forwards[t].epochs_run, 5);
        assert_false(isnan(forwards[t].metrics[PART_TEST][METRIC_RMSE]));
        assert_same(&forwards[t], &backwards[t]);
    }
    assert_true(forwards[0].value != forwards[1].value);
    for (int64_t t = 0; t < 12; t++) {
        trial_result_release(&forwards[t]);
        trial_result_release(&backwards[t]);
    }
}

/* ---- gangs ---- */

struct lonely {
    int n_waits;
    double meeting_s;
};

static bool leave_soon(void *arg)
{
    return ++((struct lonely *)arg)->n_waits < 3;
}

static void take_counts(void *arg, const struct gang_counts *counts)
{
    ((struct lonely *)arg)->meeting_s = counts->meeting_s;
}

static void test_failed_meeting_is_counted(void **state)
{
    const struct trial_gang gang = {.size = 2, .local_size = 2, .n_hosts = 1, .token = "runner"};
    struct lonely lonely = {0};
    struct trial_watch watch = {.keep_going = always,
                                .keep_waiting = leave_soon,
                                .count = take_counts,
                                .arg = &lonely,
                                .gang = &gang};
    struct trial_result r;
    struct fixture f;

    (void)state;
    set_up(&f, "[data]\nsamples = 60\nmarkers = 40\ncausal = 5\n[train]\nworkers = 2\n");
    trial_result_init(&r, 0);
    f.runner.run(f.runner.self, &r, 0, &watch);
    assert_int_equal(r.state, TRIAL_PENDING);
    assert_int_equal(lonely.n_waits, 3);
    assert_true(lonely.meeting_s > 0 && lonely.meeting_s < 60);
    trial_result_release(&r);
    tear_down(&f);
}

static void test_a_plan_sent_trains_the_same(void **state)
{
    struct fixture remote = {0};
    struct trial_result here, there;
    struct buf wire = {0};
    struct cursor in;
    struct err err;

    (void)state;
    plan_pack(&wire, &fixture.plan);
    in = (struct cursor){.data = wire.data, .size = wire.size};
    assert_int_equal(plan_unpack(&remote.plan, &remote.sweep, &in, &err), 0);
    assert_int_equal(in.at, in.size);
    assert_string_equal(remote.sweep.fixed.v[P_SWEEP_NAME].s, "height, cm");
    assert_int_equal(dataset_open(&remote.data, fixture.data.block, fixture.data.block_bytes, &err),
                     0);
    remote.prepared = prepared_create(&remote.data, &err);
    remote.gcn =
        model_runner_create(&remote.plan, &remote.data, remote.prepared, &clock_system, &err);
    remote.runner = model_runner_interface(remote.gcn);
    run_trial(&fixture, &here, 7);
    run_trial(&remote, &there, 7);
    assert_same(&here, &there);
    trial_result_release(&here);
    trial_result_release(&there);
    tear_down(&remote);
    buf_release(&wire);
}

static void test_truncated_plans_are_refused(void **state)
{
    struct sweep sweep;
    struct plan plan;
    struct buf wire = {0};
    struct err err;

    (void)state;
    plan_pack(&wire, &fixture.plan);
    for (size_t n = 0; n < wire.size; n++) {
        struct cursor in = {.data = wire.data, .size = n};

        assert_int_equal(plan_unpack(&plan, &sweep, &in, &err), -1);
    }
    buf_release(&wire);
}

static void test_stopped_is_pending(void **state)
{
    struct trial_result r;

    (void)state;
    trial_result_init(&r, 0);
    fixture.runner.run(fixture.runner.self, &r, 0, &(struct trial_watch){.keep_going = never});
    assert_int_equal(r.state, TRIAL_PENDING);
    assert_int_equal(r.n_curve, 0);
    trial_result_release(&r);
}

/* Keeps the last checkpoint, and stops after stop_at epochs of 1 s each. */
struct keeper {
    double now_s;
    int64_t epochs, stop_at; /* stop_at 0: never */
    int n_saved;
    struct trial_checkpoint last;
    struct buf state;
};

static double keeper_now(void *arg)
{
    return ((struct keeper *)arg)->now_s;
}

static bool keeper_goes_on(void *arg)
{
    struct keeper *keeper = arg;

    keeper->now_s += 1;
    return ++keeper->epochs != keeper->stop_at;
}

static void keeper_save(void *arg, const struct trial_checkpoint *checkpoint)
{
    struct keeper *keeper = arg;

    keeper->n_saved++;
    buf_clear(&keeper->state);
    buf_add(&keeper->state, checkpoint->state, checkpoint->bytes);
    keeper->last = *checkpoint;
    keeper->last.state = keeper->state.data;
}

static void run_kept(struct trial_result *r, struct keeper *keeper,
                     const struct trial_checkpoint *from)
{
    struct clock clock = {.now = keeper_now, .arg = keeper};
    struct trial_watch watch = {
        .keep_going = keeper_goes_on, .save = keeper_save, .arg = keeper, .from = from};
    struct model_runner *gcn =
        model_runner_create(&fixture.plan, &fixture.data, fixture.prepared, &clock, NULL);
    struct runner runner = model_runner_interface(gcn);

    assert_non_null(gcn);
    trial_result_init(r, 1);
    runner.run(runner.self, r, 1, &watch);
    model_runner_destroy(gcn);
}

/* The clock advances after an epoch has run, so the runner sees it one epoch late. */
static void test_stopped_trial_goes_on(void **state)
{
    struct keeper whole = {0}, first = {.stop_at = 4}, rest = {0};
    struct trial_result expected, stopped, r;

    (void)state;
    run_kept(&expected, &whole, NULL);
    assert_int_equal(expected.state, TRIAL_DONE);
    assert_int_equal(whole.n_saved, 0);
    run_kept(&stopped, &first, NULL);
    assert_int_equal(stopped.state, TRIAL_PENDING);
    assert_int_equal(first.n_saved, 1);
    assert_int_equal(first.last.trial, 1);
    assert_int_equal(first.last.epoch, 4);
    assert_true(fabs(first.last.left - 0.2) < 1e-12);
    assert_true(first.last.seconds == 3);
    run_kept(&r, &rest, &first.last);
    assert_int_equal(rest.epochs, 1);
    assert_int_equal(r.resumed_epoch, 4);
    assert_true(r.earlier_s == 3);
    assert_same(&expected, &r);
    trial_result_release(&expected);
    trial_result_release(&r);
    buf_release(&first.state);
}

/* Less than 2 s of work is not worth a checkpoint. */
static void test_little_is_not_kept(void **state)
{
    struct keeper keeper = {.stop_at = 2};
    struct trial_result r;

    (void)state;
    run_kept(&r, &keeper, NULL);
    assert_int_equal(r.state, TRIAL_PENDING);
    assert_int_equal(keeper.n_saved, 0);
}

static void test_damaged_checkpoint(void **state)
{
    struct keeper first = {.stop_at = 4}, again = {0};
    struct trial_result r;

    (void)state;
    run_kept(&r, &first, NULL);
    first.state.data[first.state.size / 2] ^= 1;
    run_kept(&r, &again, &first.last);
    assert_int_equal(r.state, TRIAL_DONE);
    assert_int_equal(again.epochs, 5);
    assert_int_equal(r.resumed_epoch, 0);
    assert_true(r.earlier_s == 0);
    trial_result_release(&r);
    buf_release(&first.state);
}

/* trial_timeout limits all attempts together. */
static void test_timeout_of_parts(void **state)
{
    struct keeper first = {.stop_at = 4}, rest = {0};
    struct trial_result r;

    (void)state;
    run_kept(&r, &first, NULL);
    fixture.plan.fixed.v[P_TRIAL_TIMEOUT].f = 2.5;
    run_kept(&r, &rest, &first.last);
    fixture.plan.fixed.v[P_TRIAL_TIMEOUT].f = 0;
    assert_int_equal(r.state, TRIAL_FAILED);
    assert_non_null(strstr(r.error, "trial_timeout"));
    trial_result_release(&r);
    buf_release(&first.state);
}

/* A long trial saves a checkpoint every five minutes. */
static void test_long_trial_is_kept(void **state)
{
    struct keeper keeper = {.stop_at = 700};
    struct trial_result r;
    struct fixture own, shared = fixture;

    (void)state;
    set_up(&own, "[data]\nsamples = 60\nmarkers = 40\ncausal = 5\n[train]\nepochs = 1000\n"
                 "[grid]\nhidden_size = 4, 8\n");
    fixture = own;
    run_kept(&r, &keeper, NULL);
    fixture = shared;
    assert_int_equal(keeper.n_saved, 3);
    assert_int_equal(keeper.last.epoch, 700);
    assert_true(keeper.last.seconds == 699);
    trial_result_release(&r);
    buf_release(&keeper.state);
    tear_down(&own);
}

static void test_timeout_is_failure(void **state)
{
    struct fixture f;
    struct trial_result r;

    (void)state;
    set_up(&f, "[data]\nsamples = 60\nmarkers = 40\ncausal = 5\n[train]\nepochs = 1000000\n"
               "[resources]\ntrial_timeout = 1\n");
    f.plan.fixed.v[P_TRIAL_TIMEOUT].f = 0.05;
    run_trial(&f, &r, 0);
    assert_int_equal(r.state, TRIAL_FAILED);
    assert_non_null(strstr(r.error, "trial_timeout"));
    trial_result_release(&r);
    tear_down(&f);
}

static void test_divergence_is_a_result(void **state)
{
    struct fixture f;
    struct trial_result r;

    (void)state;
    set_up(&f, "[data]\nsamples = 60\nmarkers = 40\ncausal = 5\n"
               "[train]\noptimizer = sgd\nlearning_rate = 1000\nepochs = 200\n");
    run_trial(&f, &r, 0);
    assert_int_equal(r.state, TRIAL_DIVERGED);
    assert_non_null(strstr(r.error, "epoch"));
    trial_result_release(&r);
    tear_down(&f);
}

static void test_flops_are_about_those_predicted(void **state)
{
    struct trial_result r;
    struct settings s;
    struct err err;
    struct gcn_cost work;
    int64_t full = 3; /* configuration 1: batch_size = full */

    (void)state;
    plan_settings(&fixture.plan, plan_trial(&fixture.plan, full).config, &s);
    assert_int_equal(s.v[P_BATCH_SIZE].i, 0);
    assert_int_equal(prepared_cost(&work, NULL, fixture.prepared, &s, &err), 0);
    run_trial(&fixture, &r, full);
    assert_true(work.flops > 0);
    assert_true(r.flops / work.flops > 0.6 && r.flops / work.flops < 1.6);
    trial_result_release(&r);
}

/* Cost and memory are known before anything large is made. */
static void test_memory(void **state)
{
    struct fixture f;
    struct gcn_cost outlined, made;
    struct trial_result r;
    struct settings s;
    struct err err;
    double bytes, packed;

    (void)state;
    set_up(&f, "[data]\nsamples = 60\nmarkers = 20000\ncausal = 5\n"
               "[model]\nhidden_size = 32\n[train]\nepochs = 2\n[grid]\ninput_dropout = 0, 0.1\n");
    for (int32_t c = 0; c < f.plan.n_configs; c++) {
        plan_settings(&f.plan, c, &s);
        assert_true(prepared_inputs_bytes(f.prepared, &s) == 0);
        assert_int_equal(prepared_cost(&outlined, &bytes, f.prepared, &s, &err), 0);
        assert_false(prepared_has_own(f.prepared, &s));
        assert_non_null(prepared_inputs(f.prepared, &s, &err));
        packed = (double)prepared_packed_bytes(f.prepared, &s);
        assert_true(fabs(prepared_inputs_bytes(f.prepared, &s) / packed - 1) < 0.02);
        assert_int_equal(prepared_cost(&made, NULL, f.prepared, &s, &err), 0);
        assert_memory_equal(&outlined, &made, sizeof made);
        run_trial(&f, &r, (int64_t)c * f.plan.replicates * f.plan.folds);
        assert_int_equal(r.state, TRIAL_DONE);
        assert_true(bytes > (double)r.peak_bytes && bytes < 2.5 * (double)r.peak_bytes);
        trial_result_release(&r);
    }
    tear_down(&f);
}

static void plan_k(struct settings *s, int k)
{
    plan_settings(&fixture.plan, 0, s);
    s->v[P_K].i = k;
}

/* An adopted view replaces inputs that were made. */
static void test_adopted_inputs_stay(void **state)
{
    struct prepared *prepared = prepared_create(&fixture.data, NULL);
    const struct gcn_inputs *own;
    struct settings s;
    struct err err;
    size_t n;
    void *block;
    float first;

    (void)state;
    plan_k(&s, 1);
    assert_false(prepared_has_own(prepared, &s));
    assert_non_null(prepared_inputs(prepared, &s, &err));
    assert_true(prepared_has_own(prepared, &s));
    own = prepared_inputs(prepared, &s, &err);
    first = own->a_hat.val[0];
    n = prepared_packed_bytes(prepared, &s);
    block = aligned_alloc(64, n);
    prepared_pack(block, prepared, &s);
    assert_int_equal(prepared_adopt(prepared, &s, block, n - 64, &err), -1);
    assert_true(prepared_has_own(prepared, &s));
    assert_ptr_equal(prepared_inputs(prepared, &s, &err), own);
    assert_int_equal(prepared_adopt(prepared, &s, block, n, &err), 0);
    assert_false(prepared_has_own(prepared, &s));
    for (int k = 2; k < 2 + 2 * PREPARED_INPUTS; k++) {
        plan_k(&s, k % 50 + 2);
        assert_non_null(prepared_inputs(prepared, &s, &err));
    }
    plan_k(&s, 1);
    own = prepared_inputs(prepared, &s, &err);
    assert_true(own->is_view && own->a_hat.val[0] == first);
    prepared_destroy(prepared);
    free(block);
}

/* The forecast made without inputs must agree. */
static int32_t columns_of(struct fixture *f, const struct settings *s)
{
    const struct gcn_inputs *inputs = prepared_inputs(f->prepared, s, NULL);
    int32_t n;

    assert_int_equal(prepared_columns(&n, f->prepared, s, NULL), 0);
    assert_int_equal(n, inputs->n_inputs);
    return n;
}

/* Inputs of different graphs share one L. Inputs without reduction have the features. */
static void test_reduced_inputs(void **state)
{
    struct fixture f;
    struct settings s;
    const struct gcn_inputs *few, *many, *again;
    struct trial_result r;
    struct err err;

    (void)state;
    set_up(&f, "[data]\nsamples = 40\nmarkers = 300\ncausal = 5\n"
               "[train]\nepochs = 5\n[grid]\nreduce = none, exact, pca:7\nk = 3, 6\n");
    plan_settings(&f.plan, 1 * 2, &s);
    few = prepared_inputs(f.prepared, &s, &err);
    assert_int_equal(few->n_inputs, 39);
    assert_int_equal(few->fan_in, 300);
    plan_settings(&f.plan, 1 * 2 + 1, &s);
    many = prepared_inputs(f.prepared, &s, &err);
    assert_true(many != few);
    assert_int_equal(many->n_inputs, 39);
    plan_settings(&f.plan, 1 * 2, &s);
    again = prepared_inputs(f.prepared, &s, &err);
    assert_true(again == few);
    plan_settings(&f.plan, 2 * 2, &s);
    assert_int_equal(columns_of(&f, &s), 7);
    s.v[P_INPUT_DROPOUT].f = 0.5;
    assert_null(prepared_inputs(f.prepared, &s, &err));
    assert_non_null(strstr(err.text, "reduce and input_dropout"));
    plan_settings(&f.plan, 0, &s);
    assert_int_equal(columns_of(&f, &s), 300);
    run_trial(&f, &r, 2);
    assert_int_equal(r.state, TRIAL_DONE);
    trial_result_release(&r);
    tear_down(&f);
}

/* All lambdas share the products of samples, which another process can adopt. */
static void test_ridge(void **state)
{
    struct fixture f;
    struct settings s;
    const struct ridge_inputs *inputs, *view;
    struct trial_result a, b;
    struct gcn_cost work;
    struct err err;
    size_t bytes;
    void *block;

    (void)state;
    set_up(&f, "[sweep]\nfolds = 3\n[data]\nsamples = 60\nmarkers = 200\ncausal = 5\n"
               "[resources]\nthreads = 1\n"
               "[grid]\nlambda = 0.5, 5\ntype = ridge, gcn\nk = 3, 4\n");
    assert_int_equal(f.plan.n_configs, 4);
    plan_settings(&f.plan, 0, &s);
    assert_int_equal(s.v[P_TYPE].i, param_choice(P_TYPE, "ridge"));
    inputs = prepared_inputs(f.prepared, &s, &err);
    assert_int_equal(inputs->n, 60);
    assert_int_equal(prepared_cost(&work, NULL, f.prepared, &s, &err), 0);
    run_trial(&f, &a, 1);
    assert_int_equal(a.state, TRIAL_DONE);
    assert_int_equal(a.epochs_run, 0);
    assert_int_equal(a.n_curve, 0);
    assert_true(a.value == a.metrics[PART_VAL][METRIC_PEARSON]);
    assert_true(a.flops == work.flops);
    bytes = prepared_packed_bytes(f.prepared, &s);
    block = aligned_alloc(64, bytes);
    prepared_pack(block, f.prepared, &s);
    assert_int_equal(prepared_adopt(f.prepared, &s, block, bytes, &err), 0);
    plan_settings(&f.plan, 3, &s);
    assert_int_equal(s.v[P_TYPE].i, param_choice(P_TYPE, "ridge"));
    assert_true(s.v[P_LAMBDA].f == 5);
    view = prepared_inputs(f.prepared, &s, &err);
    assert_true(view->is_view);
    run_trial(&f, &b, 1);
    assert_same(&a, &b);
    trial_result_release(&b);
    run_trial(&f, &b, 3 * 3 + 1);
    assert_int_equal(b.state, TRIAL_DONE);
    assert_true(b.value != a.value);
    trial_result_release(&a);
    trial_result_release(&b);
    tear_down(&f);
    free(block);
}

static void test_ridge_stops(void **state)
{
    struct fixture f;
    struct trial_result r;

    (void)state;
    set_up(&f, "[data]\nsamples = 60\n[model]\ntype = ridge\n");
    trial_result_init(&r, 0);
    f.runner.run(f.runner.self, &r, 0, &(struct trial_watch){.keep_going = never});
    assert_int_equal(r.state, TRIAL_PENDING);
    tear_down(&f);
    set_up(&f, "[data]\nsamples = 60\n[resources]\ntrial_timeout = 1e-9\n[model]\ntype = ridge\n");
    run_trial(&f, &r, 0);
    assert_int_equal(r.state, TRIAL_FAILED);
    assert_string_equal(r.error, "ran longer than trial_timeout = 1e-09s");
    tear_down(&f);
}

static void test_reduction_beyond_memory(void **state)
{
    struct gcn_inputs_spec spec = {.scale = SCALE_STANDARDIZE, .reduce = 5};
    struct derived derived;
    struct err err;

    (void)state;
    derived_init(&derived, &fixture.data);
    assert_non_null(derived_features(&derived, &spec, &err));
    assert_true(derived_features(&derived, &spec, &err) == derived_features(&derived, &spec, &err));
    derived.limit_bytes = 1000;
    assert_null(derived_features(&derived, &spec, &err));
    assert_non_null(strstr(err.text, "reduce = pca:5: needs 0.0 GB for the products of all pairs "
                                     "of the 40 features, but this process may use 0.0 GB"));
    derived_release(&derived);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order_does_not_matter),
        cmocka_unit_test(test_a_plan_sent_trains_the_same),
        cmocka_unit_test(test_failed_meeting_is_counted),
        cmocka_unit_test(test_truncated_plans_are_refused),
        cmocka_unit_test(test_stopped_is_pending),
        cmocka_unit_test(test_timeout_is_failure),
        cmocka_unit_test(test_stopped_trial_goes_on),
        cmocka_unit_test(test_little_is_not_kept),
        cmocka_unit_test(test_damaged_checkpoint),
        cmocka_unit_test(test_timeout_of_parts),
        cmocka_unit_test(test_long_trial_is_kept),
        cmocka_unit_test(test_divergence_is_a_result),
        cmocka_unit_test(test_adopted_inputs_stay),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_flops_are_about_those_predicted),
        cmocka_unit_test(test_reduced_inputs),
        cmocka_unit_test(test_ridge),
        cmocka_unit_test(test_ridge_stops),
        cmocka_unit_test(test_reduction_beyond_memory),
    };

    return cmocka_run_group_tests_name("runner", tests, setup, teardown);
}
