/* SPDX-License-Identifier: BSD-3-Clause */
#include "trial/spec.h"
#include "data/format.h"
#include "trial/model_type.h"
#include "unit.h"

#include "resolve.h"

/* Choices become enums by position: every name is pinned here. */
static void assert_choice(enum param_id id, int offset, int value, const char *name)
{
    const char *at = param_table[id].choices;
    size_t n = strlen(name);

    for (int i = 0; i < value + offset; i++) {
        at = strchr(at, '|');
        assert_non_null(at);
        at++;
    }
    assert_memory_equal(at, name, n);
    assert_true(at[n] == '|' || at[n] == '\0');
}

static void test_choices_are_enums(void **state)
{
    (void)state;
    for (int i = 0; data_format_next((size_t)i); i++)
        assert_choice(P_FORMAT, 0, i, data_format_next((size_t)i)->name);
    assert_choice(P_TASK, 0, DATA_TASK_AUTO, "auto");
    assert_choice(P_TASK, 0, DATA_TASK_REGRESSION, "regression");
    assert_choice(P_TASK, 0, DATA_TASK_CLASSIFICATION, "classification");
    assert_choice(P_SCALE, 1, SCALE_NONE, "none");
    assert_choice(P_SCALE, 1, SCALE_STANDARDIZE, "standardize");
    assert_choice(P_SCALE, 1, SCALE_ROW, "row");
    assert_choice(P_BUILD, 1, GRAPH_KNN, "knn");
    assert_choice(P_BUILD, 1, GRAPH_THRESHOLD, "threshold");
    assert_choice(P_BUILD, 1, GRAPH_FILE, "file");
    assert_choice(P_BUILD, 1, GRAPH_NONE, "none");
    assert_choice(P_METRIC, 0, GRAPH_COSINE, "cosine");
    assert_choice(P_METRIC, 0, GRAPH_CORRELATION, "correlation");
    assert_choice(P_METRIC, 0, GRAPH_KINSHIP, "kinship");
    assert_choice(P_WEIGHTS, 0, GRAPH_BINARY, "binary");
    assert_choice(P_WEIGHTS, 0, GRAPH_SIMILARITY, "similarity");
    for (int i = 0; model_type(i); i++)
        assert_choice(P_TYPE, 0, i, model_type(i)->name);
    assert_choice(P_ACTIVATION, 0, ACTIVATION_RELU, "relu");
    assert_choice(P_ACTIVATION, 0, ACTIVATION_TANH, "tanh");
    assert_choice(P_ACTIVATION, 0, ACTIVATION_ELU, "elu");
    assert_choice(P_ACTIVATION, 0, ACTIVATION_GELU, "gelu");
    assert_choice(P_RESIDUAL, 0, false, "no");
    assert_choice(P_RESIDUAL, 0, true, "yes");
    assert_choice(P_BATCH_NORM, 1, false, "no");
    assert_choice(P_BATCH_NORM, 1, true, "yes");
    assert_choice(P_CHOOSE_EPOCH, 0, CHOOSE_LOSS, "loss");
    assert_choice(P_CHOOSE_EPOCH, 0, CHOOSE_OBJECTIVE, "objective");
    assert_choice(P_POOL, 0, POOL_MEAN, "mean");
    assert_choice(P_POOL, 0, POOL_SUM, "sum");
    assert_choice(P_POOL, 0, POOL_MAX, "max");
    assert_choice(P_SCHEDULE, 0, SCHEDULE_CONSTANT, "constant");
    assert_choice(P_SCHEDULE, 0, SCHEDULE_COSINE, "cosine");
    assert_choice(P_CLASS_WEIGHTS, 0, CLASSES_ALIKE, "none");
    assert_choice(P_CLASS_WEIGHTS, 0, CLASSES_BALANCED, "balanced");
    assert_choice(P_OPTIMIZER, 0, OPTIMIZER_ADAM, "adam");
    assert_choice(P_OPTIMIZER, 0, OPTIMIZER_ADAMW, "adamw");
    assert_choice(P_OPTIMIZER, 0, OPTIMIZER_SGD, "sgd");
    assert_choice(P_DECAY_LAYERS, 0, DECAY_ALL, "all");
    assert_choice(P_DECAY_LAYERS, 0, DECAY_FIRST, "first");
}

static void test_objectives_are_metrics(void **state)
{
    struct settings s;
    char name[64];

    (void)state;
    default_settings(&s);
    for (int m = 0; m < METRIC_COUNT; m++) {
        snprintf(name, sizeof name, "val_%s", metric_rows[m].name);
        assert_true(param_is_among(PARAM_METRICS, name));
        s.v[P_OBJECTIVE].s = name;
        assert_int_equal(spec_objective(&s), m);
    }
}

