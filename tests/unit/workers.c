/* SPDX-License-Identifier: BSD-3-Clause */
/* Training with several workers. tests/unit/golden.c compares it with PyTorch. */
#include <math.h>

#include "gcn/cost.h"
#include "ranks.h"
#include "unit.h"

/* ---- dealing ---- */

static void check_deal(int32_t n, int32_t n_workers, int32_t batch_size)
{
    int32_t order[32] = {0}, dealt[32], steps[32] = {0};
    struct deal deal = {n, n_workers, batch_size, dealt};
    int32_t total = 0;

    for (int32_t i = 0; i < n; i++)
        order[i] = 100 + i * 7 % n;
    deal_samples(&deal, order);
    for (int32_t w = 0; w < n_workers; w++)
        for (int32_t s = 0; s < deal_steps(&deal); s++) {
            int32_t n_batch;
            const int32_t *samples = deal_batch(&n_batch, &deal, w, s);

            assert_in_range(n_batch, s + 1 < deal_steps(&deal) ? batch_size : 0, batch_size);
            for (int32_t i = 0; i < n_batch; i++)
                assert_int_equal(samples[i], order[w + n_workers * (s * batch_size + i)]);
            total += n_batch;
            steps[s] += n_batch;
        }
    assert_int_equal(total, n);
    for (int32_t s = 0; s < deal_steps(&deal); s++)
        assert_true(steps[s] > 0);
}

static void test_deal(void **state)
{
    (void)state;
    for (int32_t n = 1; n <= 17; n++)
        for (int32_t n_workers = 1; n_workers <= 5 && n_workers <= n; n_workers++)
            for (int32_t batch_size = 1; batch_size <= 5; batch_size++)
                if (n >= n_workers * batch_size || n % n_workers == 0)
                    check_deal(n, n_workers, batch_size);
}

/* Graph g has size[g] nodes without edges. */
static void check_balance(const int32_t *size, int32_t n, int32_t n_workers, int32_t batch_size)
{
    int32_t order[32], dealt[32];
    int64_t start[33] = {0}, row_start[256];
    struct weighed_sample scratch[32];
    struct dataset data = {.graph_start = start};
    struct gcn_inputs inputs = {.data = &data, .a_hat.row_start = row_start};
    struct deal deal = {n, n_workers, batch_size, dealt};

    for (int32_t i = 0; i < 256; i++)
        row_start[i] = i;
    for (int32_t g = 0; g < n; g++) {
        start[g + 1] = start[g] + size[g];
        order[g] = g;
    }
    deal_balance(order, &deal, &inputs, scratch);
    deal_samples(&deal, order);
    for (int32_t s = 0; s < deal_steps(&deal); s++) {
        int64_t sum = 0;
        uint32_t seen = 0;

        for (int32_t w = 0; w < n_workers; w++) {
            int32_t n_batch;
            const int32_t *batch = deal_batch(&n_batch, &deal, w, s);
            int64_t own = 0;

            for (int32_t i = 0; i < n_batch; i++) {
                assert_int_equal(batch[i] / (n_workers * batch_size), s);
                assert_int_equal(seen >> batch[i] & 1, 0);
                seen |= 1U << batch[i];
                own += size[batch[i]];
            }
            if (w > 0 && s + 1 < deal_steps(&deal))
                assert_int_equal(own, sum);
            sum = own;
        }
    }
}

static void test_balance(void **state)
{
    static const int32_t sizes[] = {3, 8, 1, 6, 2, 7, 5, 4, 11, 12, 10, 9, 16, 14, 13, 15, 2, 9, 2};
    static const int32_t of_three[] = {1, 2, 6, 3, 5, 4, 4, 4, 4, 4, 4, 4, 8};

    (void)state;
    check_balance(sizes, 19, 2, 4);
    check_balance(sizes, 19, 4, 2);
    check_balance(of_three, 13, 3, 2);
}

/* ---- steps ---- */

