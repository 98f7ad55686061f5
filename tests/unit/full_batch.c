/* SPDX-License-Identifier: BSD-3-Clause */
/* Workers that divide the rows of one batch compute what one worker computes, up to rounding. */
#include <math.h>

#include "gcn/cost.h"
#include "gcn/scale.h"
#include "ranks.h"
#include "unit.h"

static const int32_t workers[] = {2, 3, 5};

/* ---- inputs with one form of the first layer ---- */

enum form { DENSE, SPARSE, AX_SPARSE, CODED, REDUCED, N_FORMS };

static void keep_form(struct gcn_inputs *inputs, enum first_form form)
{
    memset(inputs->has, 0, sizeof inputs->has);
    inputs->has[form] = true;
}

static void make_coded(struct toy *toy)
{
    const struct scale_source columns = {&toy->data, SCALE_NONE};
    struct coded_source source = scale_coded_source(&columns);

    assert_int_equal(coded_count(&toy->inputs.coded, &source, 1e9, NULL), 1);
    assert_int_equal(coded_make(&toy->inputs.coded, &source, NULL), 0);
    keep_form(&toy->inputs, FIRST_X_CODED);
}

static void make_reduced(struct toy *toy)
{
    struct triplet edges[2 * TOY_SAMPLES];
    struct csr ring;

    for (int32_t i = 0; i < TOY_SAMPLES; i++) {
        edges[2 * i] = (struct triplet){i, (i + 1) % TOY_SAMPLES, 1};
        edges[2 * i + 1] = (struct triplet){(i + 1) % TOY_SAMPLES, i, 1};
    }
    gcn_inputs_release(&toy->inputs);
    assert_int_equal(
        csr_from_triplets(&ring, TOY_SAMPLES, TOY_SAMPLES, edges, 2 * TOY_SAMPLES, NULL), 0);
    assert_int_equal(
        gcn_inputs_init_reduced(&toy->inputs, &toy->data, &ring, &toy->data.features, NULL), 0);
    csr_release(&ring);
}

static void nodes_init(struct toy *toy, enum task task, enum form form)
{
    int64_t nnz;

    toy_init(toy, task, form == SPARSE || form == AX_SPARSE);
    if (form == SPARSE)
        keep_form(&toy->inputs, FIRST_X_SPARSE);
    if (form == AX_SPARSE) {
        csr_release(&toy->inputs.ax_sparse);
        assert_int_equal(csr_count_product(&nnz, &toy->inputs.a_hat, &toy->inputs.x_sparse, NULL),
                         0);
        assert_int_equal(csr_multiply(&toy->inputs.ax_sparse, &toy->inputs.a_hat,
                                      &toy->inputs.x_sparse, nnz, NULL),
                         0);
        keep_form(&toy->inputs, FIRST_AX_SPARSE);
    }
    if (form == CODED)
        make_coded(toy);
    if (form == REDUCED)
        make_reduced(toy);
}

/* Without input dropout in a form that has no X. */
static struct gcn_spec make_spec(enum task task, int options, enum form form)
{
    struct gcn_spec spec = ranks_spec(task, 1);

    ranks_set_options(&spec, options);
    spec.layers = 1 + options / 2 % 3;
    spec.activation = (enum activation)(options % 4);
    spec.batch_size = options % 3 ? 0 : 20;
    spec.hidden_size = options % 5 ? 9 : 16; /* kernels of gemm_tall_is_able() */
    spec.learning_rate = 0.003;
    if (form == AX_SPARSE || form == REDUCED)
        spec.input_dropout = 0;
    return spec;
}

/* ---- gradients ---- */

static double distance(const float *a, const float *b, int64_t n)
{
    double length = 0, apart = 0;

    for (int64_t i = 0; i < n; i++) {
        length += (double)a[i] * (double)a[i];
        apart += ((double)a[i] - (double)b[i]) * ((double)a[i] - (double)b[i]);
    }
    assert_true(length > 0);
    return sqrt(apart / length);
}

