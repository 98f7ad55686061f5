/* SPDX-License-Identifier: BSD-3-Clause */
/* A training that continues from its checkpoint after any epoch gives the same bits as an
 * uninterrupted one. */
#include <math.h>

#include "gcn/cost.h"
#include "toy.h"
#include "unit.h"

enum { EPOCHS = 6 };

static const struct hash key = {3, 5};

struct breaking {
    int32_t at; /* 0: never */
    struct buf saved;
    size_t announced;
};

static bool epoch_done(void *arg, const struct gcn_outcome *so_far, const struct gcn_run *run)
{
    struct breaking *breaking = arg;

    if (so_far->epochs_run != breaking->at)
        return true;
    buf_clear(&breaking->saved);
    breaking->announced = gcn_save_bytes(run);
    gcn_save(&breaking->saved, run);
    return false;
}

struct trained {
    struct gcn_outcome outcome;
    struct gcn_epoch curve[EPOCHS];
};

/* state is the checkpoint to continue from, or NULL. */
static void train(struct trained *out, const struct toy *toy, const struct gcn_spec *spec,
                  struct breaking *breaking, const struct buf *state)
{
    struct gcn_observer observer = {.epoch_done = epoch_done,
                                    .arg = breaking,
                                    .state = state ? state->data : NULL,
                                    .state_bytes = state ? state->size : 0};
    struct arena scratch = {0};

    memset(out, 0, sizeof *out);
    out->outcome.curve = out->curve;
    toy_train(&out->outcome, spec, &toy->inputs, &toy->split, key, &observer, &scratch);
    arena_release(&scratch);
}

#define SAME(a, b, field) assert_memory_equal(&(a)->field, &(b)->field, sizeof(a)->field)

static void check_same(const struct trained *a, const struct trained *b)
{
    assert_int_equal(a->outcome.status, b->outcome.status);
    assert_int_equal(a->outcome.epochs_run, b->outcome.epochs_run);
    assert_int_equal(a->outcome.best_epoch, b->outcome.best_epoch);
    assert_string_equal(a->outcome.reason, b->outcome.reason);
    SAME(a, b, outcome.value);
    SAME(a, b, outcome.metrics);
    SAME(a, b, outcome.losses);
    SAME(a, b, outcome.flops);
    for (int32_t e = 0; e < a->outcome.epochs_run; e++) {
        SAME(a, b, curve[e].train_loss);
        SAME(a, b, curve[e].val_loss);
        SAME(a, b, curve[e].val_value);
    }
}

/* Interrupt once after each epoch, and once after every epoch in turn. */
static void check_breaks(const struct toy *toy, const struct gcn_spec *spec)
{
    struct breaking never = {0}, breaking = {0};
    struct trained whole, part;

    train(&whole, toy, spec, &never, NULL);
    for (breaking.at = 1; breaking.at <= whole.outcome.epochs_run; breaking.at++) {
        train(&part, toy, spec, &breaking, NULL);
        assert_int_equal(part.outcome.status, GCN_STOPPED);
        assert_int_equal(breaking.saved.size, breaking.announced);
        train(&part, toy, spec, &never, &breaking.saved);
        assert_int_equal(part.outcome.resumed_epoch, breaking.at);
        check_same(&whole, &part);
    }
    for (breaking.at = 1; breaking.at <= whole.outcome.epochs_run; breaking.at++)
        train(&part, toy, spec, &breaking, breaking.at > 1 ? &breaking.saved : NULL);
    train(&part, toy, spec, &never, &breaking.saved);
    assert_int_equal(part.outcome.resumed_epoch, whole.outcome.epochs_run);
    check_same(&whole, &part);
    buf_release(&breaking.saved);
}

static struct gcn_spec make_spec(enum task task)
{
    struct gcn_spec spec = toy_spec(task);

    spec.epochs = EPOCHS;
    spec.momentum = 0.9;
    spec.weight_decay = 1e-3;
    return spec;
}

static void test_optimizers_and_batches(void **state)
{
    static const int32_t batches[] = {0, 7, 1};

    (void)state;
    for (int task = TASK_REGRESSION; task <= TASK_CLASSIFICATION; task++) {
        struct gcn_spec spec = make_spec((enum task)task);
        struct toy toy;

        toy_init(&toy, (enum task)task, false);
        for (int optimizer = OPTIMIZER_ADAM; optimizer <= OPTIMIZER_SGD; optimizer++)
            for (size_t i = 0; i < sizeof batches / sizeof *batches; i++)
                for (int drops = 0; drops <= 1; drops++) {
                    spec.optimizer = (enum optimizer)optimizer;
                    spec.batch_size = batches[i];
                    spec.dropout = 0.4 * drops;
                    spec.choose_epoch = drops ? CHOOSE_LOSS : CHOOSE_OBJECTIVE;
                    check_breaks(&toy, &spec);
                }
        toy_release(&toy);
    }
}

