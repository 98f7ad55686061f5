/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "gcn/cost.h"
#include "gcn/trainer.h"
#include "toy.h"
#include "unit.h"

static const struct hash key = {.high = 0x0123456789abcdef, .low = 0xfedcba9876543210};

static void train(struct gcn_outcome *outcome, const struct toy *toy, const struct gcn_spec *spec,
                  struct hash seed, struct arena *arena)
{
    toy_train(outcome, spec, &toy->inputs, &toy->split, seed, NULL, arena);
}

static void assert_same_curve(const struct gcn_outcome *a, const struct gcn_outcome *b)
{
    assert_int_equal(a->epochs_run, b->epochs_run);
    for (int32_t e = 0; e < a->epochs_run; e++) {
        assert_memory_equal(&a->curve[e].train_loss, &b->curve[e].train_loss, sizeof(double));
        assert_memory_equal(&a->curve[e].val_loss, &b->curve[e].val_loss, sizeof(double));
        assert_memory_equal(&a->curve[e].val_value, &b->curve[e].val_value, sizeof(double));
    }
    assert_memory_equal(a->metrics, b->metrics, sizeof a->metrics);
    assert_memory_equal(a->losses, b->losses, sizeof a->losses);
}

/* The same trial runs in fresh memory, in used memory and after another trial. */
static void test_same_key_same_bits(void **state)
{
    struct gcn_epoch first_curve[30], second_curve[30], other_curve[30];
    struct gcn_outcome first = {.curve = first_curve}, second = {.curve = second_curve};
    struct gcn_outcome other = {.curve = other_curve};
    struct hash other_key = key;

    (void)state;
    other_key.low ^= (uint64_t)1 << 40;
    for (int variant = 0; variant < 4; variant++) {
        enum task task = variant % 2 ? TASK_REGRESSION : TASK_CLASSIFICATION;
        struct gcn_spec spec = toy_spec(task);
        struct arena fresh = {0}, used = {0};
        struct toy toy;

        toy_init(&toy, task, variant % 2 == 0);
        spec.epochs = 30;
        spec.dropout = 0.5;
        spec.input_dropout = 0.2;
        spec.batch_size = variant / 2 ? 6 : 0;
        train(&first, &toy, &spec, key, &fresh);
        memset(arena_take(&used, 1, 3000000), 0x7f, 3000000);
        arena_reset(&used);
        train(&other, &toy, &spec, other_key, &used);
        arena_reset(&used);
        train(&second, &toy, &spec, key, &used);
        assert_same_curve(&first, &second);
        assert_true(first.curve[3].train_loss != other.curve[3].train_loss);
        arena_release(&fresh);
        arena_release(&used);
        toy_release(&toy);
    }
}

/* Epoch e takes slices of the training nodes as stream RNG_BATCH shuffles them at step e. */
static void test_batch_order(void **state)
{
    struct gcn_epoch curve[3];
    struct gcn_outcome outcome = {.curve = curve};
    struct gcn_spec spec = toy_spec(TASK_REGRESSION);
    struct arena arena = {0};
    struct trainer trainer;
    int32_t order[TOY_SAMPLES];
    struct rng rng;
    struct toy toy;

    (void)state;
    toy_init(&toy, TASK_REGRESSION, false);
    spec.epochs = 3;
    spec.batch_size = 6;
    train(&outcome, &toy, &spec, key, &arena);
    assert_int_equal(toy_trainer_init(&trainer, &spec, &toy.inputs, &toy.split, key, &arena), 0);
    rng_init(&rng, key, RNG_BATCH);
    for (uint32_t epoch = 1; epoch <= 3; epoch++) {
        int32_t n = toy.split.n_train;
        double sum = 0;

        memcpy(order, toy.split.train, (size_t)n * sizeof *order);
        rng_shuffle(order, (size_t)n, &rng, epoch);
        for (int32_t at = 0; at < n; at += 6)
            sum += trainer_step(&trainer, order + at, n - at < 6 ? n - at : 6);
        assert_true(curve[epoch - 1].train_loss == sum / n);
    }
    arena_release(&arena);
    toy_release(&toy);
}

