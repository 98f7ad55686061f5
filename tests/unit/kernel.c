/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include <float.h>
#include <pthread.h>

#include "base/cpu.h"
#include "random.h"
#include "tensor/dropout.h"
#include "tensor/kernel.h"
#include "tensor/spmm.h"
#include "unit.h"

/* Each fast kernel against a plain twin, at widths that reach every branch. */

/* About a third of the entries are present; row 3 is empty. */
static struct csr random_csr(int32_t n_rows, int32_t n_cols)
{
    struct triplet *t = malloc((size_t)n_rows * (size_t)n_cols * sizeof *t);
    int64_t n = 0;
    struct csr a;

    assert_non_null(t);
    for (int32_t i = 0; i < n_rows; i++)
        for (int32_t j = 0; j < n_cols; j++)
            if (i != 3 && number(77, i * n_cols + j) > 0.4f)
                t[n++] = (struct triplet){i, j, number(78, i * n_cols + j)};
    assert_int_equal(csr_from_triplets(&a, n_rows, n_cols, t, n, NULL), 0);
    free(t);
    return a;
}

static void assert_mat_close(const struct mat *found, const struct mat *want)
{
    for (int64_t i = 0; i < mat_size(want); i++)
        assert_close((double)found->v[i], (double)want->v[i]);
}

static void plain_spmm(struct mat *y, const struct csr *a, const int32_t *rows, const struct mat *x,
                       const int32_t *pos)
{
    for (int32_t i = 0; i < y->n_rows; i++)
        for (int32_t j = 0; j < y->n_cols; j++) {
            int32_t r = rows ? rows[i] : i;
            double sum = 0;

            for (int64_t e = a->row_start[r]; e < a->row_start[r + 1]; e++) {
                int32_t from = pos ? pos[a->col[e]] : a->col[e];

                if (from >= 0)
                    sum += (double)a->val[e] * (double)mat_row(x, from)[j];
            }
            mat_row(y, i)[j] = (float)sum;
        }
}

static void test_spmm(void **state)
{
    static const int32_t rows[] = {1, 3, 4, 9};
    int32_t pos[12];

    (void)state;
    for (int32_t j = 0; j < 12; j++)
        pos[j] = j % 3 == 1 ? -1 : j / 2;
    for (size_t w = 0; w < N_WIDTHS; w++) {
        struct csr a = random_csr(10, 12);
        struct mat x = random_mat(12, widths[w], 1);
        struct mat y = random_mat(10, widths[w], 2), want = random_mat(10, widths[w], 3);

        spmm(&y, &a, NULL, &x, NULL);
        plain_spmm(&want, &a, NULL, &x, NULL);
        assert_mat_close(&y, &want);
        y.n_rows = want.n_rows = 4;
        spmm(&y, &a, rows, &x, pos);
        plain_spmm(&want, &a, rows, &x, pos);
        assert_mat_close(&y, &want);
        assert_int_equal(spmm_count(&a, rows, 4), a.row_start[2] - a.row_start[1] + a.row_start[5] -
                                                      a.row_start[4] + a.row_start[10] -
                                                      a.row_start[9]);
        csr_release(&a);
        mat_release(&x), mat_release(&y), mat_release(&want);
    }
}

static void test_spmm_tn(void **state)
{
    static const int32_t rows[] = {1, 3, 4, 9};

    (void)state;
    for (size_t w = 0; w < N_WIDTHS; w++) {
        struct csr a = random_csr(10, 12);
        struct mat x = random_mat(4, widths[w], 1);
        struct mat y = random_mat(12, widths[w], 2), want = random_mat(12, widths[w], 3);

        memset(want.v, 0, (size_t)mat_size(&want) * sizeof *want.v);
        for (int32_t i = 0; i < 4; i++)
            for (int64_t e = a.row_start[rows[i]]; e < a.row_start[rows[i] + 1]; e++)
                for (int32_t j = 0; j < widths[w]; j++)
                    mat_row(&want, a.col[e])[j] += a.val[e] * mat_row(&x, i)[j];
        spmm_tn(&y, &a, rows, &x);
        assert_mat_close(&y, &want);
        csr_release(&a);
        mat_release(&x), mat_release(&y), mat_release(&want);
    }
}