/* The samples of a step as one batch. */
static int32_t gather(int32_t *out, const struct deal *deal, int32_t step)
{
    int32_t n = 0;

    for (int32_t w = 0; w < deal->n_workers; w++) {
        int32_t n_batch;
        const int32_t *samples = deal_batch(&n_batch, deal, w, step);

        for (int32_t i = 0; i < n_batch; i++)
            out[n++] = samples[i];
    }
    return n;
}

/* With 13 samples and batches of 4, two of three workers have none in the second step. */
static void check_steps(const struct toy *toy, struct gcn_spec spec, int32_t n)
{
    int32_t dealt[TOY_SAMPLES], batch[TOY_SAMPLES];
    struct deal deal = {n, spec.workers, spec.batch_size, dealt};
    struct arena arena = {0};
    struct trainer crew, one;

    assert_int_equal(toy_trainer_init(&crew, &spec, &toy->inputs, &toy->split, ranks_key(), &arena),
                     0);
    spec.workers = 1;
    assert_int_equal(toy_trainer_init(&one, &spec, &toy->inputs, &toy->split, ranks_key(), &arena),
                     0);
    deal_samples(&deal, toy->split.train);
    for (int32_t s = 0; s < deal_steps(&deal); s++) {
        int32_t n_batch = gather(batch, &deal, s);
        double loss, together, length = 0, apart = 0;

        trainer_set_weights(&one, crew.model.weights);
        loss = trainer_gradient(&one, batch, n_batch);
        together = trainer_crew_step(&crew, &deal, s);
        assert_true(fabs(loss - together) < 1e-5 * loss);
        for (int64_t i = 0; i < one.model.n_trained; i++) {
            double a = (double)one.model.gradient[i], b = (double)crew.model.gradient[i];

            length += a * a;
            apart += (a - b) * (a - b);
        }
        assert_true(length > 0 && sqrt(apart / length) < 1e-5);
    }
    arena_release(&arena);
}

static void test_sum_is_the_gradient_of_all(void **state)
{
    struct toy toy;

    (void)state;
    for (int task = TASK_REGRESSION; task <= TASK_CLASSIFICATION; task++) {
        struct gcn_spec spec = ranks_spec((enum task)task, 3);

        spec.batch_size = 4;
        spec.class_weights = CLASSES_BALANCED;
        toy_init(&toy, (enum task)task, false);
        check_steps(&toy, spec, 20);
        check_steps(&toy, spec, 13);
        toy_release(&toy);
        ranks_graphs_init(&toy, (enum task)task);
        spec.pool = POOL_MEAN;
        check_steps(&toy, spec, 12);
        toy_release(&toy);
    }
}

/* Worker 0's batch alone moves the running statistics. */
static void test_running_statistics(void **state)
{
    struct gcn_spec spec = ranks_spec(TASK_REGRESSION, 3);
    int32_t dealt[TOY_SAMPLES], n;
    struct deal deal = {20, 3, 3, dealt};
    const float *stats;
    struct arena arena = {0};
    struct trainer crew, one;
    struct toy toy;

    (void)state;
    spec.batch_norm = true;
    toy_init(&toy, TASK_REGRESSION, false);
    assert_int_equal(toy_trainer_init(&crew, &spec, &toy.inputs, &toy.split, ranks_key(), &arena),
                     0);
    spec.workers = 1;
    assert_int_equal(toy_trainer_init(&one, &spec, &toy.inputs, &toy.split, ranks_key(), &arena),
                     0);
    deal_samples(&deal, toy.split.train);
    for (int32_t s = 0; s < deal_steps(&deal); s++) {
        const int32_t *samples = deal_batch(&n, &deal, 0, s);

        trainer_set_weights(&one, crew.model.weights);
        trainer_gradient(&one, samples, n);
        trainer_crew_step(&crew, &deal, s);
        stats = one.model.weights + one.model.n_trained;
        assert_true(one.model.n_trained < one.model.n_weights);
        assert_memory_equal(crew.model.weights + one.model.n_trained, stats,
                            (size_t)(one.model.n_weights - one.model.n_trained) * sizeof *stats);
    }
    arena_release(&arena);
    toy_release(&toy);
}

