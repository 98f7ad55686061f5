/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "gcn/trainer.h"
#include "stride.h"
#include "toy.h"
#include "unit.h"

static const struct hash key = {.high = 0x0123456789abcdef, .low = 0xfedcba9876543210};

/* Compare the gradient of weights (every stride-th: stride.h) with central differences of the
 * twin. */
static void check_gradient(const struct toy *toy, const struct gcn_spec *spec, const int32_t *nodes,
                           int32_t n)
{
    const int32_t *batch = nodes ? nodes : toy->split.train;
    int32_t n_batch = nodes ? n : toy->split.n_train;
    struct arena arena = {0};
    struct trainer trainer;
    const float *target;
    double *weights;
    double loss, step = 1e-6;

    assert_int_equal(toy_trainer_init(&trainer, spec, &toy->inputs, &toy->split, key, &arena), 0);
    weights = calloc((size_t)trainer.model.n_weights, sizeof *weights);
    assert_non_null(weights);
    /* Biases start at 0, where a wrong one could go unnoticed. */
    for (int64_t i = 0; i < trainer.model.n_weights; i++) {
        trainer.model.weights[i] += 0.01f * (float)(i % 7 - 3);
        weights[i] = (double)trainer.model.weights[i];
    }
    target = trainer.target.standardized;
    trainer.n_steps = 5;
    loss = trainer_gradient(&trainer, nodes, n) / loss_weight(&trainer.target, batch, n_batch);
    assert_true(fabs(loss - toy_loss(toy, spec, weights, target, batch, n_batch, key, 5)) <
                1e-5 * loss);
    for (int64_t i = 0; i < trainer.model.n_weights; i += test_stride()) {
        double kept = weights[i], up, down, want;

        weights[i] = kept + step;
        up = toy_loss(toy, spec, weights, target, batch, n_batch, key, 5);
        weights[i] = kept - step;
        down = toy_loss(toy, spec, weights, target, batch, n_batch, key, 5);
        weights[i] = kept;
        want = (up - down) / (2 * step);
        if (!(fabs((double)trainer.model.gradient[i] - want) < 1e-5 + 1e-4 * fabs(want)))
            fail_msg("weight %d: gradient %.8g, want %.8g", (int)i,
                     (double)trainer.model.gradient[i], want);
    }
    free(weights);
    arena_release(&arena);
}

static void check_gradients(enum task task, bool is_sparse)
{
    static const int32_t batch[] = {30, 2, 14, 38, 16};
    struct toy toy;

    toy_init(&toy, task, is_sparse);
    for (int variant = 0; variant < 24; variant++) {
        struct gcn_spec spec = toy_spec(task);
        bool is_mini = variant / 12;

        spec.layers = variant % 3 + 1;
        spec.activation = variant / 3 % 2 ? ACTIVATION_TANH : ACTIVATION_RELU;
        if (variant / 6 % 2) {
            spec.dropout = 0.4;
            spec.input_dropout = 0.3;
        }
        spec.batch_size = is_mini ? 5 : 0;
        check_gradient(&toy, &spec, is_mini ? batch : NULL, 5);
        spec.input_dropout = 0;
        check_gradient(&toy, &spec, is_mini ? batch : NULL, 5);
    }
    toy_release(&toy);
}

static void test_gradient_dense_regression(void **state)
{
    (void)state;
    check_gradients(TASK_REGRESSION, false);
}

static void test_gradient_sparse_classification(void **state)
{
    (void)state;
    check_gradients(TASK_CLASSIFICATION, true);
}

static void check_options(enum task task, bool is_sparse)
{
    static const int32_t batch[] = {30, 2, 14, 38, 16};
    struct toy toy;

    toy_init(&toy, task, is_sparse);
    for (int variant = 0; variant < 64; variant++) {
        struct gcn_spec spec = toy_spec(task);
        bool is_mini = variant / 32;

        spec.layers = 2 + variant % 2 * 2;
        spec.activation = (enum activation)(variant / 2 % 4);
        spec.residual = variant / 8 % 2;
        spec.batch_norm = variant / 16 % 2;
        spec.dropout = variant % 3 ? 0.3 : 0;
        spec.class_weights = CLASSES_BALANCED;
        spec.batch_size = is_mini ? 5 : 0;
        check_gradient(&toy, &spec, is_mini ? batch : NULL, 5);
    }
    toy_release(&toy);
}

static void test_gradient_options_regression(void **state)
{
    (void)state;
    check_options(TASK_REGRESSION, false);
}

static void test_gradient_options_classification(void **state)
{
    (void)state;
    check_options(TASK_CLASSIFICATION, true);
}