static void test_pool(void **state)
{
    static const struct {
        const char *format;
        enum pool pool;
    } cases[] = {{"genotype", POOL_NONE},
                 {"graph", POOL_NONE},
                 {"simulated", POOL_NONE},
                 {"tu", POOL_MAX},
                 {"smiles", POOL_MAX}};
    struct settings s;
    struct gcn_spec gcn;

    (void)state;
    default_settings(&s);
    s.v[P_POOL].i = param_choice(P_POOL, "max");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        s.v[P_FORMAT].i = param_choice(P_FORMAT, cases[i].format);
        s.v[P_OBJECTIVE].s = "val_accuracy";
        spec_gcn(&gcn, &s);
        assert_int_equal(gcn.pool, cases[i].pool);
    }
}

static void test_direction(void **state)
{
    struct settings s;
    struct err err;

    (void)state;
    default_settings(&s);
    assert_int_equal(param_parse(&s.v[P_OBJECTIVE], P_OBJECTIVE, "val_rmse", &err), 0);
    assert_int_equal(spec_objective(&s), METRIC_RMSE);
    assert_false(spec_maximize(&s));
    assert_int_equal(param_parse(&s.v[P_DIRECTION], P_DIRECTION, "max", &err), 0);
    assert_true(spec_maximize(&s));
    assert_int_equal(param_parse(&s.v[P_DIRECTION], P_DIRECTION, "min", &err), 0);
    assert_false(spec_maximize(&s));
}

static void test_values_arrive(void **state)
{
    struct settings s;
    struct gcn_spec gcn;
    struct split_spec split;
    struct gcn_inputs_spec inputs;
    struct graph_spec graph;
    struct data_spec data;
    struct err err;

    (void)state;
    default_settings(&s);
    s.v[P_HIDDEN_SIZE].i = 7;
    s.v[P_BATCH_SIZE].i = 32;
    s.v[P_WORKERS].i = 4;
    s.v[P_LEARNING_RATE].f = 0.25;
    s.v[P_RESIDUAL].i = 1;
    s.v[P_BATCH_NORM].i = param_choice(P_BATCH_NORM, "yes");
    s.v[P_CHOOSE_EPOCH].i = param_choice(P_CHOOSE_EPOCH, "objective");
    s.v[P_SCHEDULE].i = SCHEDULE_COSINE;
    s.v[P_K].i = 3;
    s.v[P_FOLDS].i = 4;
    s.v[P_SAMPLES].i = 99;
    assert_int_equal(resolve_settings(&s, TASK_REGRESSION, &err), 0);
    spec_gcn(&gcn, &s);
    assert_int_equal(gcn.hidden_size, 7);
    assert_int_equal(gcn.batch_size, 32);
    assert_int_equal(gcn.workers, 4);
    assert_true(gcn.learning_rate == 0.25);
    assert_true(gcn.residual && gcn.batch_norm);
    assert_int_equal(gcn.choose_epoch, CHOOSE_OBJECTIVE);
    assert_int_equal(gcn.schedule, SCHEDULE_COSINE);
    assert_int_equal(gcn.class_weights, CLASSES_ALIKE);
    assert_int_equal(gcn.objective, METRIC_PEARSON);
    assert_true(gcn.maximize);
    spec_graph(&graph, &s);
    assert_int_equal(graph.build, GRAPH_KNN);
    assert_int_equal(graph.k, 3);
    spec_split(&split, &s, 2, 1);
    assert_int_equal(split.folds, 4);
    assert_int_equal(split.replicate, 2);
    assert_int_equal(split.fold, 1);
    spec_data(&data, s.v);
    assert_ptr_equal(data.format, &simulated_format);
    assert_int_equal(data.simulate.samples, 99);
    s.v[P_REDUCE].i = 30;
    spec_inputs(&inputs, &s);
    assert_int_equal(inputs.reduce, 30);
    assert_int_equal(inputs.scale, SCALE_STANDARDIZE);
    assert_false(inputs.drops_inputs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_choices_are_enums),
        cmocka_unit_test(test_objectives_are_metrics),
        cmocka_unit_test(test_pool),
        cmocka_unit_test(test_direction),
        cmocka_unit_test(test_values_arrive),
    };

    return cmocka_run_group_tests_name("spec", tests, NULL, NULL);
}