/* Worker w's dropout in step s is that of step s W + w of a training without workers. */
static void test_dropout(void **state)
{
    struct gcn_spec spec = ranks_spec(TASK_CLASSIFICATION, 3);
    int32_t dealt[TOY_SAMPLES], n;
    struct deal deal = {18, 3, 3, dealt};
    struct arena arena = {0};
    struct trainer crew, one;
    struct toy toy;

    (void)state;
    spec.dropout = 0.5;
    spec.input_dropout = 0.2;
    toy_init(&toy, TASK_CLASSIFICATION, false);
    assert_int_equal(toy_trainer_init(&crew, &spec, &toy.inputs, &toy.split, ranks_key(), &arena),
                     0);
    spec.workers = 1;
    assert_int_equal(toy_trainer_init(&one, &spec, &toy.inputs, &toy.split, ranks_key(), &arena),
                     0);
    deal_samples(&deal, toy.split.train);
    for (int32_t s = 0; s < deal_steps(&deal); s++) {
        trainer_set_weights(&one, crew.model.weights);
        trainer_crew_step(&crew, &deal, s);
        for (int32_t w = 0; w < 3; w++) {
            const int32_t *samples = deal_batch(&n, &deal, w, s);

            one.n_steps = (uint32_t)(3 * s + w);
            trainer_gradient(&one, samples, n);
            for (int64_t i = 0; i < one.model.n_trained; i++)
                assert_true(fabsf(one.model.gradient[i] / 3 -
                                  crew.parts[w * one.model.n_weights + i]) < 1e-6f);
        }
    }
    arena_release(&arena);
    toy_release(&toy);
}

/* Blocks of samples in any order have the scores that one worker computes. */
static void check_scores(const struct toy *toy, struct gcn_spec spec, int32_t n)
{
    int32_t samples[TOY_SAMPLES];
    const int32_t *crew_rows, *rows;
    struct arena arena = {0};
    struct trainer crew, one;
    struct mat z, want;

    for (int32_t i = 0; i < n; i++)
        samples[i] = i * 7 % toy->data.n_samples;
    assert_int_equal(toy_trainer_init(&crew, &spec, &toy->inputs, &toy->split, ranks_key(), &arena),
                     0);
    spec.workers = 1;
    assert_int_equal(toy_trainer_init(&one, &spec, &toy->inputs, &toy->split, ranks_key(), &arena),
                     0);
    z = trainer_logits_of(&crew, samples, n, &crew_rows);
    want = trainer_logits_of(&one, samples, n, &rows);
    for (int32_t i = 0; i < n; i++)
        for (int32_t j = 0; j < z.n_cols; j++)
            assert_true(fabsf(mat_row(&z, crew_rows[samples[i]])[j] -
                              mat_row(&want, rows[samples[i]])[j]) < 1e-5f);
    z = trainer_watched_logits(&crew);
    want = trainer_watched_logits(&one);
    for (int64_t i = 0; i < mat_size(&want); i++)
        assert_true(fabsf(z.v[i] - want.v[i]) < 1e-5f);
    arena_release(&arena);
}

static void test_scores(void **state)
{
    struct gcn_spec spec = ranks_spec(TASK_CLASSIFICATION, 3);
    struct toy toy;

    (void)state;
    toy_init(&toy, TASK_CLASSIFICATION, false);
    for (int32_t n = 1; n <= 16; n += 5)
        check_scores(&toy, spec, n);
    toy_release(&toy);
    ranks_graphs_init(&toy, TASK_CLASSIFICATION);
    spec.pool = POOL_SUM;
    for (int32_t n = 1; n <= 16; n += 5)
        check_scores(&toy, spec, n);
    toy_release(&toy);
}