static void check_logits(struct trainer *one, struct trainer *crew)
{
    const struct split *split = one->split;
    struct mat want = trainer_watched_logits(one), z = trainer_watched_logits(crew);
    const int32_t *want_rows, *rows;

    assert_int_equal(mat_size(&z), mat_size(&want));
    assert_true(distance(want.v, z.v, mat_size(&z)) < 1e-5);
    want = trainer_logits_of(one, split->test, split->n_test, &want_rows);
    z = trainer_logits_of(crew, split->test, split->n_test, &rows);
    for (int32_t i = 0; i < split->n_test; i++)
        assert_true(distance(mat_row(&want, want_rows[split->test[i]]),
                             mat_row(&z, rows[split->test[i]]), z.n_cols) < 1e-4);
}

/* In three steps, with running statistics and logits. */
static void check_gradients(const struct toy *toy, struct gcn_spec spec, int32_t n_workers)
{
    struct hash key = ranks_key();
    struct arena arena = {0};
    struct trainer one, crew;

    spec.workers = 1;
    assert_int_equal(toy_trainer_init(&one, &spec, &toy->inputs, &toy->split, key, &arena), 0);
    spec.workers = n_workers;
    assert_int_equal(toy_trainer_init(&crew, &spec, &toy->inputs, &toy->split, key, &arena), 0);
    assert_true(one.pass.first.form == crew.pass.first.form);
    for (int step = 0; step < 3; step++) {
        double want, loss;

        trainer_set_weights(&crew, one.model.weights);
        want = trainer_gradient(&one, NULL, 0);
        loss = trainer_gradient(&crew, NULL, 0);
        assert_true(fabs(loss - want) < 1e-5 * want);
        assert_true(distance(one.model.gradient, crew.model.gradient, one.model.n_trained) < 1e-5);
        assert_true(distance(one.model.weights, crew.model.weights, one.model.n_weights) < 1e-6);
        trainer_begin_epoch(&one, step + 1);
        trainer_step(&one, NULL, 0);
        crew.n_steps = one.n_steps;
    }
    trainer_set_weights(&crew, one.model.weights);
    check_logits(&one, &crew);
    arena_release(&arena);
}

/* With 20 workers, most have no row at some level. */
static void test_gradients_of_nodes(void **state)
{
    (void)state;
    for (int options = 0; options < 12; options++)
        for (enum form form = DENSE; form < N_FORMS; form++) {
            enum task task = options / 2 % 2 ? TASK_CLASSIFICATION : TASK_REGRESSION;
            struct gcn_spec spec = make_spec(task, options, form);
            struct toy toy;

            nodes_init(&toy, task, form);
            for (size_t w = 0; w < 3; w++)
                check_gradients(&toy, spec, workers[w]);
            check_gradients(&toy, spec, 20);
            toy_release(&toy);
        }
}

static void test_gradients_of_graphs(void **state)
{
    (void)state;
    for (int options = 0; options < 12; options++)
        for (enum pool pool = POOL_MEAN; pool <= POOL_MAX; pool++) {
            enum task task = options / 2 % 2 ? TASK_CLASSIFICATION : TASK_REGRESSION;
            struct gcn_spec spec = make_spec(task, options, DENSE);
            struct toy toy;

            ranks_graphs_init(&toy, task);
            spec.pool = pool;
            for (size_t w = 0; w < 3; w++)
                check_gradients(&toy, spec, workers[w]);
            check_gradients(&toy, spec, 12);
            toy_release(&toy);
        }
}

/* Panels of few rows are made anew in the backward pass, or hold rows of several workers. */
static void test_panels(void **state)
{
    struct gcn_spec spec = make_spec(TASK_REGRESSION, 2, DENSE);
    struct toy toy;

    (void)state;
    spec.layers = 2;
    assert_true(spec.input_dropout > 0);
    toy_init(&toy, TASK_REGRESSION, false);
    for (int32_t rows = 1; rows <= TOY_SAMPLES; rows += 3) {
        struct arena arena = {0};
        struct trainer one, crew;

        spec.workers = 1;
        assert_int_equal(
            toy_trainer_init(&one, &spec, &toy.inputs, &toy.split, ranks_key(), &arena), 0);
        spec.workers = 3;
        assert_int_equal(
            toy_trainer_init(&crew, &spec, &toy.inputs, &toy.split, ranks_key(), &arena), 0);
        assert_true(crew.pass.first.panel_rows >= rows);
        crew.pass.first.panel_rows = rows;
        trainer_gradient(&one, NULL, 0);
        trainer_gradient(&crew, NULL, 0);
        assert_true(distance(one.model.gradient, crew.model.gradient, one.model.n_trained) < 1e-5);
        arena_release(&arena);
    }
    toy_release(&toy);
}

