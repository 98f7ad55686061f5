/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "gcn/model.h"
#include "gcn/reducer.h"
#include "tensor/kernel.h"

enum { MOST_SAMPLES = 60, MOST_FEATURES = 400 };

/* Dosages 0, 1, 2 of n samples, in groups that share their frequencies. */
static void make_data(struct dataset *data, int32_t n, int32_t f)
{
    static struct triplet t[MOST_SAMPLES * MOST_FEATURES];
    int64_t entries = 0;
    struct rng rng;

    rng_init(&rng, hash_text("reducer"), RNG_SIMULATE);
    *data = (struct dataset){.n_samples = n, .n_nodes = n, .n_features = f};
    assert_int_equal(mat_init(&data->features, n, f, NULL), 0);
    for (int32_t i = 0; i < n; i++)
        for (int32_t j = 0; j < f; j++) {
            double p = rng_uniform(&rng, (uint32_t)(i % 3), (uint32_t)j);
            int32_t first = rng_uniform(&rng, 10 + (uint32_t)i, (uint32_t)j) < p;
            int32_t second = rng_uniform(&rng, 100 + (uint32_t)i, (uint32_t)j) < p;

            mat_row(&data->features, i)[j] = (float)(first + second);
            if (first + second)
                t[entries++] = (struct triplet){i, j, (float)(first + second)};
        }
    assert_int_equal(csr_from_triplets(&data->sparse_features, n, f, t, entries, NULL), 0);
}

static void release_data(struct dataset *data)
{
    mat_release(&data->features);
    csr_release(&data->sparse_features);
}

static void make_scaled(struct mat *x, const struct dataset *data, enum feature_scale scale)
{
    assert_int_equal(mat_init(x, data->n_samples, data->n_features, NULL), 0);
    dataset_decode(x, data, 0, 0);
    if (scale == SCALE_STANDARDIZE)
        assert_int_equal(kernel_standardize(x), 0);
    if (scale == SCALE_ROW) {
        double *sum = calloc((size_t)x->n_rows, sizeof *sum);

        kernel_add_row_sums(sum, x);
        kernel_divide_rows(x, sum);
        free(sum);
    }
}

static void reduce(struct mat *l, const struct dataset *data, enum feature_scale scale, int32_t how,
                   int32_t width)
{
    struct reducer reducer;

    assert_int_equal(reducer_init(&reducer, data, scale, width, NULL), 0);
    assert_int_equal(reducer_make(l, &reducer, how, NULL), 0);
    reducer_release(&reducer);
}

static double row_product(const struct mat *m, int32_t a, int32_t b)
{
    double sum = 0;

    for (int32_t j = 0; j < m->n_cols; j++)
        sum += (double)mat_row(m, a)[j] * (double)mat_row(m, b)[j];
    return sum;
}

static double column_product(const struct mat *m, int32_t a, int32_t b)
{
    double sum = 0;

    for (int32_t i = 0; i < m->n_rows; i++)
        sum += (double)mat_row(m, i)[a] * (double)mat_row(m, i)[b];
    return sum;
}

static double largest_square(const struct mat *m)
{
    double most = 0;

    for (int32_t i = 0; i < m->n_rows; i++)
        most = fmax(most, row_product(m, i, i));
    return most;
}

static void assert_same_products(const struct mat *l, const struct mat *x)
{
    double scale = largest_square(x);

    for (int32_t a = 0; a < x->n_rows; a++)
        for (int32_t b = 0; b <= a; b++)
            assert_true(fabs(row_product(l, a, b) - row_product(x, a, b)) < 1e-5 * scale);
}

static void test_exact_keeps_products(void **state)
{
    struct dataset data;

    (void)state;
    make_data(&data, 25, 300);
    for (int scale = SCALE_NONE; scale <= SCALE_ROW; scale++) {
        struct mat x, l;

        make_scaled(&x, &data, (enum feature_scale)scale);
        reduce(&l, &data, (enum feature_scale)scale, REDUCE_EXACT, 0);
        assert_int_equal(l.n_rows, 25);
        /* Centred columns have one dimension less. */
        assert_int_equal(l.n_cols, scale == SCALE_STANDARDIZE ? 24 : 25);
        assert_same_products(&l, &x);
        for (int32_t c = 1; c < l.n_cols; c++) {
            assert_true(column_product(&l, c, c) <= column_product(&l, c - 1, c - 1));
            assert_true(fabs(column_product(&l, c, c - 1)) < 1e-5 * largest_square(&x));
        }
        mat_release(&x);
        mat_release(&l);
    }
    release_data(&data);
}