/* Fixed effects are fitted again, and so are the weights of classes. */
static void test_fixed(void **state)
{
    static const int32_t factor[] = {-1};

    (void)state;
    for (int task = TASK_REGRESSION; task <= TASK_CLASSIFICATION; task++) {
        struct gcn_spec spec = make_spec((enum task)task);
        struct toy toy;
        double *fixed;

        toy_init(&toy, (enum task)task, false);
        fixed = malloc((size_t)toy.data.n_samples * sizeof *fixed);
        assert_non_null(fixed);
        for (int32_t i = 0; i < toy.data.n_samples; i++)
            fixed[i] = i * i % 7;
        toy.data.n_fixed = 1;
        toy.data.fixed = fixed;
        toy.data.fixed_factor = factor;
        spec.class_weights = CLASSES_BALANCED;
        for (spec.batch_size = 0; spec.batch_size <= 7; spec.batch_size += 7)
            check_breaks(&toy, &spec);
        free(fixed);
        toy_release(&toy);
    }
}

/* The stop part chooses the best epoch, another part gives the value. */
static void test_stop_part(void **state)
{
    struct gcn_spec spec = make_spec(TASK_REGRESSION);
    struct toy toy;

    (void)state;
    toy_init(&toy, TASK_REGRESSION, false);
    toy_part_stop(&toy);
    for (spec.patience = 0; spec.patience <= 2; spec.patience += 2)
        check_breaks(&toy, &spec);
    toy_release(&toy);
}

static void test_layers_and_input_dropout(void **state)
{
    (void)state;
    for (int is_sparse = 0; is_sparse <= 1; is_sparse++) {
        struct gcn_spec spec = make_spec(TASK_REGRESSION);
        struct toy toy;

        toy_init(&toy, TASK_REGRESSION, is_sparse);
        for (spec.layers = 1; spec.layers <= 3; spec.layers++)
            for (spec.batch_size = 0; spec.batch_size <= 7; spec.batch_size += 7)
                for (int drops = 0; drops <= 1; drops++) {
                    spec.input_dropout = 0.3 * drops;
                    check_breaks(&toy, &spec);
                }
        toy_release(&toy);
    }
}

static void test_options(void **state)
{
    (void)state;
    for (int variant = 0; variant < 16; variant++) {
        enum task task = variant % 2 ? TASK_REGRESSION : TASK_CLASSIFICATION;
        struct gcn_spec spec = make_spec(task);
        struct toy toy;

        toy_init(&toy, task, false);
        spec.layers = 3;
        spec.batch_norm = true;
        spec.residual = variant / 8;
        spec.activation = ACTIVATION_GELU;
        spec.dropout = 0.3;
        spec.schedule = variant / 2 % 2 ? SCHEDULE_COSINE : SCHEDULE_CONSTANT;
        spec.class_weights = CLASSES_BALANCED;
        spec.batch_size = variant / 4 % 2 ? 7 : 0;
        check_breaks(&toy, &spec);
        toy_release(&toy);
    }
}

enum kind { REAL_DENSE, REAL_SPARSE, GENOTYPES, ONE_HOT, KINDS };

static float feature(enum kind kind, int32_t i, int32_t f)
{
    return kind == GENOTYPES ? (float)((i * i + 5 * f) % 3) : (float)(i % TOY_FEATURES == f);
}

static void change_features(struct toy *toy, enum kind kind)
{
    struct gcn_inputs_spec spec = {.small_batches = true};
    struct triplet edges[2 * TOY_SAMPLES], x[TOY_SAMPLES * TOY_FEATURES];
    struct csr adjacency;
    int64_t n = 0, n_x = 0;

    for (int32_t i = 0; i < TOY_SAMPLES; i++) {
        int32_t j = (i + 1) % TOY_SAMPLES;

        edges[n++] = (struct triplet){i, j, 1};
        edges[n++] = (struct triplet){j, i, 1};
        for (int32_t f = 0; f < TOY_FEATURES; f++) {
            mat_row(&toy->data.features, i)[f] = feature(kind, i, f);
            if (feature(kind, i, f) != 0)
                x[n_x++] = (struct triplet){i, f, feature(kind, i, f)};
        }
    }
    assert_int_equal(csr_from_triplets(&adjacency, TOY_SAMPLES, TOY_SAMPLES, edges, n, NULL), 0);
    csr_release(&toy->data.sparse_features);
    assert_int_equal(
        csr_from_triplets(&toy->data.sparse_features, TOY_SAMPLES, TOY_FEATURES, x, n_x, NULL), 0);
    gcn_inputs_release(&toy->inputs);
    assert_int_equal(toy_make_inputs(&toy->inputs, &toy->data, &adjacency, &spec, NULL), 0);
    csr_release(&adjacency);
}