/* best_epoch is the first epoch with the best value; the scores belong to its weights. */
static void test_best_epoch(void **state)
{
    struct gcn_epoch curve[40], short_curve[40];
    struct gcn_outcome outcome = {.curve = curve}, shorter = {.curve = short_curve};
    struct gcn_spec spec = toy_spec(TASK_CLASSIFICATION);
    struct arena arena = {0};
    int32_t best = 0;
    struct toy toy;

    (void)state;
    toy_init(&toy, TASK_CLASSIFICATION, true);
    spec.epochs = 40;
    spec.dropout = 0.5;
    train(&outcome, &toy, &spec, key, &arena);
    for (int32_t e = 1; e < 40; e++)
        if (curve[e].val_value > curve[best].val_value)
            best = e;
    assert_int_equal(outcome.best_epoch, best + 1);
    assert_true(outcome.value == curve[best].val_value);
    assert_true(outcome.metrics[PART_VAL][METRIC_ACCURACY] == outcome.value);
    assert_true(isnan(outcome.metrics[PART_TEST][METRIC_PEARSON]));
    assert_true(isnan(outcome.losses[PART_NONE]));
    /* Stopping at that epoch gives the same weights. */
    spec.epochs = best + 1;
    train(&shorter, &toy, &spec, key, &arena);
    assert_memory_equal(outcome.metrics, shorter.metrics, sizeof outcome.metrics);
    assert_true(fabs(outcome.losses[PART_VAL] - curve[best].val_loss) < 1e-12);
    assert_true(outcome.metrics[PART_VAL][METRIC_LOG_LOSS] > 0.9 * curve[best].val_loss);
    arena_release(&arena);
    toy_release(&toy);
}

/* The best epoch has the smallest loss, even if its objective is not the best. The value is still
 * the objective's. */
static void test_choose_by_loss(void **state)
{
    struct gcn_epoch curve[60];
    struct gcn_outcome outcome = {.curve = curve};
    struct gcn_spec spec = toy_spec(TASK_REGRESSION);
    struct arena arena = {0};
    int32_t by_loss = 0, by_value = 0;
    struct toy toy;

    (void)state;
    toy_init(&toy, TASK_REGRESSION, true);
    spec.choose_epoch = CHOOSE_LOSS;
    spec.epochs = 60;
    spec.dropout = 0.5;
    train(&outcome, &toy, &spec, key, &arena);
    for (int32_t e = 1; e < 60; e++) {
        if (curve[e].val_loss < curve[by_loss].val_loss)
            by_loss = e;
        if (curve[e].val_value > curve[by_value].val_value)
            by_value = e;
    }
    assert_int_not_equal(by_loss, by_value);
    assert_int_equal(outcome.best_epoch, by_loss + 1);
    assert_true(outcome.value == curve[by_loss].val_value);
    assert_true(outcome.metrics[PART_VAL][METRIC_PEARSON] == outcome.value);
    assert_true(outcome.losses[PART_VAL] == curve[by_loss].val_loss);
    /* counts epochs without a smaller loss */
    spec.patience = 2;
    train(&outcome, &toy, &spec, key, &arena);
    assert_true(outcome.epochs_run < 60);
    assert_int_equal(outcome.epochs_run, outcome.best_epoch + 2);
    for (int32_t e = outcome.best_epoch; e < outcome.epochs_run; e++)
        assert_true(curve[e].val_loss >= curve[outcome.best_epoch - 1].val_loss);
    arena_release(&arena);
    toy_release(&toy);
}

/* Make a target that can be learnt, and negate it on the stop part, which then prefers the first
 * epochs. */