/* ---- whole trainings ---- */

static void check_training(const struct toy *toy, struct gcn_spec spec, int32_t n_workers)
{
    struct trained one, crew;

    ranks_train_alone(&one, toy, &spec);
    spec.workers = n_workers;
    ranks_check(&crew, toy, &spec);
    for (int32_t e = 0; e < spec.epochs; e++) {
        assert_true(fabs(one.curve[e].train_loss - crew.curve[e].train_loss) <
                    1e-4 * one.curve[e].train_loss);
        assert_true(fabs(one.curve[e].val_loss - crew.curve[e].val_loss) <
                    1e-4 * one.curve[e].val_loss);
    }
    for (int part = 0; part < PART_COUNT; part++)
        assert_true(one.outcome.losses[part] != one.outcome.losses[part] ||
                    fabs(one.outcome.losses[part] - crew.outcome.losses[part]) <
                        1e-4 * one.outcome.losses[part]);
    if (spec.pool == POOL_NONE) /* no row is computed twice */
        assert_true(one.outcome.flops == crew.outcome.flops);
}

static void test_trainings_of_nodes(void **state)
{
    (void)state;
    for (int options = 0; options < 15; options++) {
        enum form form = (enum form)(options % N_FORMS);
        enum task task = options / 2 % 2 ? TASK_CLASSIFICATION : TASK_REGRESSION;
        struct toy toy;

        nodes_init(&toy, task, form);
        if (options % 4 == 0)
            toy_part_stop(&toy);
        check_training(&toy, make_spec(task, options, form), workers[options / 2 % 3]);
        toy_release(&toy);
    }
}

static void test_trainings_of_graphs(void **state)
{
    (void)state;
    for (int options = 0; options < 12; options++) {
        enum task task = options / 2 % 2 ? TASK_CLASSIFICATION : TASK_REGRESSION;
        struct gcn_spec spec = make_spec(task, options, DENSE);
        struct toy toy;

        ranks_graphs_init(&toy, task);
        spec.pool = (enum pool)(POOL_MEAN + options % 3);
        check_training(&toy, spec, workers[options / 2 % 3]);
        toy_release(&toy);
    }
}

/* ---- the division ---- */

/* Rows and entries of A^ of sample i. */
static int64_t weight_of(const struct division_samples *samples, int32_t i)
{
    const int64_t *start = samples->graph_start;
    int64_t sum = 0;

    for (int32_t node = 0; node < samples->a_hat->n_rows; node++) {
        bool is_own =
            start ? start[samples->ids[i]] <= node && node < start[samples->ids[i] + 1] : node == i;

        if (is_own)
            sum += 1 + samples->a_hat->row_start[node + 1] - samples->a_hat->row_start[node];
    }
    return sum;
}

/* Worker w begins with the first sample before which is at least w / n of the weight. */
static void check_bounds(const struct division_samples *samples, int32_t n_workers)
{
    struct arena arena = {0};
    struct crew_alone alone;
    struct division division;
    int64_t all = 0;

    for (int32_t i = 0; i < samples->n; i++)
        all += weight_of(samples, i);
    crew_alone_init(&alone, n_workers, &arena);
    assert_int_equal(division_init(&division, &alone.crew, samples, 1, &arena, NULL), 0);
    assert_int_equal(division.first[n_workers], samples->n);
    for (int32_t w = 0; w < n_workers; w++) {
        int64_t before = 0;
        int32_t i = 0;

        for (; i < samples->n && before * n_workers < w * all; i++)
            before += weight_of(samples, i);
        assert_int_equal(division.first[w], i);
    }
    arena_release(&arena);
}

/* Graphs are taken in the order of the training part. */
static void test_bounds(void **state)
{
    struct toy nodes, graphs;

    (void)state;
    toy_init(&nodes, TASK_REGRESSION, false);
    ranks_graphs_init(&graphs, TASK_REGRESSION);
    for (int32_t i = 0; i < 12; i++)
        graphs.split.train[i] = i < 6 ? 2 * i + 1 : 2 * (i - 6);
    for (int32_t n_workers = 1; n_workers <= 50; n_workers++) {
        struct division_samples samples = {.a_hat = &nodes.inputs.a_hat, .n = TOY_SAMPLES};

        check_bounds(&samples, n_workers);
        samples = (struct division_samples){.a_hat = &graphs.inputs.a_hat,
                                            .graph_start = graphs.data.graph_start,
                                            .ids = graphs.split.train,
                                            .n = graphs.split.n_train};
        check_bounds(&samples, n_workers);
    }
    toy_release(&nodes);
    toy_release(&graphs);
}