static void check_forms(struct toy *toy, int n_seen[FIRST_FORM_COUNT])
{
    struct gcn_spec spec = make_spec(TASK_REGRESSION);
    bool has[FIRST_FORM_COUNT];

    memcpy(has, toy->inputs.has, sizeof has);
    for (int form = 0; form < FIRST_FORM_COUNT; form++) {
        if (!has[form])
            continue;
        n_seen[form]++;
        memset(toy->inputs.has, 0, sizeof has);
        toy->inputs.has[form] = true;
        for (spec.batch_size = 0; spec.batch_size <= 7; spec.batch_size += 7) {
            struct gcn_outline outline = gcn_outline_of(&toy->inputs);

            assert_int_equal(gcn_first_form(&spec, &outline, toy->split.n_train), form);
            check_breaks(toy, &spec);
        }
    }
    memcpy(toy->inputs.has, has, sizeof has);
}

static void test_forms_of_layer_1(void **state)
{
    int n_seen[FIRST_FORM_COUNT] = {0};
    struct toy toy;

    (void)state;
    for (int kind = 0; kind < KINDS; kind++) {
        toy_init(&toy, TASK_REGRESSION, kind == REAL_SPARSE || kind == ONE_HOT);
        if (kind >= GENOTYPES)
            change_features(&toy, (enum kind)kind);
        check_forms(&toy, n_seen);
        toy_release(&toy);
    }
    for (int form = 0; form < FIRST_FORM_COUNT; form++)
        assert_true(n_seen[form] > 0);
}

/* The count of epochs without improvement must not start again. */
static void test_early_stopping(void **state)
{
    struct gcn_spec spec = make_spec(TASK_REGRESSION);
    struct breaking never = {0};
    struct trained whole;
    bool is_early = false;
    struct toy toy;

    (void)state;
    toy_init(&toy, TASK_REGRESSION, false);
    for (spec.patience = 1; spec.patience <= 3; spec.patience++)
        for (int i = 0; i < 2; i++) {
            spec.learning_rate = i ? 0.2 : -0.05;
            train(&whole, &toy, &spec, &never, NULL);
            is_early |= whole.outcome.epochs_run > 1 && whole.outcome.epochs_run < EPOCHS;
            check_breaks(&toy, &spec);
        }
    assert_true(is_early);
    toy_release(&toy);
}

static void test_divergence(void **state)
{
    struct gcn_spec spec = make_spec(TASK_REGRESSION);
    struct breaking never = {0};
    struct trained whole;
    struct toy toy;

    (void)state;
    toy_init(&toy, TASK_REGRESSION, false);
    spec.optimizer = OPTIMIZER_SGD;
    spec.learning_rate = 30;
    spec.weight_decay = 0;
    train(&whole, &toy, &spec, &never, NULL);
    assert_int_equal(whole.outcome.status, GCN_DIVERGED);
    assert_true(whole.outcome.epochs_run > 0);
    assert_non_null(strstr(whole.outcome.reason, " loss is "));
    check_breaks(&toy, &spec);
    toy_release(&toy);
}

/* A trial that cannot use its checkpoint starts again and gives the same result. */
static void check_refused(const struct toy *toy, const struct gcn_spec *spec,
                          const struct buf *state, const struct trained *whole)
{
    struct breaking never = {0};
    struct trained part;

    train(&part, toy, spec, &never, state);
    assert_int_equal(part.outcome.resumed_epoch, 0);
    check_same(whole, &part);
}

static void test_other_forms_are_refused(void **state)
{
    struct gcn_spec spec = make_spec(TASK_REGRESSION);
    struct breaking never = {0}, breaking = {.at = 3};
    struct trained whole, part;
    struct toy toy;

    (void)state;
    toy_init(&toy, TASK_REGRESSION, false);
    change_features(&toy, GENOTYPES);
    assert_true(toy.inputs.has[FIRST_AX_DENSE] && toy.inputs.has[FIRST_X_CODED]);
    toy.inputs.has[FIRST_AX_DENSE] = false;
    train(&part, &toy, &spec, &breaking, NULL);
    toy.inputs.has[FIRST_AX_DENSE] = true;
    toy.inputs.has[FIRST_X_CODED] = false;
    train(&whole, &toy, &spec, &never, NULL);
    check_refused(&toy, &spec, &breaking.saved, &whole);
    toy.inputs.has[FIRST_X_CODED] = true;
    buf_release(&breaking.saved);
    toy_release(&toy);
}