static void turn_round(struct toy *toy)
{
    float *target = (float *)(uintptr_t)toy->data.target;

    for (int32_t i = 0; i < TOY_SAMPLES; i++)
        target[i] = 10 * mat_row(&toy->inputs.ax, i)[0];
    for (int32_t i = 0; i < toy->split.n_stop; i++)
        target[toy->split.stop[i]] *= -1;
}

static int32_t best_of(const struct gcn_epoch *curve, int32_t n)
{
    int32_t best = 0;

    for (int32_t e = 1; e < n; e++)
        if (curve[e].val_value < curve[best].val_value)
            best = e;
    return best;
}

/* A training with the stop part as its validation part has the same curve. */
static void check_curve(const struct toy *toy, const struct gcn_spec *spec,
                        const struct gcn_epoch *curve)
{
    struct gcn_epoch as_val_curve[40];
    struct gcn_outcome as_val = {.curve = as_val_curve};
    struct toy other = *toy;
    struct arena arena = {0};

    other.split.val = toy->split.stop;
    other.split.n_val = toy->split.n_stop;
    other.split.n_stop = 0;
    train(&as_val, &other, spec, key, &arena);
    for (int32_t e = 0; e < 40; e++) {
        assert_true(curve[e].val_loss == as_val_curve[e].val_loss);
        assert_true(curve[e].val_value == as_val_curve[e].val_value);
    }
    arena_release(&arena);
}

/* Trainings with and without a stop part differ only in their best epochs. */
static void check_stop_part(struct toy *toy, struct gcn_spec *spec)
{
    struct gcn_epoch by_val_curve[40], curve[40];
    struct gcn_outcome by_val = {.curve = by_val_curve}, outcome = {.curve = curve};
    const int32_t n_stop = toy->split.n_stop;
    struct arena arena = {0};
    int32_t best;

    toy->split.n_stop = 0;
    train(&by_val, toy, spec, key, &arena);
    toy->split.n_stop = n_stop;
    train(&outcome, toy, spec, key, &arena);
    best = best_of(curve, 40);
    assert_int_equal(by_val.best_epoch, best_of(by_val_curve, 40) + 1);
    assert_int_equal(outcome.best_epoch, best + 1);
    assert_int_not_equal(outcome.best_epoch, by_val.best_epoch);
    for (int32_t e = 0; e < 40; e++)
        assert_true(fabs(curve[e].train_loss - by_val_curve[e].train_loss) < 1e-5);
    check_curve(toy, spec, curve);
    /* The stop part has the scores that chose the epoch, the validation part those it reports. */
    assert_true(outcome.metrics[PART_STOP][METRIC_RMSE] == curve[best].val_value);
    assert_true(outcome.losses[PART_STOP] == curve[best].val_loss);
    assert_true(outcome.value == outcome.metrics[PART_VAL][METRIC_RMSE]);
    assert_true(fabs(outcome.value - by_val_curve[best].val_value) < 1e-4);
    assert_true(fabs(outcome.losses[PART_VAL] - by_val_curve[best].val_loss) < 1e-4);
    assert_true(outcome.value > by_val.value);
    assert_true(isnan(by_val.metrics[PART_STOP][METRIC_RMSE]));
    arena_release(&arena);
}

static void test_stop_part(void **state)
{
    static const int32_t batches[] = {0, 5};
    struct gcn_spec spec = toy_spec(TASK_REGRESSION);
    struct gcn_epoch curve[40];
    struct gcn_outcome outcome = {.curve = curve};
    struct arena arena = {0};
    struct toy toy;

    (void)state;
    toy_init(&toy, TASK_REGRESSION, false);
    toy_part_stop(&toy);
    turn_round(&toy);
    spec.objective = METRIC_RMSE;
    spec.maximize = false;
    spec.epochs = 40;
    for (size_t i = 0; i < sizeof batches / sizeof *batches; i++) {
        spec.batch_size = batches[i];
        check_stop_part(&toy, &spec);
    }
    spec.patience = 3;
    train(&outcome, &toy, &spec, key, &arena);
    assert_int_equal(outcome.epochs_run, outcome.best_epoch + 3);
    assert_true(outcome.epochs_run < 40);
    arena_release(&arena);
    toy_release(&toy);
}

