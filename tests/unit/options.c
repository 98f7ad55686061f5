/* SPDX-License-Identifier: BSD-3-Clause */
/* Options of a model and its training. See also gradient.c, golden.c and checkpoint.c. */
#include <math.h>

#include "gcn/optimizer.h"
#include "gcn/trainer.h"
#include "toy.h"
#include "unit.h"

enum { MOST_EPOCHS = 12 };

static const struct hash key = {.high = 7, .low = 9};

static void assert_close(double found, double want)
{
    if (!(fabs(found - want) <= 1e-6 * (1 + fabs(want))))
        fail_msg("found %.9g, want %.9g", found, want);
}

/* ---- learning rate ---- */

static void test_rates(void **state)
{
    struct gcn_spec spec = {.learning_rate = 0.8, .epochs = 10};

    (void)state;
    for (int32_t e = 1; e <= 10; e++)
        assert_true(optimizer_rate(&spec, e) == 0.8);
    spec.schedule = SCHEDULE_COSINE;
    assert_close(optimizer_rate(&spec, 1), 0.8);
    assert_close(optimizer_rate(&spec, 6), 0.4);
    assert_close(optimizer_rate(&spec, 10), 0.4 * (1 + cos(M_PI * 0.9)));
}

struct trained {
    struct gcn_outcome outcome;
    struct gcn_epoch curve[MOST_EPOCHS];
};

static void train(struct trained *out, const struct toy *toy, const struct gcn_spec *spec,
                  struct arena *arena)
{
    *out = (struct trained){.outcome = {.status = GCN_DONE}};
    out->outcome.curve = out->curve;
    toy_train(&out->outcome, spec, &toy->inputs, &toy->split, key, NULL, arena);
}

/* The first epoch of a cosine is one at its full rate, to the bit. */
static void test_rate_of_each_epoch(void **state)
{
    struct gcn_spec spec = toy_spec(TASK_REGRESSION);
    struct trained constant, cosine;
    struct arena arena = {0};
    struct toy toy;

    (void)state;
    toy_init(&toy, TASK_REGRESSION, false);
    for (int optimizer = OPTIMIZER_ADAM; optimizer < OPTIMIZER_COUNT; optimizer++) {
        spec.optimizer = (enum optimizer)optimizer;
        spec.weight_decay = 0.1;
        spec.epochs = 6;
        spec.learning_rate = 0.02;
        spec.schedule = SCHEDULE_CONSTANT;
        train(&constant, &toy, &spec, &arena);
        spec.schedule = SCHEDULE_COSINE;
        train(&cosine, &toy, &spec, &arena);
        assert_memory_equal(&constant.curve[0].val_loss, &cosine.curve[0].val_loss, sizeof(double));
        assert_true(constant.curve[1].val_loss != cosine.curve[1].val_loss);
    }
    arena_release(&arena);
    toy_release(&toy);
}

/* ---- steps ---- */

enum { N_STEPPED = 37 };

/* The formulas in double, with the state m and v. */
static void plain_step(double *w, double *m, double *v, double g, enum optimizer optimizer, int t)
{
    const double rate = 0.01, decay = 0.1;

    if (optimizer == OPTIMIZER_ADAMW)
        *w *= 1 - rate * decay;
    else
        g += decay * *w;
    if (optimizer == OPTIMIZER_SGD) {
        *m = 0.9 * *m + g;
        *w -= rate * *m;
        return;
    }
    *m = 0.9 * *m + 0.1 * g;
    *v = 0.999 * *v + 0.001 * g * g;
    *w -= rate * (*m / (1 - pow(0.9, t))) / (sqrt(*v / (1 - pow(0.999, t))) + 1e-8);
}

static void test_steps(void **state)
{
    struct rng rng;

    (void)state;
    rng_init(&rng, key, RNG_WEIGHTS);
    for (int k = 0; k < OPTIMIZER_COUNT; k++) {
        struct gcn_spec spec = {.epochs = 1,
                                .optimizer = (enum optimizer)k,
                                .learning_rate = 0.01,
                                .weight_decay = 0.1,
                                .momentum = 0.9};
        float weights[N_STEPPED], gradient[N_STEPPED];
        double w[N_STEPPED], m[N_STEPPED] = {0}, v[N_STEPPED] = {0};
        struct model_tensor tensor = {.n = N_STEPPED, .array = MODEL_WEIGHT};
        struct model model = {.n_tensors = 1,
                              .n_weights = N_STEPPED,
                              .n_trained = N_STEPPED,
                              .weights = weights,
                              .gradient = gradient,
                              .tensor = &tensor};
        struct optimizer_state optimizer;
        struct arena arena = {0};

        assert_int_equal(optimizer_init(&optimizer, &spec, &model, &arena, NULL), 0);
        for (uint32_t i = 0; i < N_STEPPED; i++)
            w[i] = (double)(weights[i] = (float)rng_uniform(&rng, 0, i));
        for (int t = 1; t <= 5; t++) {
            for (uint32_t i = 0; i < N_STEPPED; i++)
                gradient[i] = (float)rng_uniform(&rng, (uint32_t)t, i) - 0.5F;
            optimizer_step(&optimizer, &model);
            for (int i = 0; i < N_STEPPED; i++) {
                plain_step(&w[i], &m[i], &v[i], (double)gradient[i], spec.optimizer, t);
                assert_float_equal(weights[i], w[i], 1e-5);
            }
        }
        arena_release(&arena);
    }
}