static void test_damaged_ones_are_refused(void **state)
{
    struct gcn_spec spec = make_spec(TASK_REGRESSION);
    struct breaking never = {0}, breaking = {.at = 3};
    struct trained whole, part;
    struct buf cut;
    struct toy toy;

    (void)state;
    toy_init(&toy, TASK_REGRESSION, false);
    train(&whole, &toy, &spec, &never, NULL);
    train(&part, &toy, &spec, &breaking, NULL);
    cut = breaking.saved;
    for (size_t at = 0; at < breaking.saved.size; at += 7) {
        breaking.saved.data[at] ^= 0x10;
        check_refused(&toy, &spec, &breaking.saved, &whole);
        breaking.saved.data[at] ^= 0x10;
    }
    for (cut.size = 0; cut.size < breaking.saved.size; cut.size += 101)
        check_refused(&toy, &spec, &cut, &whole);
    buf_putc(&breaking.saved, 'x');
    check_refused(&toy, &spec, &breaking.saved, &whole);
    buf_release(&breaking.saved);
    toy_release(&toy);
}

/* Their hash is valid; their numbers are wrong. */
static void test_hostile_ones_are_refused(void **state)
{
    enum { BEST_EPOCH = 60, OPTIMIZER_STEPS = 72 }; /* after the head (train.c) */
    static const int32_t epochs[] = {-1, 4, INT32_MIN, INT32_MAX};
    struct gcn_spec spec = make_spec(TASK_REGRESSION);
    struct breaking never = {0}, breaking = {.at = 3};
    struct trained whole, part;
    struct toy toy;
    int64_t steps = -1;

    (void)state;
    toy_init(&toy, TASK_REGRESSION, false);
    train(&whole, &toy, &spec, &never, NULL);
    train(&part, &toy, &spec, &breaking, NULL);
    for (size_t i = 0; i <= sizeof epochs / sizeof *epochs; i++) {
        struct buf copy = {0};
        struct hash hash;
        size_t n = breaking.saved.size - sizeof hash;

        buf_add(&copy, breaking.saved.data, n);
        if (i < sizeof epochs / sizeof *epochs)
            memcpy(copy.data + BEST_EPOCH, &epochs[i], sizeof epochs[i]);
        else
            memcpy(copy.data + OPTIMIZER_STEPS, &steps, sizeof steps);
        hash = hash_bytes(copy.data, n);
        buf_add(&copy, &hash, sizeof hash);
        check_refused(&toy, &spec, &copy, &whole);
        buf_release(&copy);
    }
    buf_release(&breaking.saved);
    toy_release(&toy);
}

/* More threads may sum in another order. */
static void test_foreign_ones_are_refused(void **state)
{
    struct gcn_spec spec = make_spec(TASK_REGRESSION), other = spec;
    struct breaking never = {0}, breaking = {.at = 3};
    struct gcn_observer observer = {.epoch_done = epoch_done, .arg = &never};
    struct arena scratch = {0};
    struct trained whole, part;
    struct toy toy;

    (void)state;
    toy_init(&toy, TASK_REGRESSION, false);
    train(&part, &toy, &spec, &breaking, NULL);
    other.hidden_size = 10;
    train(&whole, &toy, &other, &never, NULL);
    check_refused(&toy, &other, &breaking.saved, &whole);
    other = spec;
    other.optimizer = OPTIMIZER_SGD;
    train(&whole, &toy, &other, &never, NULL);
    check_refused(&toy, &other, &breaking.saved, &whole);
    other = spec;
    other.epochs = 2;
    train(&whole, &toy, &other, &never, NULL);
    check_refused(&toy, &other, &breaking.saved, &whole);

    observer.state = breaking.saved.data;
    observer.state_bytes = breaking.saved.size;
    for (int threads = 1; threads <= 2; threads++) {
        part.outcome.curve = part.curve;
        assert_int_equal(
            gcn_train(&part.outcome,
                      &(struct gcn_training){.spec = &spec,
                                             .inputs = &toy.inputs,
                                             .split = &toy.split,
                                             .key = threads == 1 ? hash_text("other") : key,
                                             .threads = threads,
                                             .scratch = &scratch,
                                             .clock = &clock_system,
                                             .observer = &observer},
                      NULL),
            0);
        assert_int_equal(part.outcome.resumed_epoch, 0);
    }
    arena_release(&scratch);
    buf_release(&breaking.saved);
    toy_release(&toy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_optimizers_and_batches),
        cmocka_unit_test(test_stop_part),
        cmocka_unit_test(test_fixed),
        cmocka_unit_test(test_layers_and_input_dropout),
        cmocka_unit_test(test_options),
        cmocka_unit_test(test_forms_of_layer_1),
        cmocka_unit_test(test_early_stopping),
        cmocka_unit_test(test_divergence),
        cmocka_unit_test(test_other_forms_are_refused),
        cmocka_unit_test(test_damaged_ones_are_refused),
        cmocka_unit_test(test_hostile_ones_are_refused),
        cmocka_unit_test(test_foreign_ones_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