/* Two equal samples, a sample that is the sum of two others, and constant features. */
static void test_rank_deficient(void **state)
{
    struct dataset data;
    struct mat x, l;

    (void)state;
    make_data(&data, 20, 200);
    for (int32_t j = 0; j < 200; j++) {
        float *column = data.features.v + j;

        column[200] = column[0];
        column[400] = column[600] + column[800];
        if (j % 7 == 0)
            for (int32_t i = 0; i < 20; i++)
                column[(int64_t)i * 200] = i == 2 ? 2 : 1;
    }
    make_scaled(&x, &data, SCALE_NONE);
    reduce(&l, &data, SCALE_NONE, REDUCE_EXACT, 0);
    assert_int_equal(l.n_cols, 18);
    assert_same_products(&l, &x);
    mat_release(&l);
    reduce(&l, &data, SCALE_NONE, 19, 0);
    assert_int_equal(l.n_cols, 18);
    mat_release(&l);
    mat_release(&x);
    for (int64_t i = 0; i < mat_size(&data.features); i++)
        data.features.v[i] = 0.1f;
    reduce(&l, &data, SCALE_STANDARDIZE, REDUCE_EXACT, 0);
    assert_int_equal(l.n_cols, 1);
    for (int32_t i = 0; i < 20; i++)
        assert_true(l.v[i] == 0);
    mat_release(&l);
    release_data(&data);
}

/* The twin: power iteration on X X^T. out (N, N): products of the samples in the k leading
 * directions. */
static void power_iteration(double out[MOST_SAMPLES][MOST_SAMPLES], const struct mat *x, int32_t k)
{
    static double left[MOST_SAMPLES][MOST_SAMPLES];
    int32_t n = x->n_rows;

    for (int32_t i = 0; i < n; i++)
        for (int32_t j = 0; j < n; j++) {
            left[i][j] = row_product(x, i, j);
            out[i][j] = 0;
        }
    for (int32_t c = 0; c < k; c++) {
        double u[MOST_SAMPLES], next[MOST_SAMPLES], length = 0;

        for (int32_t i = 0; i < n; i++)
            u[i] = cos(3 * i + c);
        for (int round = 0; round < 5000; round++) {
            length = 0;
            for (int32_t i = 0; i < n; i++) {
                next[i] = 0;
                for (int32_t j = 0; j < n; j++)
                    next[i] += left[i][j] * u[j];
                length += next[i] * next[i];
            }
            length = sqrt(length);
            for (int32_t i = 0; i < n; i++)
                u[i] = next[i] / length;
        }
        for (int32_t i = 0; i < n; i++)
            for (int32_t j = 0; j < n; j++) {
                left[i][j] -= length * u[i] * u[j];
                out[i][j] += length * u[i] * u[j];
            }
    }
}

static void check_pca(int32_t n, int32_t f, enum feature_scale scale, int32_t k)
{
    static double want[MOST_SAMPLES][MOST_SAMPLES];
    struct dataset data;
    struct mat x, l;

    make_data(&data, n, f);
    make_scaled(&x, &data, scale);
    power_iteration(want, &x, k);
    reduce(&l, &data, scale, k, 0);
    assert_int_equal(l.n_cols, k);
    for (int32_t i = 0; i < n; i++)
        for (int32_t j = 0; j < n; j++)
            assert_true(fabs(row_product(&l, i, j) - want[i][j]) < 1e-5 * largest_square(&x));
    mat_release(&x);
    mat_release(&l);
    release_data(&data);
}

static void test_pca(void **state)
{
    (void)state;
    check_pca(25, 300, SCALE_STANDARDIZE, 1);
    check_pca(25, 300, SCALE_STANDARDIZE, 3);
    check_pca(25, 300, SCALE_NONE, 2);
    check_pca(60, 30, SCALE_STANDARDIZE, 3);
    check_pca(60, 30, SCALE_NONE, 2);
    check_pca(60, 30, SCALE_ROW, 2);
    check_pca(30, 30, SCALE_STANDARDIZE, 2);
}

static void assert_close(const struct mat *a, const struct mat *b)
{
    double scale = sqrt(largest_square(b));

    assert_int_equal(a->n_cols, b->n_cols);
    for (int64_t i = 0; i < mat_size(a); i++)
        assert_true(fabs((double)a->v[i] - (double)b->v[i]) < 1e-5 * scale);
}

static void test_panels_do_not_matter(void **state)
{
    static const int32_t widths[] = {1, 7, 64, 1000};

    (void)state;
    for (int wide = 0; wide < 2; wide++)
        for (int scale = SCALE_NONE; scale <= SCALE_ROW; scale++) {
            struct dataset data;
            struct mat whole, l;

            make_data(&data, wide ? 25 : 60, wide ? 300 : 30);
            reduce(&whole, &data, (enum feature_scale)scale, 8, 0);
            for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
                reduce(&l, &data, (enum feature_scale)scale, 8, widths[w]);
                assert_close(&l, &whole);
                mat_release(&l);
            }
            mat_release(&whole);
            release_data(&data);
        }
}

static void test_pca_leads_exact(void **state)
{
    struct dataset data;
    struct mat all, some;

    (void)state;
    make_data(&data, 25, 300);
    reduce(&all, &data, SCALE_STANDARDIZE, REDUCE_EXACT, 0);
    reduce(&some, &data, SCALE_STANDARDIZE, 5, 0);
    for (int32_t i = 0; i < 25; i++)
        for (int32_t c = 0; c < 5; c++)
            assert_true(fabsf(mat_row(&all, i)[c] - mat_row(&some, i)[c]) < 1e-4f);
    mat_release(&all);
    mat_release(&some);
    release_data(&data);
}