/* One node, whose field grows from level to level. */
static void test_gradient_of_depth(void **state)
{
    static const int32_t batch[] = {30};
    struct gcn_spec spec = toy_spec(TASK_REGRESSION);
    struct toy toy;

    (void)state;
    toy_init(&toy, TASK_REGRESSION, false);
    for (spec.layers = 5; spec.layers <= 8; spec.layers++)
        for (int variant = 0; variant < 4; variant++) {
            spec.residual = variant % 2;
            spec.batch_norm = variant / 2;
            spec.activation = (enum activation)variant;
            spec.batch_size = 0;
            check_gradient(&toy, &spec, NULL, 0);
            spec.batch_size = 1;
            check_gradient(&toy, &spec, batch, 1);
        }
    toy_release(&toy);
}

/* The features of the whole graph exceed one panel. */
static void test_gradient_in_panels(void **state)
{
    static const int32_t batch[] = {30, 2, 14, 38, 16, 22, 8, 0};
    struct toy toy;
    struct gcn_spec spec = toy_spec(TASK_REGRESSION);
    struct trainer trainer;
    struct arena arena = {0};
    float *whole;

    (void)state;
    toy_init(&toy, TASK_REGRESSION, false);
    spec.batch_size = 8;
    for (int drops = 0; drops < 2; drops++) {
        spec.input_dropout = drops ? 0.5 : 0;
        assert_int_equal(toy_trainer_init(&trainer, &spec, &toy.inputs, &toy.split, key, &arena),
                         0);
        trainer_gradient(&trainer, batch, 8);
        whole = malloc((size_t)trainer.model.n_weights * sizeof *whole);
        assert_non_null(whole);
        memcpy(whole, trainer.model.gradient, (size_t)trainer.model.n_weights * sizeof *whole);
        trainer.pass.first.panel_rows = 3;
        trainer_gradient(&trainer, batch, 8);
        for (int64_t i = 0; i < trainer.model.n_weights; i++)
            assert_true(fabsf(whole[i] - trainer.model.gradient[i]) < 1e-5f);
        free(whole);
    }
    arena_release(&arena);
    toy_release(&toy);
}

static void test_input_dropout_is_redrawn(void **state)
{
    struct gcn_spec spec = toy_spec(TASK_REGRESSION);
    struct arena arena = {0};
    struct trainer trainer;
    struct toy toy;
    double first;

    (void)state;
    toy_init(&toy, TASK_REGRESSION, false);
    spec.input_dropout = 0.5;
    assert_int_equal(toy_trainer_init(&trainer, &spec, &toy.inputs, &toy.split, key, &arena), 0);
    first = trainer_gradient(&trainer, NULL, 0);
    assert_true(trainer_gradient(&trainer, NULL, 0) == first);
    trainer.n_steps++;
    assert_true(trainer_gradient(&trainer, NULL, 0) != first);
    arena_release(&arena);
    toy_release(&toy);
}

static void test_set_weights(void **state)
{
    struct gcn_spec spec = toy_spec(TASK_REGRESSION);
    struct arena arena = {0};
    struct trainer trainer;
    struct mat logits;
    struct toy toy;
    float *zeros;

    (void)state;
    toy_init(&toy, TASK_REGRESSION, false);
    assert_int_equal(toy_trainer_init(&trainer, &spec, &toy.inputs, &toy.split, key, &arena), 0);
    zeros = calloc((size_t)trainer.model.n_weights, sizeof *zeros);
    assert_non_null(zeros);
    zeros[trainer.model.n_weights - 2] = 1; /* in the second layer */
    logits = trainer_watched_logits(&trainer);
    assert_int_equal(logits.n_rows, toy.split.n_val);
    assert_true(logits.v[0] != 0);
    trainer_set_weights(&trainer, zeros);
    logits = trainer_watched_logits(&trainer);
    for (int32_t i = 0; i < logits.n_rows; i++)
        assert_true(logits.v[i] == 0);
    free(zeros);
    arena_release(&arena);
    toy_release(&toy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gradient_dense_regression),
        cmocka_unit_test(test_gradient_sparse_classification),
        cmocka_unit_test(test_gradient_options_regression),
        cmocka_unit_test(test_gradient_options_classification),
        cmocka_unit_test(test_gradient_of_depth),
        cmocka_unit_test(test_gradient_in_panels),
        cmocka_unit_test(test_input_dropout_is_redrawn),
        cmocka_unit_test(test_set_weights),
    };

    return cmocka_run_group_tests_name("gradient", tests, NULL, NULL);
}