/* dropout.h defines the decision for (i, j), block by block. */
static uint16_t plain_bits(const struct dropout *dropout, uint32_t step, int64_t first_block,
                           int64_t j)
{
    uint32_t words[4];

    rng_block(words, &dropout->rng, step, (uint32_t)(first_block + j / 8));
    return (uint16_t)(words[j % 8 / 2] >> (j % 2 ? 16 : 0));
}

static void test_dropout_bits(void **state)
{
    static const int32_t rows[] = {7, 2, 1000, 3};
    struct dropout dropout;

    (void)state;
    dropout_init(&dropout, 0.3, seed, RNG_DROPOUT);
    assert_int_equal(dropout.threshold, 19661);
    assert_false(dropout_is_off(&dropout));
    for (size_t w = 0; w < N_WIDTHS; w++) {
        int32_t stride = dropout_stride(widths[w]);
        uint16_t *bits = malloc(4 * (size_t)stride * sizeof *bits);

        assert_non_null(bits);
        dropout_bits(bits, &dropout, 5, rows, 4, widths[w]);
        for (int32_t i = 0; i < 4; i++)
            for (int32_t j = 0; j < widths[w]; j++)
                assert_int_equal(bits[i * stride + j],
                                 plain_bits(&dropout, 5, (int64_t)rows[i] * (stride / 8), j));
        free(bits);
    }
    dropout_init(&dropout, 0, seed, RNG_DROPOUT);
    assert_true(dropout_is_off(&dropout));
    assert_true(dropout.scale == 1);
    dropout_init(&dropout, 0.9999999, seed, RNG_DROPOUT);
    assert_true(dropout.scale == 65536);
}

static void test_dropout_rows(void **state)
{
    static const int32_t rows[] = {2, 0};
    struct dropout dropout;
    struct mat x = random_mat(3, 1100, 1), y = random_mat(2, 1100, 2);

    (void)state;
    dropout_init(&dropout, 0.5, seed, RNG_INPUT_DROPOUT);
    dropout_rows(&y, &dropout, 9, &x, rows);
    for (int32_t i = 0; i < 2; i++)
        for (int32_t j = 0; j < 1100; j++) {
            bool kept = plain_bits(&dropout, 9, (int64_t)rows[i] * 138, j) >= 32768;

            assert_true(mat_row(&y, i)[j] == (kept ? 2 * mat_row(&x, rows[i])[j] : 0));
        }
    mat_release(&x), mat_release(&y);
}

static void test_dropout_entries(void **state)
{
    static const int32_t rows[] = {2, 3, 7};
    struct dropout dropout;
    struct csr a = random_csr(10, 60);
    float *val = calloc((size_t)csr_nnz(&a), sizeof *val);

    (void)state;
    assert_non_null(val);
    dropout_init(&dropout, 0.25, seed, RNG_INPUT_DROPOUT);
    for (int64_t e = 0; e < csr_nnz(&a); e++)
        val[e] = 99;
    dropout_entries(val, &dropout, 9, &a, rows, 3);
    for (int32_t r = 0; r < 10; r++)
        for (int64_t e = a.row_start[r]; e < a.row_start[r + 1]; e++) {
            uint16_t bits = plain_bits(&dropout, 9, a.row_start[r] / 8 + r, e - a.row_start[r]);
            float want = bits >= 16384 ? a.val[e] * (float)(4.0 / 3) : 0;

            assert_true(val[e] == (r == 2 || r == 7 ? want : 99));
        }
    free(val);
    csr_release(&a);
}