static void test_sparse_is_as_dense(void **state)
{
    static const int32_t how[] = {REDUCE_EXACT, 6};
    struct reducer reducer;
    struct err err;

    (void)state;
    for (int variant = 0; variant < 8; variant++) {
        int32_t reduction = how[variant & 1];
        enum feature_scale scale = variant & 2 ? SCALE_ROW : SCALE_NONE;
        struct dataset data;
        struct mat dense, sparse;

        make_data(&data, variant & 4 ? 25 : 60, variant & 4 ? 300 : 30);
        reduce(&dense, &data, scale, reduction, 0);
        data.is_sparse = true;
        reduce(&sparse, &data, scale, reduction, 0);
        assert_close(&sparse, &dense);
        assert_int_equal(reducer_init(&reducer, &data, SCALE_STANDARDIZE, 0, &err), -1);
        assert_non_null(strstr(err.text, "cannot be standardized"));
        mat_release(&dense);
        mat_release(&sparse);
        release_data(&data);
    }
}

static void assert_refused(const struct gcn_inputs_spec *spec, const struct dataset *data,
                           const char *message)
{
    struct err err;

    assert_int_equal(reducer_check(spec, data, &err), -1);
    assert_string_equal(err.text, message);
}

static void test_check(void **state)
{
    struct dataset wide = {.n_samples = 20, .n_features = 90};
    struct dataset tall = {.n_samples = 90, .n_features = 20};
    struct gcn_inputs_spec spec = {.reduce = 20};

    (void)state;
    assert_int_equal(reducer_check(&spec, &wide, NULL), 0);
    assert_int_equal(reducer_check(&spec, &tall, NULL), 0);
    spec.reduce = 21;
    assert_refused(&spec, &wide,
                   "reduce = pca:21: must be at most pca:20, the smaller of 20 samples and 90 "
                   "features");
    assert_refused(&spec, &tall,
                   "reduce = pca:21: must be at most pca:20, the smaller of 90 samples and 20 "
                   "features");
    spec = (struct gcn_inputs_spec){.drops_inputs = true};
    assert_int_equal(reducer_check(&spec, &wide, NULL), 0);
    spec.reduce = REDUCE_EXACT;
    assert_refused(&spec, &wide,
                   "reduce and input_dropout exclude each other: a reduction leaves no features to "
                   "drop: set reduce = none or input_dropout = 0");
    assert_true(reducer_keeps(&wide, REDUCE_NONE));
    assert_false(reducer_keeps(&wide, REDUCE_EXACT));
    assert_true(reducer_keeps(&tall, REDUCE_EXACT));
    assert_false(reducer_keeps(&tall, 5));
    assert_true(reducer_bytes(&wide, REDUCE_EXACT) > 2 * 20 * 20 * 8);
}

/* Initial weights depend on the number of original features. */
static void test_inputs(void **state)
{
    struct gcn_spec spec = {.layers = 2, .hidden_size = 50};
    struct gcn_inputs inputs;
    struct dataset data;
    struct csr adjacency;
    struct model model;
    struct arena arena = {0};
    struct mat l;
    float limit = (float)sqrt(6.0 / (300 + 50)), most = 0;

    (void)state;
    make_data(&data, 25, 300);
    reduce(&l, &data, SCALE_STANDARDIZE, REDUCE_EXACT, 0);
    assert_int_equal(csr_from_triplets(&adjacency, 25, 25, NULL, 0, NULL), 0);
    assert_int_equal(gcn_inputs_init_reduced(&inputs, &data, &adjacency, &l, NULL), 0);
    assert_int_equal(inputs.n_inputs, 24);
    assert_int_equal(inputs.fan_in, 300);
    assert_false(inputs.has[FIRST_X_SPARSE]);
    assert_memory_equal(inputs.ax.v, l.v, (size_t)mat_size(&l) * sizeof *l.v);
    assert_int_equal(
        model_init(&model, &spec, inputs.n_inputs, inputs.fan_in, 1, hash_text("w"), &arena, NULL),
        0);
    assert_int_equal(model.layer[0].w.n_rows, 24);
    for (int64_t i = 0; i < mat_size(&model.layer[0].w); i++)
        most = fmaxf(most, fabsf(model.layer[0].w.v[i]));
    assert_true(most <= limit && most > 0.95f * limit);
    arena_release(&arena);
    gcn_inputs_release(&inputs);
    csr_release(&adjacency);
    mat_release(&l);
    release_data(&data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exact_keeps_products),
        cmocka_unit_test(test_rank_deficient),
        cmocka_unit_test(test_pca),
        cmocka_unit_test(test_panels_do_not_matter),
        cmocka_unit_test(test_pca_leads_exact),
        cmocka_unit_test(test_sparse_is_as_dense),
        cmocka_unit_test(test_check),
        cmocka_unit_test(test_inputs),
    };

    return cmocka_run_group_tests_name("reducer", tests, NULL, NULL);
}
