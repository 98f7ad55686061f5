/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "data/core/builder.h"
#include "gcn/inputs.h"
#include "gcn/ridge.h"
#include "gcn/scale.h"
#include "golden_file.h"
#include "tensor/lapack.h"

/* tests/golden/make_ridge.py solved these cases with scikit-learn and as GBLUP. */
struct golden {
    FILE *file;
    struct dataset data;
    enum feature_scale scale;
    struct ridge_spec spec;
    struct split split;
};

enum held { DENSE, DOSAGE, SPARSE };

static void build(struct dataset *data, struct draft *draft, const float *x, enum held held)
{
    size_t n = (size_t)draft->n_samples, f = (size_t)draft->n_features;
    struct triplet *t = take(n * f, sizeof *t);
    int8_t *dosage = take(n * f, 1);
    char(*names)[24] = take(n, sizeof *names);
    const char **ids = take(n, sizeof *ids);
    const char *const classes[] = {"a", "b", "c"};
    struct csr sparse = {0};
    int64_t nnz = 0;

    for (size_t i = 0; i < n; i++) {
        snprintf(names[i], sizeof names[i], "s%zu", i);
        ids[i] = names[i];
    }
    for (size_t i = 0; i < n * f; i++) {
        dosage[i] = (int8_t)x[i];
        if (x[i] != 0)
            t[nnz++] = (struct triplet){(int32_t)(i / f), (int32_t)(i % f), x[i]};
    }
    assert_int_equal(csr_from_triplets(&sparse, (int32_t)n, (int32_t)f, t, nnz, NULL), 0);
    draft->ids = ids;
    draft->class_names = draft->n_classes ? classes : NULL;
    draft->features = held == DENSE ? x : NULL;
    draft->dosage = held == DOSAGE ? dosage : NULL;
    draft->sparse = held == SPARSE ? &sparse : NULL;
    assert_int_equal(draft_build(data, draft, NULL), 0);
    csr_release(&sparse);
    free(t);
    free(dosage);
    free(names);
    free(ids);
}

static int32_t *read_part(FILE *file, const char *name, int32_t *n)
{
    int32_t *part;

    expect(file, name);
    *n = read_int(file);
    part = take((size_t)*n, sizeof *part);
    for (int32_t i = 0; i < *n; i++)
        part[i] = read_int(file);
    return part;
}

static void golden_open(struct golden *g, const char *name)
{
    static const char *const tasks[] = {"regression", "classification", NULL};
    static const char *const forms[] = {"dense", "dosage", "sparse", NULL};
    static const char *const scales[] = {"none", "standardize", "row", NULL};
    struct draft draft = {0};
    float *x, *target;
    int32_t *label;
    enum task task;
    enum held held;

    memset(g, 0, sizeof *g);
    g->file = golden_file(name);
    expect(g->file, "versions");
    assert_int_equal(fscanf(g->file, "%*s"), 0);
    expect(g->file, "task");
    task = (enum task)read_choice(g->file, tasks);
    expect(g->file, "held");
    held = (enum held)read_choice(g->file, forms);
    expect(g->file, "scale");
    g->scale = (enum feature_scale)read_choice(g->file, scales);
    expect(g->file, "shape");
    draft.n_samples = read_int(g->file);
    draft.n_features = read_int(g->file);
    draft.n_classes = read_int(g->file);
    expect(g->file, "lambda");
    g->spec.lambda = read_number(g->file);
    g->spec.objective = task == TASK_REGRESSION ? METRIC_PEARSON : METRIC_ROC_AUC;
    g->split.train = read_part(g->file, "train", &g->split.n_train);
    g->split.val = read_part(g->file, "val", &g->split.n_val);
    g->split.test = read_part(g->file, "test", &g->split.n_test);
    x = take((size_t)draft.n_samples * (size_t)draft.n_features, sizeof *x);
    target = take((size_t)draft.n_samples, sizeof *target);
    label = take((size_t)draft.n_samples, sizeof *label);
    expect(g->file, "features");
    for (int32_t i = 0; i < draft.n_samples * draft.n_features; i++)
        x[i] = (float)read_number(g->file);
    expect(g->file, "target");
    for (int32_t i = 0; i < draft.n_samples; i++) {
        target[i] = (float)read_number(g->file);
        label[i] = (int32_t)target[i];
    }
    draft.target = task == TASK_REGRESSION ? target : NULL;
    draft.label = task == TASK_CLASSIFICATION ? label : NULL;
    build(&g->data, &draft, x, held);
    free(x);
    free(target);
    free(label);
}