static void test_rows_and_sums(void **state)
{
    static const int32_t rows[] = {2, 2, 0};

    (void)state;
    for (size_t w = 0; w < N_WIDTHS; w++) {
        struct mat x = random_mat(4, widths[w], 1), y = random_mat(3, widths[w], 2);
        struct mat sums = random_mat(1, widths[w], 3), bias = random_mat(1, widths[w], 4);

        kernel_rows(&y, &x, rows, bias.v);
        kernel_column_sums(sums.v, &x);
        for (int32_t j = 0; j < widths[w]; j++) {
            double sum = 0;

            for (int32_t i = 0; i < 4; i++)
                sum += (double)mat_row(&x, i)[j];
            assert_close((double)sums.v[j], sum);
            for (int32_t i = 0; i < 3; i++)
                assert_true(mat_row(&y, i)[j] == mat_row(&x, rows[i])[j] + bias.v[j]);
        }
        kernel_rows(&y, &x, rows, NULL);
        assert_memory_equal(mat_row(&y, 1), mat_row(&x, 2), (size_t)widths[w] * sizeof(float));
        mat_release(&x), mat_release(&y), mat_release(&sums), mat_release(&bias);
    }
}

static void test_cross_entropy(void **state)
{
    static const int32_t rows[] = {3, 0, 1}, label[] = {1, 0, 9, 2};
    struct mat z = random_mat(3, 4, 1), d = random_mat(3, 4, 2);
    double loss = 0, found;

    (void)state;
    z.v[0] = 300; /* its exponential overflows */
    found = kernel_cross_entropy(&d, &z, rows, label, NULL, 0.5);
    for (int32_t i = 0; i < 3; i++) {
        double sum = 0;

        for (int32_t j = 0; j < 4; j++)
            sum += exp((double)mat_row(&z, i)[j]);
        loss += log(sum) - (double)mat_row(&z, i)[label[rows[i]]];
        for (int32_t j = 0; j < 4; j++)
            assert_close((double)mat_row(&d, i)[j],
                         0.5 * (exp((double)mat_row(&z, i)[j]) / sum - (j == label[rows[i]])));
    }
    assert_close(found, loss);
    assert_close(kernel_cross_entropy(NULL, &z, rows, label, NULL, 0.5), loss);
    kernel_log_softmax(&z);
    for (int32_t i = 0; i < 3; i++)
        loss += (double)mat_row(&z, i)[label[rows[i]]];
    assert_true(fabs(loss) < 1e-4);
    mat_release(&z), mat_release(&d);
}

/* A weight of two equals having the sample twice. */
static void test_weighted_cross_entropy(void **state)
{
    static const int32_t rows[] = {0, 1}, twice[] = {0, 1, 1}, label[] = {2, 0};
    static const float weight[] = {2, 7, 1};
    struct mat z = random_mat(3, 3, 1), d = random_mat(2, 3, 2), want = random_mat(3, 3, 3);
    double loss;

    (void)state;
    memcpy(mat_row(&z, 2), mat_row(&z, 1), 3 * sizeof *z.v);
    loss = kernel_cross_entropy(&want, &z, twice, label, NULL, 0.25);
    z.n_rows = 2;
    assert_close(kernel_cross_entropy(&d, &z, rows, label, weight, 0.25), loss);
    for (int j = 0; j < 3; j++) {
        assert_close((double)d.v[j], (double)want.v[j]);
        assert_close((double)d.v[3 + j], 2 * (double)want.v[3 + j]);
    }
    mat_release(&z), mat_release(&d), mat_release(&want);
}

