/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "base/rng.h"
#include "tensor/batchnorm.h"
#include "tensor/kernel.h"
#include "unit.h"

/* Against plain twins in double, at widths that end inside a tile and after one. */

enum { MOST = 151, ROWS = 7 };

static const int32_t widths[] = {1, 3, 16, 63, 64, 65, MOST};
#define N_WIDTHS (sizeof widths / sizeof *widths)

static struct mat random_mat(int32_t n_rows, int32_t n_cols, uint32_t step)
{
    struct rng rng;
    struct mat m;

    rng_init(&rng, hash_text("batchnorm"), RNG_SIMULATE);
    assert_int_equal(mat_init(&m, n_rows, n_cols, NULL), 0);
    for (int64_t i = 0; i < mat_size(&m); i++)
        m.v[i] = (float)rng_normal(&rng, step, (uint32_t)i);
    return m;
}

static void assert_close(double found, double want)
{
    if (!(fabs(found - want) <= 1e-5 * (1 + fabs(want))))
        fail_msg("found %.9g, want %.9g", found, want);
}

static void plain_moments(double *mean, double *variance, const struct mat *z, const int32_t *rows,
                          int32_t n, int32_t j)
{
    *mean = *variance = 0;
    for (int32_t i = 0; i < n; i++)
        *mean += (double)mat_row(z, rows[i])[j] / n;
    for (int32_t i = 0; i < n; i++)
        *variance += pow((double)mat_row(z, rows[i])[j] - *mean, 2) / n;
}

static void measure(double *mean, double *variance, const struct mat *z, const int32_t *rows,
                    int32_t n)
{
    batchnorm_sums(mean, NULL, z, rows, n);
    for (int32_t j = 0; j < z->n_cols; j++)
        mean[j] /= n;
    batchnorm_sums(variance, mean, z, rows, n);
    for (int32_t j = 0; j < z->n_cols; j++)
        variance[j] /= n;
}

static void find_slopes(float *d_gamma, float *d_sum, const struct mat *d, const struct mat *x)
{
    double sum[MOST];

    kernel_column_sums(d_sum, d);
    batchnorm_products(sum, d, x);
    for (int32_t j = 0; j < d->n_cols; j++)
        d_gamma[j] = (float)sum[j];
}

static void test_forward(void **state)
{
    static const int32_t rows[] = {5, 0, 2, 6};
    enum { N = 4 };
    double mean[MOST], variance[MOST], want_mean, want_variance;
    float mean_f[MOST], inverse[MOST];

    (void)state;
    for (size_t w = 0; w < N_WIDTHS; w++) {
        struct mat z = random_mat(ROWS, widths[w], 1), y = random_mat(N, widths[w], 2);
        struct mat x = random_mat(N, widths[w], 3), again = random_mat(N, widths[w], 4);
        struct mat gamma = random_mat(1, widths[w], 5);

        measure(mean, variance, &z, rows, N);
        for (int32_t j = 0; j < widths[w]; j++) {
            mean_f[j] = (float)mean[j];
            inverse[j] = (float)(1 / sqrt(variance[j] + BATCHNORM_EPSILON));
        }
        batchnorm_apply(&y, &x, &z, rows, mean_f, inverse, gamma.v);
        batchnorm_apply(&again, NULL, &z, rows, mean_f, inverse, gamma.v);
        assert_memory_equal(y.v, again.v, (size_t)mat_size(&y) * sizeof *y.v);
        for (int32_t j = 0; j < widths[w]; j++) {
            plain_moments(&want_mean, &want_variance, &z, rows, N, j);
            assert_close(mean[j], want_mean);
            assert_close(variance[j], want_variance);
            for (int32_t i = 0; i < N; i++) {
                double want =
                    ((double)mat_row(&z, rows[i])[j] - want_mean) / sqrt(want_variance + 1e-5);

                assert_close((double)mat_row(&x, i)[j], want);
                assert_close((double)mat_row(&y, i)[j], (double)gamma.v[j] * want);
            }
        }
        mat_release(&z), mat_release(&y), mat_release(&x), mat_release(&again), mat_release(&gamma);
    }
}

/* sum of weight * gamma (z - mean) / sd, as a function of z and gamma. */
static double objective(const struct mat *z, const struct mat *weight, const double *gamma)
{
    int32_t rows[ROWS];
    double sum = 0, mean, variance;

    for (int32_t i = 0; i < ROWS; i++)
        rows[i] = i;
    for (int32_t j = 0; j < z->n_cols; j++) {
        plain_moments(&mean, &variance, z, rows, ROWS, j);
        for (int32_t i = 0; i < ROWS; i++)
            sum += (double)mat_row(weight, i)[j] * gamma[j] * ((double)mat_row(z, i)[j] - mean) /
                   sqrt(variance + 1e-5);
    }
    return sum;
}