/* ---- class weights ---- */

static void test_balanced_classes(void **state)
{
    static const int32_t label[] = {0, 0, 0, 2, 2, 0, 1, 3};
    static const int32_t train_nodes[] = {0, 1, 2, 3, 4, 5}, val[] = {6, 7};
    struct dataset data = {
        .n_samples = 8, .n_classes = 4, .task = TASK_CLASSIFICATION, .label = label};
    struct gcn_spec spec = {.class_weights = CLASSES_BALANCED};
    struct arena arena = {0};
    struct training_target target;

    (void)state;
    assert_int_equal(training_target_init(&target, &spec, &data, train_nodes, 6, &arena, NULL), 0);
    assert_close((double)target.class_weight[0], 6.0 / (2 * 4));
    assert_close((double)target.class_weight[2], 6.0 / (2 * 2));
    assert_close((double)target.class_weight[1], 6.0 / 2); /* not in the training part */
    assert_close(loss_weight(&target, train_nodes, 6), 6);
    assert_close(loss_weight(&target, val, 2), 6);
    spec.class_weights = CLASSES_ALIKE;
    assert_int_equal(training_target_init(&target, &spec, &data, train_nodes, 6, &arena, NULL), 0);
    assert_null(target.class_weight);
    assert_true(loss_weight(&target, val, 2) == 2);
    arena_release(&arena);
}

static double loss_by_twin(const struct toy *toy, const struct gcn_spec *spec,
                           const struct gcn_outcome *outcome, const int32_t *nodes, int32_t n)
{
    double weights[1024];

    assert_true(outcome->n_weights <= 1024);
    for (int64_t i = 0; i < outcome->n_weights; i++)
        weights[i] = (double)outcome->weights[i];
    return toy_loss(toy, spec, weights, NULL, nodes, n, key, -1);
}

/* At a rate of 0, the mean over an epoch's batches is that of the whole training part. Recorded
 * losses are weighted, metrics are not. */
static void test_weighted_means(void **state)
{
    struct gcn_spec spec = toy_spec(TASK_CLASSIFICATION);
    struct trained full, mini, alike;
    struct arena arena = {0};
    struct toy toy;

    (void)state;
    toy_init(&toy, TASK_CLASSIFICATION, false);
    spec.learning_rate = 0;
    spec.epochs = 2;
    train(&alike, &toy, &spec, &arena);
    spec.class_weights = CLASSES_BALANCED;
    train(&full, &toy, &spec, &arena);
    spec.batch_size = 6;
    train(&mini, &toy, &spec, &arena);
    assert_true(fabs(full.curve[1].train_loss / mini.curve[1].train_loss - 1) < 1e-5);
    assert_true(fabs(full.curve[1].train_loss / alike.curve[1].train_loss - 1) > 1e-4);
    assert_true(full.outcome.losses[PART_VAL] != alike.outcome.losses[PART_VAL]);
    assert_memory_equal(full.outcome.metrics, alike.outcome.metrics, sizeof full.outcome.metrics);
    assert_close(full.outcome.losses[PART_VAL],
                 loss_by_twin(&toy, &spec, &full.outcome, toy.split.val, toy.split.n_val));
    assert_close(full.outcome.losses[PART_TEST],
                 loss_by_twin(&toy, &spec, &full.outcome, toy.split.test, toy.split.n_test));
    arena_release(&arena);
    toy_release(&toy);
}

/* ---- batch normalisation ---- */

static struct gcn_spec norm_spec(void)
{
    struct gcn_spec spec = toy_spec(TASK_REGRESSION);

    spec.layers = 3;
    spec.batch_norm = true;
    spec.residual = true;
    return spec;
}

static void start(struct trainer *trainer, const struct toy *toy, const struct gcn_spec *spec,
                  struct arena *arena)
{
    assert_int_equal(toy_trainer_init(trainer, spec, &toy->inputs, &toy->split, key, arena), 0);
}

/* Only training changes running statistics. */
static void test_running_statistics(void **state)
{
    struct gcn_spec spec = norm_spec();
    struct arena arena = {0};
    struct trainer trainer;
    struct layer *first;
    struct toy toy;
    float kept;

    (void)state;
    toy_init(&toy, TASK_REGRESSION, false);
    start(&trainer, &toy, &spec, &arena);
    first = &trainer.model.layer[0];
    assert_true(first->gamma[2] == 1 && first->mean[2] == 0 && first->variance[2] == 1);
    assert_null(trainer.model.layer[2].gamma);
    trainer_watched_logits(&trainer);
    assert_true(first->mean[2] == 0 && first->variance[2] == 1);
    trainer_gradient(&trainer, NULL, 0);
    kept = first->mean[2];
    assert_true(kept != 0 && first->variance[2] != 1);
    optimizer_step(&trainer.optimizer, &trainer.model);
    assert_true(first->mean[2] == kept && first->gamma[2] != 1);
    trainer_watched_logits(&trainer);
    assert_true(first->mean[2] == kept);
    arena_release(&arena);
    toy_release(&toy);
}