/* Graphs of 1, 9, 2, 0 ... nodes without edges, from the last to the first. */
static void test_bounds_of_graphs(void **state)
{
    static const int32_t ids[] = {6, 5, 4, 3, 2, 1, 0};
    static const int64_t start[] = {0, 1, 10, 12, 12, 14, 15, 15};
    static const int32_t want[] = {0, 6, 7};
    int64_t row_start[16];
    struct csr a_hat = {.row_start = row_start};
    struct division_samples samples = {.a_hat = &a_hat, .graph_start = start, .ids = ids, .n = 7};
    int32_t first[3];

    (void)state;
    for (int32_t i = 0; i < 16; i++)
        row_start[i] = i;
    division_cut(first, 2, &samples);
    assert_memory_equal(first, want, sizeof want);
    samples.n = 4; /* the last one has no nodes */
    division_cut(first, 2, &samples);
    assert_int_equal(first[2], 4);
}

/* ---- ends ---- */

static void test_failure_of_each_call(void **state)
{
    struct gcn_spec spec = make_spec(TASK_REGRESSION, 2, DENSE);
    struct trained out[3];
    int32_t n_calls;
    struct toy toy;

    (void)state;
    spec.workers = 3;
    spec.layers = 3;
    spec.epochs = 2;
    toy_init(&toy, TASK_REGRESSION, false);
    n_calls = ranks_train(out, &toy, &spec, 3, 0, 0, ranks_key());
    assert_true(n_calls > 20);
    for (int32_t fails_at = 1; fails_at <= n_calls; fails_at++) {
        ranks_train(out, &toy, &spec, 3, fails_at, 0, ranks_key());
        for (int32_t r = 0; r < 3; r++)
            assert_int_equal(out[r].outcome.status, GCN_STOPPED);
    }
    toy_release(&toy);
}

static void test_divergence(void **state)
{
    struct gcn_spec spec = make_spec(TASK_REGRESSION, 2, DENSE);
    struct trained out[2];
    struct toy toy;

    (void)state;
    spec.workers = 3;
    spec.batch_norm = false;
    spec.optimizer = OPTIMIZER_SGD;
    spec.learning_rate = 1e20;
    toy_init(&toy, TASK_REGRESSION, false);
    ranks_train(out, &toy, &spec, 2, 0, 0, ranks_key());
    assert_int_equal(out[0].outcome.status, GCN_DIVERGED);
    ranks_check_same(&out[0], &out[1]);
    toy_release(&toy);
}

/* The estimates are those of one worker, but for sums of parts. */
static void test_costs(void **state)
{
    struct gcn_spec spec = ranks_spec(TASK_REGRESSION, 1);
    struct gcn_outline outline;
    struct gcn_cost one, crew;
    struct toy toy;

    (void)state;
    toy_init(&toy, TASK_REGRESSION, false);
    outline = gcn_outline_of(&toy.inputs);
    spec.batch_size = 0;
    one = gcn_cost(&spec, &outline, &toy.split);
    spec.workers = 4;
    crew = gcn_cost(&spec, &outline, &toy.split);
    assert_true(one.flops == crew.flops);
    assert_true(one.steps == crew.steps);
    assert_true(one.bytes < crew.bytes && crew.bytes < 2 * one.bytes);
    toy_release(&toy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gradients_of_nodes),
        cmocka_unit_test(test_gradients_of_graphs),
        cmocka_unit_test(test_panels),
        cmocka_unit_test(test_trainings_of_nodes),
        cmocka_unit_test(test_trainings_of_graphs),
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_bounds_of_graphs),
        cmocka_unit_test(test_failure_of_each_call),
        cmocka_unit_test(test_divergence),
        cmocka_unit_test(test_costs),
    };

    return cmocka_run_group_tests_name("full_batch", tests, NULL, NULL);
}