static void check_element(const struct mat *d, struct mat *z, const struct mat *weight,
                          const double *gamma, int64_t at)
{
    float kept = z->v[at], step = 0.0078125f;
    double up, down;

    z->v[at] = kept + step;
    up = objective(z, weight, gamma);
    z->v[at] = kept - step;
    down = objective(z, weight, gamma);
    z->v[at] = kept;
    assert_true(fabs((double)d->v[at] - (up - down) / (2 * (double)step)) < 2e-3);
}

static void test_back(void **state)
{
    enum { W = 5 };
    struct mat z = random_mat(ROWS, W, 1), weight = random_mat(ROWS, W, 2);
    struct mat y = random_mat(ROWS, W, 3), x = random_mat(ROWS, W, 3), d = random_mat(ROWS, W, 2);
    struct mat gamma = random_mat(1, W, 5);
    double mean[W], variance[W], gamma_d[W];
    float mean_f[W], inverse[W], d_sum[W], d_gamma[W];

    (void)state;
    measure(mean, variance, &z, NULL, ROWS);
    for (int32_t j = 0; j < W; j++) {
        gamma_d[j] = (double)gamma.v[j];
        mean_f[j] = (float)mean[j];
        inverse[j] = (float)(1 / sqrt(variance[j] + BATCHNORM_EPSILON));
    }
    batchnorm_apply(&y, &x, &z, NULL, mean_f, inverse, gamma.v);
    find_slopes(d_gamma, d_sum, &d, &x);
    for (int32_t begin = 0; begin < ROWS; begin += 2) { /* as parts of the batch */
        struct mat part = mat_view(mat_row(&d, begin), begin + 2 < ROWS ? 2 : ROWS - begin, W);
        struct mat part_x = mat_view(mat_row(&x, begin), part.n_rows, W);

        batchnorm_back(&part, d_gamma, d_sum, ROWS, &part_x, inverse, gamma.v);
    }
    for (int64_t i = 0; i < mat_size(&z); i++)
        check_element(&d, &z, &weight, gamma_d, i);
    for (int32_t j = 0; j < W; j++) {
        double whole = objective(&z, &weight, gamma_d);

        gamma_d[j] += 1;
        assert_close((double)d_gamma[j], objective(&z, &weight, gamma_d) - whole);
        gamma_d[j] -= 1;
    }
    mat_release(&z), mat_release(&weight), mat_release(&y), mat_release(&x), mat_release(&d);
    mat_release(&gamma);
}

static void test_remember(void **state)
{
    double mean[] = {3}, variance[] = {8};
    float running_mean[] = {1}, running_variance[] = {2};

    (void)state;
    batchnorm_remember(running_mean, running_variance, mean, variance, 5, 1);
    assert_close((double)running_mean[0], 0.9 * 1 + 0.1 * 3);
    assert_close((double)running_variance[0], 0.9 * 2 + 0.1 * 10);
    batchnorm_remember(running_mean, running_variance, mean, variance, 1, 1);
    assert_close((double)running_mean[0], 0.9 * 1.2 + 0.1 * 3);
    assert_close((double)running_variance[0], 2.8);
}

/* One row equals its mean: output and gradient are 0. */
static void test_one_row(void **state)
{
    float z[] = {0.1f, -7}, mean_f[2], inverse[2], gamma[] = {2, 3}, d[] = {5, 6}, d_gamma[2];
    float d_sum[2], x[2];
    struct mat z_mat = mat_view(z, 1, 2), x_mat = mat_view(x, 1, 2), d_mat = mat_view(d, 1, 2);
    double mean[2], variance[2];

    (void)state;
    measure(mean, variance, &z_mat, NULL, 1);
    for (int j = 0; j < 2; j++) {
        mean_f[j] = (float)mean[j];
        inverse[j] = (float)(1 / sqrt(variance[j] + BATCHNORM_EPSILON));
    }
    batchnorm_apply(&z_mat, &x_mat, &z_mat, NULL, mean_f, inverse, gamma);
    find_slopes(d_gamma, d_sum, &d_mat, &x_mat);
    batchnorm_back(&d_mat, d_gamma, d_sum, 1, &x_mat, inverse, gamma);
    for (int j = 0; j < 2; j++)
        assert_true(z[j] == 0 && x[j] == 0 && d[j] == 0 && d_gamma[j] == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forward),
        cmocka_unit_test(test_back),
        cmocka_unit_test(test_remember),
        cmocka_unit_test(test_one_row),
    };

    return cmocka_run_group_tests_name("batchnorm", tests, NULL, NULL);
}