/* ---- whole trainings ---- */

static void test_all_options_of_nodes(void **state)
{
    static const int32_t workers[] = {2, 3, 5};

    (void)state;
    for (int options = 0; options < 12; options++) {
        enum task task = options / 2 % 2 ? TASK_CLASSIFICATION : TASK_REGRESSION;
        struct gcn_spec spec = ranks_spec(task, workers[options % 3]);
        struct trained whole;
        struct toy toy;

        toy_init(&toy, task, options / 3 % 2);
        if (options % 5 == 0)
            toy_part_stop(&toy);
        ranks_set_options(&spec, options);
        ranks_check(&whole, &toy, &spec);
        toy_release(&toy);
    }
}

static void test_all_options_of_graphs(void **state)
{
    static const int32_t workers[] = {5, 2, 3};

    (void)state;
    for (int options = 0; options < 9; options++) {
        enum task task = options / 2 % 2 ? TASK_CLASSIFICATION : TASK_REGRESSION;
        struct gcn_spec spec = ranks_spec(task, workers[options % 3]);
        struct trained whole;
        struct toy toy;

        ranks_graphs_init(&toy, task);
        ranks_set_options(&spec, options);
        spec.pool = (enum pool)(POOL_MEAN + options / 3);
        ranks_check(&whole, &toy, &spec);
        toy_release(&toy);
    }
}

/* The weights after the steps of the first epoch. */
static void check_epoch(const struct toy *toy, struct gcn_spec spec)
{
    int32_t order[TOY_SAMPLES], dealt[TOY_SAMPLES], n = toy->split.n_train;
    struct weighed_sample scratch[TOY_SAMPLES];
    struct deal deal = {n, spec.workers, spec.batch_size, dealt};
    struct arena arena = {0};
    struct trainer crew;
    struct trained out;
    struct rng rng;

    spec.epochs = 1;
    ranks_train_alone(&out, toy, &spec);
    assert_int_equal(toy_trainer_init(&crew, &spec, &toy->inputs, &toy->split, ranks_key(), &arena),
                     0);
    rng_init(&rng, ranks_key(), RNG_BATCH);
    memcpy(order, toy->split.train, (size_t)n * sizeof *order);
    rng_shuffle(order, (size_t)n, &rng, 1);
    if (spec.pool != POOL_NONE)
        deal_balance(order, &deal, &toy->inputs, scratch);
    deal_samples(&deal, order);
    trainer_begin_epoch(&crew, 1);
    for (int32_t s = 0; s < deal_steps(&deal); s++)
        trainer_crew_step(&crew, &deal, s);
    assert_memory_equal(out.weights, crew.model.weights,
                        (size_t)crew.model.n_weights * sizeof *out.weights);
    arena_release(&arena);
}

static void test_an_epoch(void **state)
{
    struct gcn_spec spec = ranks_spec(TASK_CLASSIFICATION, 2);
    struct toy toy;

    (void)state;
    toy_init(&toy, TASK_CLASSIFICATION, false);
    check_epoch(&toy, spec);
    toy_release(&toy);
    ranks_graphs_init(&toy, TASK_CLASSIFICATION);
    spec.pool = POOL_MEAN;
    check_epoch(&toy, spec);
    toy_release(&toy);
}

static void test_divergence(void **state)
{
    struct gcn_spec spec = ranks_spec(TASK_REGRESSION, 3);
    struct trained out[2];
    struct toy toy;

    (void)state;
    spec.optimizer = OPTIMIZER_SGD;
    spec.learning_rate = 1e20;
    toy_init(&toy, TASK_REGRESSION, false);
    ranks_train(out, &toy, &spec, 2, 0, 0, ranks_key());
    assert_int_equal(out[0].outcome.status, GCN_DIVERGED);
    assert_non_null(strstr(out[0].outcome.reason, "train loss is "));
    assert_string_equal(out[0].outcome.reason, out[1].outcome.reason);
    toy_release(&toy);
}