static void golden_close(struct golden *g)
{
    dataset_release(&g->data);
    free(g->split.train);
    free(g->split.val);
    free(g->split.test);
    fclose(g->file);
}

static void check_weights(struct golden *g, const struct ridge *ridge)
{
    int32_t n = (g->data.n_features + 1) * ridge->n_outputs;
    float *weights = take((size_t)n, sizeof *weights);

    assert_int_equal(ridge_weights(weights, ridge, &g->data, g->scale, &g->split, NULL), 0);
    expect(g->file, "weights");
    for (int32_t i = 0; i < n; i++) {
        double want = read_number(g->file);

        if (!(fabs((double)weights[i] - want) < 1e-6 * (1 + fabs(want))))
            fail_msg("weight %d: %.9g, scikit-learn's is %.9g", (int)i, (double)weights[i], want);
    }
    free(weights);
}

/* Predictions in double are those of GBLUP. */
static void check_predictions(struct golden *g, const struct ridge *ridge,
                              const struct ridge_inputs *inputs)
{
    expect(g->file, "gblup");
    for (int32_t i = 0; i < g->data.n_samples; i++)
        for (int32_t c = 0; c < ridge->n_outputs; c++) {
            const double *alpha = ridge->alpha + (ptrdiff_t)c * ridge->n_train;
            double got = ridge->fixed.intercept[c], want = read_number(g->file);

            for (int32_t t = 0; t < ridge->n_train; t++)
                got += inputs->kernel[(ptrdiff_t)i * inputs->n + g->split.train[t]] * alpha[t];
            if (!(fabs(got - want) < 1e-6 * (1 + fabs(want))))
                fail_msg("prediction %d of %d: %.9g, GBLUP's is %.9g", (int)c, (int)i, got, want);
        }
}

static void check_metrics(struct golden *g, const struct gcn_outcome *outcome)
{
    static const char *const parts[3] = {"train", "val", "test"};

    for (int part = PART_TRAIN; part <= PART_TEST; part++) {
        int32_t n;

        expect(g->file, "metrics");
        expect(g->file, parts[part - PART_TRAIN]);
        n = read_int(g->file);
        for (int32_t i = 0; i < n; i++) {
            char name[32];
            double got, want;

            assert_int_equal(fscanf(g->file, "%31s", name), 1);
            want = read_number(g->file);
            got = outcome->metrics[part][metric_parse(name)];
            if (!(fabs(got - want) < 1e-5 * (1 + fabs(want))))
                fail_msg("%s of part %d: %.9g, scikit-learn's is %.9g", name, part, got, want);
        }
    }
}

static int train(struct gcn_outcome *outcome, struct ridge *ridge, const struct golden *g,
                 const struct ridge_inputs *inputs, struct arena *arena, struct err *err)
{
    const struct ridge_training training = {.spec = &g->spec,
                                            .inputs = inputs,
                                            .split = &g->split,
                                            .threads = 1,
                                            .scratch = arena,
                                            .clock = &clock_system};

    return ridge_train(outcome, ridge, &training, err);
}

/* Training also works on inputs sent to another process. */
static void test_golden(void **state)
{
    struct golden g;
    struct ridge_inputs inputs, view;
    struct gcn_outcome outcome = {.curve = NULL}, again = outcome;
    struct arena arena = {0};
    struct ridge ridge;
    void *block;
    size_t bytes;

    golden_open(&g, *state);
    assert_int_equal(ridge_inputs_init(&inputs, &g.data, g.scale, NULL), 0);
    assert_int_equal(train(&outcome, &ridge, &g, &inputs, &arena, NULL), 0);
    assert_int_equal(outcome.status, GCN_DONE);
    assert_int_equal(outcome.epochs_run, 0);
    check_weights(&g, &ridge);
    check_predictions(&g, &ridge, &inputs);
    check_metrics(&g, &outcome);
    assert_true(outcome.value == outcome.metrics[PART_VAL][g.spec.objective]);
    assert_true(isnan(outcome.metrics[PART_VAL][METRIC_LOG_LOSS]));
    assert_int_equal(isnan(outcome.losses[PART_VAL]) != 0, g.data.task == TASK_CLASSIFICATION);

    bytes = packed_bytes(&ridge_inputs_packed, &inputs);
    block = aligned_alloc(64, bytes);
    packed_write(block, &ridge_inputs_packed, &inputs);
    assert_int_equal(packed_view(&view, &ridge_inputs_packed, &g.data, block, bytes, NULL), 0);
    assert_int_equal(train(&again, &ridge, &g, &view, &arena, NULL), 0);
    assert_memory_equal(again.metrics, outcome.metrics, sizeof again.metrics);
    ridge_inputs_release(&view);
    free(block);
    arena_release(&arena);
    ridge_inputs_release(&inputs);
    golden_close(&g);
}