static void test_no_epochs(void **state)
{
    struct gcn_outcome outcome = {0};
    struct gcn_spec spec = toy_spec(TASK_REGRESSION);
    struct arena arena = {0};
    struct toy toy;

    (void)state;
    toy_init(&toy, TASK_REGRESSION, false);
    spec.epochs = 0;
    train(&outcome, &toy, &spec, key, &arena);
    assert_int_equal(outcome.status, GCN_DONE);
    assert_int_equal(outcome.best_epoch, 0);
    assert_true(isfinite(outcome.value));
    assert_true(outcome.value == outcome.metrics[PART_VAL][METRIC_PEARSON]);
    arena_release(&arena);
    toy_release(&toy);
}

/* The target counts days since 4713 BC. */
static void test_target_offset(void **state)
{
    struct gcn_epoch near_curve[30], far_curve[30];
    struct gcn_outcome near = {.curve = near_curve}, far = {.curve = far_curve};
    struct gcn_spec spec = toy_spec(TASK_REGRESSION);
    float moved[TOY_SAMPLES];
    const float *target;
    struct arena arena = {0};
    struct toy toy;

    (void)state;
    toy_init(&toy, TASK_REGRESSION, false);
    spec.epochs = 30;
    /* Floats near 2^21 are multiples of 1/4: shifting a target on that grid loses nothing. */
    for (int i = 0; i < TOY_SAMPLES; i++)
        moved[i] = roundf(toy.data.target[i] * 4) / 4;
    target = toy.data.target;
    toy.data.target = moved;
    train(&near, &toy, &spec, key, &arena);
    for (int i = 0; i < TOY_SAMPLES; i++)
        moved[i] += 2097152;
    train(&far, &toy, &spec, key, &arena);
    for (int m = METRIC_PEARSON; m <= METRIC_SPEARMAN; m++)
        assert_true(fabs(far.metrics[PART_TEST][m] - near.metrics[PART_TEST][m]) < 1e-5);
    toy.data.target = target;
    arena_release(&arena);
    toy_release(&toy);
}

static void test_flops(void **state)
{
    struct gcn_epoch curve[50];
    struct gcn_outcome outcome = {.curve = curve};
    struct arena arena = {0};

    (void)state;
    for (int variant = 0; variant < 16; variant++) {
        enum task task = variant % 2 ? TASK_REGRESSION : TASK_CLASSIFICATION;
        struct gcn_spec spec = toy_spec(task);
        struct toy toy;
        struct gcn_outline outline;
        double estimate;

        toy_init(&toy, task, variant % 2 == 0);
        spec.layers = 3;
        spec.epochs = 50;
        spec.batch_size = variant / 2 % 2 ? 5 : 0;
        spec.input_dropout = variant / 4 % 2 ? 0.5 : 0;
        if (variant / 8)
            toy_part_stop(&toy);
        train(&outcome, &toy, &spec, key, &arena);
        outline = gcn_outline_of(&toy.inputs);
        estimate = gcn_cost(&spec, &outline, &toy.split).flops;
        assert_true(estimate / outcome.flops > 0.8 && estimate / outcome.flops < 1.4);
        toy_release(&toy);
    }
    arena_release(&arena);
}