/* ---- ends ---- */

static void test_failure_of_each_call(void **state)
{
    struct gcn_spec spec = ranks_spec(TASK_REGRESSION, 3);
    struct trained out[3];
    int32_t n_calls;
    struct toy toy;

    (void)state;
    spec.epochs = 2;
    toy_init(&toy, TASK_REGRESSION, false);
    n_calls = ranks_train(out, &toy, &spec, 3, 0, 0, ranks_key());
    assert_true(n_calls > 10);
    for (int32_t fails_at = 1; fails_at <= n_calls; fails_at++) {
        ranks_train(out, &toy, &spec, 3, fails_at, 0, ranks_key());
        for (int32_t r = 0; r < 3; r++)
            assert_int_equal(out[r].outcome.status, GCN_STOPPED);
    }
    toy_release(&toy);
}

static void test_one_rank_stops_all(void **state)
{
    struct gcn_spec spec = ranks_spec(TASK_REGRESSION, 4);
    struct trained out[3];
    struct toy toy;

    (void)state;
    toy_init(&toy, TASK_REGRESSION, false);
    ranks_train(out, &toy, &spec, 3, 0, 2, ranks_key());
    for (int32_t r = 0; r < 3; r++) {
        assert_int_equal(out[r].outcome.status, GCN_STOPPED);
        assert_int_equal(out[r].outcome.epochs_run, 2);
        assert_int_equal(out[r].n_stopping, 1);
    }
    toy_release(&toy);
}

static void test_other_state_is_noticed(void **state)
{
    struct gcn_spec spec = ranks_spec(TASK_REGRESSION, 2);
    struct trained out[2];
    struct toy toy;

    (void)state;
    toy_init(&toy, TASK_REGRESSION, false);
    ranks_train(out, &toy, &spec, 2, 0, 0, hash_text("another"));
    for (int32_t r = 0; r < 2; r++) {
        assert_int_equal(out[r].outcome.status, GCN_STOPPED);
        assert_int_equal(out[r].outcome.epochs_run, 0);
    }
    toy_release(&toy);
}

/* Ranks whose scores differ end after the first epoch, and save nothing of it. */
static void test_other_numbers_are_noticed(void **state)
{
    struct gcn_spec spec = ranks_spec(TASK_REGRESSION, 2);
    float target[TOY_SAMPLES];
    struct trained out[2];
    struct toy toy, other;

    (void)state;
    toy_init(&toy, TASK_REGRESSION, false);
    other = toy;
    memcpy(target, toy.data.target, sizeof target);
    target[toy.split.val[0]] += 1;
    other.data.target = target;
    other.inputs.data = &other.data;
    ranks_train_unlike(out, &toy, &other, &spec, 2);
    for (int32_t r = 0; r < 2; r++) {
        assert_int_equal(out[r].outcome.status, GCN_STOPPED);
        assert_int_equal(out[r].outcome.epochs_run, 1);
        assert_int_equal(out[r].n_stopping, 0);
    }
    toy_release(&toy);
}

static void refused(const struct toy *toy, const struct gcn_spec *spec, const char *want)
{
    struct gcn_outcome outcome = {.curve = NULL};
    struct arena arena = {0};
    struct err err;

    assert_int_equal(gcn_train(&outcome,
                               &(struct gcn_training){.spec = spec,
                                                      .inputs = &toy->inputs,
                                                      .split = &toy->split,
                                                      .key = ranks_key(),
                                                      .threads = 1,
                                                      .scratch = &arena,
                                                      .clock = &clock_system},
                               &err),
                     -1);
    assert_string_equal(err.text, want);
    arena_release(&arena);
}