static void test_lambda_too_small(void **state)
{
    struct golden g;
    struct ridge_inputs inputs;
    struct gcn_outcome outcome = {.curve = NULL};
    struct arena arena = {0};
    struct ridge ridge;
    struct err err;

    (void)state;
    golden_open(&g, "ridge_few");
    assert_int_equal(ridge_inputs_init(&inputs, &g.data, g.scale, NULL), 0);
    for (int64_t i = 0; i < (int64_t)inputs.n * inputs.n; i++)
        inputs.kernel[i] = 1; /* all samples alike */
    g.spec.lambda = 1e-300;
    assert_int_equal(train(&outcome, &ridge, &g, &inputs, &arena, &err), -1);
    assert_non_null(strstr(err.text, "lambda = 1e-300 is too small"));
    arena_release(&arena);
    ridge_inputs_release(&inputs);
    golden_close(&g);
}

static void test_solve(void **state)
{
    /* Solved by hand: L = (2, 0; 1, 3), a = L L^T, x = (1, -2) and (0, 1). */
    double a[] = {4, NAN, 2, 10}, b[] = {0, -18, 2, 10};

    (void)state;
    assert_int_equal(lapack_cholesky_solve(b, 2, a, 2, NULL, NULL), 0);
    assert_true(fabs(b[0] - 1) < 1e-14 && fabs(b[1] + 2) < 1e-14);
    assert_true(fabs(b[2]) < 1e-14 && fabs(b[3] - 1) < 1e-14);
}

/* Larger than a block. */
static void test_blocks(void **state)
{
    enum { N = 300 };
    double *a = take((size_t)N * N, sizeof *a), *l = take((size_t)N * N, sizeof *l);
    double b[2 * N], x[2 * N];

    (void)state;
    for (int i = 0; i < N; i++)
        for (int j = 0; j <= i; j++)
            l[i * N + j] = i == j ? 2 + i % 3 : sin(i * 7 + j * 3) / 9;
    for (int i = 0; i < N; i++)
        for (int j = 0; j <= i; j++)
            for (int k = 0; k <= j; k++)
                a[i * N + j] += l[i * N + k] * l[j * N + k];
    for (int i = 0; i < 2 * N; i++)
        x[i] = cos(i);
    memset(b, 0, sizeof b);
    for (int c = 0; c < 2; c++)
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                b[c * N + i] += a[i > j ? i * N + j : j * N + i] * x[c * N + j];
    assert_int_equal(lapack_cholesky_solve(b, 2, a, N, NULL, NULL), 0);
    for (int i = 0; i < 2 * N; i++)
        assert_true(fabs(b[i] - x[i]) < 1e-9);
    free(a);
    free(l);
}

static bool goes_on_twice(void *arg)
{
    return ++*(int *)arg <= 2;
}

static void test_watch(void **state)
{
    enum { N = 600 };
    double *a = take((size_t)N * N, sizeof *a), *b = take(N, sizeof *b);
    int n_asked = 0;
    const struct lapack_watch watch = {goes_on_twice, &n_asked};

    (void)state;
    for (int i = 0; i < N; i++)
        a[i * N + i] = 1;
    assert_int_equal(lapack_cholesky_solve(b, 1, a, N, &watch, NULL), 1);
    assert_int_equal(n_asked, 3);
    free(a);
    free(b);
}

#define GOLDEN(name)                        \
    {                                       \
        name, test_golden, NULL, NULL, name \
    }

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_solve), cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_watch), GOLDEN("ridge_regr"),
        GOLDEN("ridge_few"),          GOLDEN("ridge_class"),
        GOLDEN("ridge_binary"),       cmocka_unit_test(test_lambda_too_small),
    };

    return cmocka_run_group_tests_name("ridge", tests, NULL, NULL);
}