/* The list describes the vector as the layers view it. Arrays that are not trained are last. */
static void check_tensors(const struct model *model, const struct gcn_spec *spec)
{
    struct model_tensor t;
    int64_t end = 0;

    for (int32_t i = 0; model_tensor(&t, spec, 13, 4, i); i++, end += t.n) {
        const struct layer *layer = &model->layer[t.layer];
        const float *const view[] = {layer->w.v, layer->b, layer->gamma, layer->mean,
                                     layer->variance};

        assert_int_equal(t.begin, end);
        assert_int_equal(t.n, (int64_t)t.shape[0] * t.shape[1]);
        assert_ptr_equal(model->weights + t.begin, view[t.array]);
        assert_int_equal(t.begin < model->n_trained, t.array <= MODEL_GAMMA);
        assert_int_equal(t.shape[t.n_dims - 1], layer->w.n_cols);
        assert_int_equal(t.begin, model->tensor[i].begin);
    }
    assert_int_equal(end, model->n_weights);
}

static void test_model_tensors(void **state)
{
    static const char *const plain[] = {"layers.0.weight", "layers.0.bias",   "layers.1.weight",
                                        "layers.1.bias",   "layers.2.weight", "layers.2.bias"};
    static const char *const normed[] = {
        "layers.0.weight",     "norms.0.bias",         "norms.0.weight",
        "layers.1.weight",     "norms.1.bias",         "norms.1.weight",
        "layers.2.weight",     "layers.2.bias",        "norms.0.running_mean",
        "norms.0.running_var", "norms.1.running_mean", "norms.1.running_var"};
    struct gcn_spec spec = toy_spec(TASK_CLASSIFICATION);
    struct arena arena = {0};
    struct model model;

    (void)state;
    spec.layers = 3;
    for (int norms = 0; norms <= 1; norms++) {
        spec.batch_norm = norms;
        assert_int_equal(model_init(&model, &spec, 13, 13, 4, key, &arena, NULL), 0);
        check_tensors(&model, &spec);
        assert_int_equal(model.n_tensors, norms ? 12 : 6);
        for (int32_t i = 0; i < model.n_tensors; i++)
            assert_string_equal(model.tensor[i].name, norms ? normed[i] : plain[i]);
    }
    arena_release(&arena);
}

static void test_outcome_weights(void **state)
{
    struct gcn_spec spec = toy_spec(TASK_REGRESSION);
    struct gcn_epoch curve[9];
    struct gcn_outcome outcome = {.curve = curve};
    struct arena arena = {0};
    struct trainer trainer;
    struct mat logits;
    struct toy toy;
    double squares = 0;

    (void)state;
    toy_init(&toy, TASK_REGRESSION, false);
    for (spec.epochs = 0; spec.epochs <= 9; spec.epochs += 9) {
        train(&outcome, &toy, &spec, key, &arena);
        assert_int_equal(toy_trainer_init(&trainer, &spec, &toy.inputs, &toy.split, key, &arena),
                         0);
        assert_int_equal(outcome.n_weights, trainer.model.n_weights);
        assert_int_equal(outcome.n_outputs, 1);
        trainer_set_weights(&trainer, outcome.weights);
        logits = trainer_watched_logits(&trainer);
        squares = 0;
        for (int32_t i = 0; i < logits.n_rows; i++) {
            double difference = (double)logits.v[i] * outcome.target_sd + outcome.target_mean -
                                (double)toy.data.target[toy.split.val[i]];

            squares += difference * difference / logits.n_rows;
        }
        assert_true(fabs(sqrt(squares) / outcome.metrics[PART_VAL][METRIC_RMSE] - 1) < 1e-5);
    }
    arena_release(&arena);
    toy_release(&toy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_key_same_bits), cmocka_unit_test(test_model_tensors),
        cmocka_unit_test(test_outcome_weights),    cmocka_unit_test(test_batch_order),
        cmocka_unit_test(test_best_epoch),         cmocka_unit_test(test_choose_by_loss),
        cmocka_unit_test(test_stop_part),          cmocka_unit_test(test_no_epochs),
        cmocka_unit_test(test_target_offset),      cmocka_unit_test(test_flops),
    };

    return cmocka_run_group_tests_name("gcn", tests, NULL, NULL);
}