/* Samples of the level above: 1, 4; of the level below: 4, 0, 1. */
static void test_gather_and_scatter(void **state)
{
    static const int32_t rows[] = {1, 4}, pos[] = {1, 2, -1, -1, 0};

    (void)state;
    for (size_t w = 0; w < N_WIDTHS; w++) {
        struct mat above = random_mat(2, widths[w], 1), below = random_mat(3, widths[w], 2);
        struct mat above0 = random_mat(2, widths[w], 1), below0 = random_mat(3, widths[w], 2);

        kernel_gather_add(&above, &below, rows, pos);
        kernel_scatter_add(&below, &above0, rows, pos);
        for (int32_t j = 0; j < widths[w]; j++) {
            assert_true(mat_row(&above, 0)[j] == mat_row(&above0, 0)[j] + mat_row(&below0, 2)[j]);
            assert_true(mat_row(&above, 1)[j] == mat_row(&above0, 1)[j] + mat_row(&below0, 0)[j]);
            assert_true(mat_row(&below, 2)[j] == mat_row(&above0, 0)[j] + mat_row(&below0, 2)[j]);
            assert_true(mat_row(&below, 1)[j] == mat_row(&below0, 1)[j]);
            assert_true(mat_row(&below, 0)[j] == mat_row(&above0, 1)[j] + mat_row(&below0, 0)[j]);
        }
        below.n_rows = below0.n_rows = 2;
        kernel_scatter_add(&below, &above0, NULL, NULL);
        kernel_gather_add(&above0, &below0, NULL, NULL);
        assert_true(above0.v[2 * widths[w] - 1] ==
                    number(1, 2 * widths[w] - 1) + number(2, 2 * widths[w] - 1));
        mat_release(&above), mat_release(&below), mat_release(&above0), mat_release(&below0);
    }
}

static void test_squared_error(void **state)
{
    static const int32_t rows[] = {2, 0};
    static const float target[] = {1, 99, -2};
    float z[] = {3, 0.5f}, d[2];
    struct mat z_mat = mat_view(z, 2, 1), d_mat = mat_view(d, 2, 1);

    (void)state;
    assert_close(kernel_squared_error(&d_mat, &z_mat, rows, target, 0.5), 25 + 0.25);
    assert_close((double)d[0], 5);
    assert_close((double)d[1], -0.5);
}

static void test_normalize_rows(void **state)
{
    float v[] = {1, 3, 0, 0, -1, 1};
    double sum[3] = {0};
    struct mat m = mat_view(v, 3, 2);

    (void)state;
    kernel_add_row_sums(sum, &m);
    kernel_divide_rows(&m, sum);
    assert_close((double)v[0], 0.25);
    assert_close((double)v[1], 0.75);
    assert_true(v[2] == 0 && v[4] == -1 && v[5] == 1);
}

static float half_of_least(void)
{
    volatile float least = FLT_MIN;

    return least * 0.5F;
}

static void *halve(void *arg)
{
    *(float *)arg = half_of_least();
    return NULL;
}

/* arg: two floats, inout: one for a thread that sets the flush mode, one for a thread it starts. */
static void *flush_and_halve(void *arg)
{
    float *out = arg;
    pthread_t thread;

    cpu_flush_subnormal();
    out[0] = half_of_least();
    assert_int_equal(pthread_create(&thread, NULL, halve, &out[1]), 0);
    pthread_join(thread, NULL);
    return NULL;
}

/* Training threads inherit the mode. */
static void test_subnormal_numbers(void **state)
{
    float out[2] = {1, 1};
    pthread_t thread;

    (void)state;
    if (getenv("TEST_UNDER_VALGRIND")) /* which ignores the flush mode */
        skip();
    assert_true(half_of_least() > 0);
    assert_int_equal(pthread_create(&thread, NULL, flush_and_halve, out), 0);
    pthread_join(thread, NULL);
#if defined(__x86_64__) || defined(__aarch64__)
    assert_true(out[0] == 0 && out[1] == 0);
#endif
    assert_true(half_of_least() > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spmm),
        cmocka_unit_test(test_spmm_tn),
        cmocka_unit_test(test_dropout_bits),
        cmocka_unit_test(test_dropout_rows),
        cmocka_unit_test(test_dropout_entries),
        cmocka_unit_test(test_rows_and_sums),
        cmocka_unit_test(test_cross_entropy),
        cmocka_unit_test(test_weighted_cross_entropy),
        cmocka_unit_test(test_gather_and_scatter),
        cmocka_unit_test(test_squared_error),
        cmocka_unit_test(test_normalize_rows),
        cmocka_unit_test(test_subnormal_numbers),
    };

    return cmocka_run_group_tests_name("kernel", tests, NULL, NULL);
}