static void test_refused(void **state)
{
    struct gcn_spec spec = ranks_spec(TASK_REGRESSION, 2);
    struct toy toy;

    (void)state;
    toy_init(&toy, TASK_REGRESSION, false);
    spec.batch_size = 1;
    spec.workers = 21;
    refused(&toy, &spec,
            "workers = 21: a training part has only 20 samples, and each worker needs one: must be "
            "at most 20");
    toy_release(&toy);
}

/* ---- costs ---- */

/* The estimates hold as without workers (gcn/cost.h). */
static void test_costs(void **state)
{
    struct toy toy;
    struct trained out;

    (void)state;
    toy_init(&toy, TASK_REGRESSION, false);
    toy_part_stop(&toy);
    for (int32_t workers = 1; workers <= 6; workers++) {
        struct gcn_spec spec = ranks_spec(TASK_REGRESSION, workers);
        struct gcn_outline outline = gcn_outline_of(&toy.inputs);
        struct gcn_cost cost = gcn_cost(&spec, &outline, &toy.split);
        double ratio;

        ranks_train_alone(&out, &toy, &spec);
        ratio = cost.flops / out.outcome.flops;
        if (!(ratio > 1 / 1.4 && ratio < 1.4))
            fail_msg("%d workers: %.3g flops expected, %.3g counted", workers, cost.flops,
                     out.outcome.flops);
        assert_true(cost.steps == RANKS_EPOCHS * ceil(ceil(14.0 / workers) / 3));
    }
    toy_release(&toy);
}

static double peak_of(const struct toy *toy, const struct gcn_spec *spec)
{
    struct gcn_epoch curve[RANKS_EPOCHS];
    struct gcn_outcome outcome = {.curve = curve};
    struct arena arena = {0};
    double peak;

    assert_int_equal(gcn_train(&outcome,
                               &(struct gcn_training){.spec = spec,
                                                      .inputs = &toy->inputs,
                                                      .split = &toy->split,
                                                      .key = ranks_key(),
                                                      .threads = 1,
                                                      .scratch = &arena,
                                                      .clock = &clock_system},
                               NULL),
                     0);
    peak = (double)arena.peak_bytes;
    arena_release(&arena);
    return peak;
}

/* Each worker's part of the weights counts. */
static void test_memory(void **state)
{
    struct gcn_spec spec = ranks_spec(TASK_REGRESSION, 2), more = spec;
    struct gcn_outline outline;
    double expected, used;
    struct toy toy;

    (void)state;
    toy_init(&toy, TASK_REGRESSION, false);
    outline = gcn_outline_of(&toy.inputs);
    spec.hidden_size = more.hidden_size = 400;
    spec.layers = more.layers = 3; /* most memory is of weights */
    more.workers = 20;
    expected = gcn_train_bytes(&more, &outline, &toy.split, 1) -
               gcn_train_bytes(&spec, &outline, &toy.split, 1);
    used = peak_of(&toy, &more) - peak_of(&toy, &spec);
    if (!(expected > used / 1.1 && expected < 1.1 * used))
        fail_msg("18 more workers: %.0f bytes expected, %.0f used", expected, used);
    toy_release(&toy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_deal),
        cmocka_unit_test(test_balance),
        cmocka_unit_test(test_sum_is_the_gradient_of_all),
        cmocka_unit_test(test_running_statistics),
        cmocka_unit_test(test_dropout),
        cmocka_unit_test(test_scores),
        cmocka_unit_test(test_all_options_of_nodes),
        cmocka_unit_test(test_all_options_of_graphs),
        cmocka_unit_test(test_an_epoch),
        cmocka_unit_test(test_divergence),
        cmocka_unit_test(test_failure_of_each_call),
        cmocka_unit_test(test_one_rank_stops_all),
        cmocka_unit_test(test_other_state_is_noticed),
        cmocka_unit_test(test_other_numbers_are_noticed),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_costs),
        cmocka_unit_test(test_memory),
    };

    return cmocka_run_group_tests_name("workers", tests, NULL, NULL);
}
