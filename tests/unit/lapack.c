/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "base/rng.h"
#include "tensor/gemm.h"
#include "tensor/lapack.h"
#include "unit.h"

enum { MAX_N = 40 };

/* Symmetric. If only the lower triangle may be read, entries above the diagonal are NaN. */
static void fill(double a[MAX_N][MAX_N], double *lower, int32_t n)
{
    struct rng rng;

    rng_init(&rng, hash_text("lapack"), RNG_SIMULATE);
    for (int32_t i = 0; i < n; i++)
        for (int32_t j = 0; j <= i; j++) {
            a[i][j] = a[j][i] = rng_normal(&rng, (uint32_t)n, (uint32_t)(i * n + j));
            lower[j * n + i] = NAN;
            lower[i * n + j] = a[i][j];
        }
}

/* One Jacobi rotation: a[p][q] becomes 0. */
static void rotate(double a[MAX_N][MAX_N], int32_t n, int32_t p, int32_t q)
{
    double theta = atan2(2 * a[p][q], a[q][q] - a[p][p]) / 2;
    double c = cos(theta), s = sin(theta);

    for (int32_t i = 0; i < n; i++) {
        double x = a[i][p], y = a[i][q];

        a[i][p] = c * x - s * y;
        a[i][q] = s * x + c * y;
    }
    for (int32_t i = 0; i < n; i++) {
        double x = a[p][i], y = a[q][i];

        a[p][i] = c * x - s * y;
        a[q][i] = s * x + c * y;
    }
}

/* The twin leaves the eigenvalues on the diagonal of a. */
static void jacobi(double *values, double a[MAX_N][MAX_N], int32_t n)
{
    for (int sweep = 0; sweep < 30; sweep++)
        for (int32_t p = 0; p < n; p++)
            for (int32_t q = p + 1; q < n; q++)
                rotate(a, n, p, q);
    for (int32_t i = 0; i < n; i++)
        values[i] = a[i][i];
    for (int32_t i = 0; i < n; i++)
        for (int32_t j = i + 1; j < n; j++)
            if (values[j] > values[i]) {
                double v = values[i];

                values[i] = values[j];
                values[j] = v;
            }
}

static double dot(const double *x, const double *y, int32_t n)
{
    double sum = 0;

    for (int32_t i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

static void check(int32_t n, int32_t k)
{
    double a[MAX_N][MAX_N], rotated[MAX_N][MAX_N];
    double lower[MAX_N * MAX_N], want[MAX_N], values[MAX_N], vectors[MAX_N * MAX_N];

    fill(a, lower, n);
    memcpy(rotated, a, sizeof a);
    jacobi(want, rotated, n);
    assert_int_equal(lapack_eigen_leading(values, vectors, lower, n, k, NULL), 0);
    for (int32_t c = 0; c < k; c++) {
        const double *v = vectors + c * n;
        double largest = 0;

        assert_true(fabs(values[c] - want[c]) < 1e-10);
        for (int32_t i = 0; i < n; i++) {
            assert_true(fabs(dot(a[i], v, n) - values[c] * v[i]) < 1e-10);
            largest = fabs(v[i]) > fabs(largest) ? v[i] : largest;
        }
        assert_true(largest > 0);
        for (int32_t other = 0; other <= c; other++)
            assert_true(fabs(dot(v, vectors + other * n, n) - (other == c)) < 1e-10);
    }
}

static void test_leading(void **state)
{
    (void)state;
    gemm_set_threads(1);
    check(1, 1);
    check(2, 1);
    check(2, 2);
    check(7, 3);
    check(MAX_N, MAX_N);
    check(MAX_N, 9);
    check(MAX_N, 1);
}

/* Among entries of equal size, the first is positive. */
static void test_sign_of_ties(void **state)
{
    double a[4] = {2, NAN, 1, 2}, values[2], vectors[4];
    double root = sqrt(0.5);

    (void)state;
    assert_int_equal(lapack_eigen_leading(values, vectors, a, 2, 2, NULL), 0);
    assert_true(fabs(values[0] - 3) < 1e-14 && fabs(values[1] - 1) < 1e-14);
    assert_true(fabs(vectors[0] - root) < 1e-14 && fabs(vectors[1] - root) < 1e-14);
    assert_true(fabs(vectors[2] - root) < 1e-14 && fabs(vectors[3] + root) < 1e-14);
}

static void test_nothing(void **state)
{
    double a[9] = {0}, values[3], vectors[9];

    (void)state;
    assert_int_equal(lapack_eigen_leading(values, vectors, a, 3, 3, NULL), 0);
    for (int i = 0; i < 3; i++)
        assert_true(values[i] == 0);
}

/* Both forms, over two panels. The upper triangle must not change. */
static void test_gram(void **state)
{
    enum { N = 9, K = 21 };
    double a[N * K], c[N * N], transposed[N * N];
    struct rng rng;

    (void)state;
    rng_init(&rng, hash_text("gram"), RNG_SIMULATE);
    for (int i = 0; i < N * K; i++)
        a[i] = rng_normal(&rng, 0, (uint32_t)i);
    for (int i = 0; i < N * N; i++)
        c[i] = transposed[i] = 100;
    gemm_gram(c, N, a, K, false);
    gemm_gram(transposed, N, a, K - 5, true);
    gemm_gram(transposed, N, a + (K - 5) * N, 5, true);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            double rows = 100, columns = 100;

            for (int k = 0; k < K && j <= i; k++) {
                rows += a[i * K + k] * a[j * K + k];
                columns += a[k * N + i] * a[k * N + j];
            }
            assert_true(fabs(c[i * N + j] - rows) < 1e-12);
            assert_true(fabs(transposed[i * N + j] - columns) < 1e-12);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_leading),
        cmocka_unit_test(test_sign_of_ties),
        cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_gram),
    };

    return cmocka_run_group_tests_name("lapack", tests, NULL, NULL);
}