/* The product shared with full-batch training gives the same logits as one made for the sample. */
static void test_evaluation_is_of_each_sample(void **state)
{
    struct gcn_spec spec = norm_spec();
    float shared[TOY_SAMPLES];
    size_t used;
    struct arena arena = {0};
    struct trainer trainer;
    const int32_t *rows;
    struct mat logits;
    struct toy toy;

    (void)state;
    toy_init(&toy, TASK_REGRESSION, false);
    start(&trainer, &toy, &spec, &arena);
    assert_true(trainer.shares_first);
    used = arena.used_bytes;
    for (int e = 0; e < 4; e++)
        trainer_step(&trainer, NULL, 0);
    logits = trainer_watched_logits(&trainer);
    memcpy(shared, logits.v, (size_t)logits.n_rows * sizeof *shared);
    for (int32_t i = 0; i < toy.split.n_val; i++) {
        logits = trainer_logits_of(&trainer, &toy.split.val[i], 1, &rows);
        assert_true(fabsf(logits.v[0] - shared[i]) < 1e-5f * (1 + fabsf(shared[i])));
    }
    assert_int_equal(arena.used_bytes, used); /* all memory was allocated before */
    arena_release(&arena);
    toy_release(&toy);
}

/* Loss and gradient of a batch do not depend on the full batch. A batch of the whole training part
 * steps like full batch. */
static void test_batches_are_their_own(void **state)
{
    struct gcn_spec spec = norm_spec();
    struct trainer full, mini;
    struct arena arena = {0};
    struct toy toy;

    (void)state;
    toy_init(&toy, TASK_REGRESSION, false);
    start(&full, &toy, &spec, &arena);
    spec.batch_size = toy.split.n_train - 1;
    start(&mini, &toy, &spec, &arena);
    for (int e = 0; e < 3; e++) {
        double a = trainer_step(&full, NULL, 0);
        double b = trainer_step(&mini, toy.split.train, toy.split.n_train);

        assert_true(fabs(a / b - 1) < 1e-4);
    }
    arena_release(&arena);
    toy_release(&toy);
}

/* ---- skip connections ---- */

/* Without residual, layers of zeros stop everything from below. With it, the network equals its
 * first and last layer. */
static void test_skips_go_around(void **state)
{
    struct gcn_spec spec = toy_spec(TASK_REGRESSION);
    struct arena arena = {0};
    struct trainer trainer;
    struct mat logits;
    struct toy toy;

    (void)state;
    toy_init(&toy, TASK_REGRESSION, false);
    spec.layers = 4;
    for (int residual = 0; residual <= 1; residual++) {
        spec.residual = residual;
        start(&trainer, &toy, &spec, &arena);
        for (int32_t l = 1; l <= 2; l++)
            memset(trainer.model.layer[l].w.v, 0,
                   (size_t)mat_size(&trainer.model.layer[l].w) * sizeof(float));
        logits = trainer_watched_logits(&trainer);
        assert_true((logits.v[0] != 0) == residual);
    }
    arena_release(&arena);
    toy_release(&toy);
}

/* Options without anything to act on change no bit. */
static void test_idle_options(void **state)
{
    struct gcn_spec spec = toy_spec(TASK_REGRESSION);
    struct trained plain, other;
    struct arena arena = {0};
    struct toy toy;

    (void)state;
    toy_init(&toy, TASK_REGRESSION, false);
    spec.dropout = 0.3;
    for (spec.layers = 1; spec.layers <= 2; spec.layers++) {
        struct gcn_spec with = spec;

        with.residual = true;
        with.batch_norm = spec.layers == 1;
        with.class_weights = CLASSES_BALANCED;
        train(&plain, &toy, &spec, &arena);
        train(&other, &toy, &with, &arena);
        assert_memory_equal(plain.outcome.metrics, other.outcome.metrics,
                            sizeof plain.outcome.metrics);
        assert_memory_equal(plain.outcome.losses, other.outcome.losses,
                            sizeof plain.outcome.losses);
    }
    arena_release(&arena);
    toy_release(&toy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rates),
        cmocka_unit_test(test_rate_of_each_epoch),
        cmocka_unit_test(test_steps),
        cmocka_unit_test(test_balanced_classes),
        cmocka_unit_test(test_weighted_means),
        cmocka_unit_test(test_running_statistics),
        cmocka_unit_test(test_evaluation_is_of_each_sample),
        cmocka_unit_test(test_batches_are_their_own),
        cmocka_unit_test(test_skips_go_around),
        cmocka_unit_test(test_idle_options),
    };

    return cmocka_run_group_tests_name("options", tests, NULL, NULL);
}
