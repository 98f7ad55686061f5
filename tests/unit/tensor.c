/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "base/rng.h"
#include "symmetric.h"
#include "tensor/bucket_sort.h"
#include "tensor/csr.h"
#include "tensor/gemm.h"
#include "tensor/mat.h"
#include "tensor/spmm.h"
#include "unit.h"

static void fill(struct mat *m, uint32_t step)
{
    struct rng rng;

    rng_init(&rng, hash_text("tensor"), RNG_SIMULATE);
    for (int64_t i = 0; i < mat_size(m); i++)
        m->v[i] = (float)rng_normal(&rng, step, (uint32_t)i);
}

static double entry(const struct mat *m, bool transposed, int32_t i, int32_t j)
{
    return transposed ? mat_row(m, j)[i] : mat_row(m, i)[j];
}

/* The twin of the three products: a triple loop in double. before: what it was added to, or NULL. */
static void check_product(const struct mat *c, const struct mat *before, const struct mat *a,
                          bool a_transposed, const struct mat *b, bool b_transposed, int32_t inner)
{
    for (int32_t i = 0; i < c->n_rows; i++)
        for (int32_t j = 0; j < c->n_cols; j++) {
            double sum = before ? (double)mat_row(before, i)[j] : 0;

            for (int32_t k = 0; k < inner; k++)
                sum += entry(a, a_transposed, i, k) * entry(b, b_transposed, k, j);
            assert_true(fabs(mat_row(c, i)[j] - sum) < 1e-4);
        }
}

static void check_products(int32_t m, int32_t n, int32_t k)
{
    struct mat a, at, b, bt, c, before;

    assert_int_equal(mat_init(&a, m, k, NULL), 0);
    assert_int_equal(mat_init(&at, k, m, NULL), 0);
    assert_int_equal(mat_init(&b, k, n, NULL), 0);
    assert_int_equal(mat_init(&bt, n, k, NULL), 0);
    assert_int_equal(mat_init(&c, m, n, NULL), 0);
    assert_int_equal(mat_init(&before, m, n, NULL), 0);
    fill(&a, 1), fill(&at, 2), fill(&b, 3), fill(&bt, 4), fill(&before, 5), fill(&c, 5);
    gemm_tn(&c, &at, &b, true);
    check_product(&c, &before, &at, true, &b, false, k);
    gemm_tn(&c, &at, &b, false);
    check_product(&c, NULL, &at, true, &b, false, k);
    gemm(&c, &a, &b);
    check_product(&c, NULL, &a, false, &b, false, k);
    gemm_nt(&c, &a, &bt);
    check_product(&c, NULL, &a, false, &bt, true, k);
    mat_release(&a), mat_release(&at), mat_release(&b);
    mat_release(&bt), mat_release(&c), mat_release(&before);
}

static void test_gemm(void **state)
{
    static const int32_t shapes[][3] = {{1, 1, 1},   {3, 5, 7}, {17, 33, 9},
                                        {40, 1, 64}, {5, 6, 0}, {5, 1, 0}};

    (void)state;
    gemm_set_threads(1);
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        check_products(shapes[s][0], shapes[s][1], shapes[s][2]);
    assert_non_null(strstr(gemm_library(), "OpenBLAS"));
    assert_true(strlen(gemm_kernel()) > 0);
}

/* Every remainder of rows, columns and the sum. */
static void test_tall(void **state)
{
    static const int32_t widths[] = {16, 32, 48, 64, 112}, depths[] = {1, 127, 128, 300};

    (void)state;
    if (!gemm_tall_is_able(16))
        skip();
    assert_false(gemm_tall_is_able(17));
    for (int32_t variant = 0; variant < 5 * 4 * 13; variant++) {
        gemm_set_threads(variant % 4 + 1);
        check_products(variant % 13 + 1, widths[variant / 13 % 5], depths[variant / 65]);
    }
}

/* Only the kernel for unknown processors is replaced. */
static void test_better_kernel(void **state)
{
    const char *better = gemm_better_kernel("Prescott");

    (void)state;
    assert_null(gemm_better_kernel("Haswell"));
    assert_null(gemm_better_kernel("SkylakeX"));
    if (gemm_tall_is_able(16))
        assert_true(!strcmp(better, "SkylakeX") || !strcmp(better, "Cooperlake"));
    else if (better)
        assert_string_equal(better, "Haswell");
    if (better)
        assert_null(gemm_better_kernel(better));
}

/* The bits of a row do not depend on the thread that computes it. */
static void test_threads(void **state)
{
    struct triplet t[900 * 3];
    struct mat x, y, again, w;
    struct csr a;

    (void)state;
    for (int32_t i = 0; i < 900 * 3; i++)
        t[i] = (struct triplet){i / 3, (i * 37 + i % 3 * 11) % 900, 0.1f * (float)(i % 19 + 1)};
    assert_int_equal(csr_from_triplets(&a, 900, 900, t, 900 * 3, NULL), 0);
    assert_int_equal(mat_init(&x, 900, 48, NULL), 0);
    assert_int_equal(mat_init(&y, 900, 48, NULL), 0);
    assert_int_equal(mat_init(&again, 900, 48, NULL), 0);
    assert_int_equal(mat_init(&w, 48, 48, NULL), 0);
    fill(&x, 1), fill(&w, 2);
    for (int threads = 1; threads <= 5; threads += 2) {
        gemm_set_threads(threads);
        spmm(threads == 1 ? &y : &again, &a, NULL, &x, NULL);
        if (threads > 1)
            assert_memory_equal(again.v, y.v, (size_t)mat_size(&y) * sizeof *y.v);
    }
    if (gemm_tall_is_able(48)) {
        gemm_set_threads(1);
        gemm(&y, &x, &w);
        gemm_set_threads(7);
        gemm(&again, &x, &w);
        assert_memory_equal(again.v, y.v, (size_t)mat_size(&y) * sizeof *y.v);
        gemm_set_threads(1);
        gemm_nt(&y, &x, &w);
        gemm_set_threads(7);
        gemm_nt(&again, &x, &w);
        assert_memory_equal(again.v, y.v, (size_t)mat_size(&y) * sizeof *y.v);
    }
    gemm_set_threads(1);
    csr_release(&a);
    mat_release(&x), mat_release(&y), mat_release(&again), mat_release(&w);
}

static void test_mat(void **state)
{
    struct mat m;

    (void)state;
    assert_int_equal(mat_init(&m, 3, 5, NULL), 0);
    assert_int_equal((uintptr_t)m.v % 64, 0);
    assert_true(m.v[14] == 0);
    assert_ptr_equal(mat_row(&m, 2), m.v + 10);
    mat_release(&m);
    mat_release(&m);
    assert_int_equal(mat_size(&m), 0);
}

static void test_csr_from_triplets(void **state)
{
    struct triplet t[] = {{3, 1, 1}, {0, 2, 5}, {3, 0, 2}, {0, 2, -1}, {3, 1, 0.5f}};
    struct csr a;
    struct err err;

    (void)state;
    assert_int_equal(csr_from_triplets(&a, 5, 3, t, 5, &err), 0);
    assert_true(has_sound_rows(&a));
    assert_int_equal(csr_nnz(&a), 3);
    assert_int_equal(a.row_start[1], 1);
    assert_int_equal(a.row_start[3], 1);
    assert_int_equal(a.row_start[4], 3);
    assert_int_equal(a.row_start[5], 3);
    assert_true(a.val[0] == 4 && a.val[1] == 2 && a.val[2] == 1.5f);
    csr_release(&a);
    csr_release(&a);
    assert_int_equal(csr_from_triplets(&a, 2, 2, NULL, 0, &err), 0);
    assert_true(has_sound_rows(&a));
    csr_release(&a);
}

/* About one entry in four, symmetric, some rows empty, some loops. */
static void random_graph(struct csr *a, int32_t n)
{
    struct triplet *t = malloc((size_t)n * (size_t)n * sizeof *t);
    int64_t count = 0;
    struct rng rng;

    rng_init(&rng, hash_text("graph"), RNG_SIMULATE);
    assert_non_null(t);
    for (int32_t i = 0; i < n; i++)
        for (int32_t j = i; j < n; j++) {
            double u = rng_uniform(&rng, (uint32_t)i, (uint32_t)j);

            if (u > 0.25 || i % 5 == 4 || j % 5 == 4)
                continue;
            t[count++] = (struct triplet){i, j, (float)(u + 0.1)};
            if (j != i)
                t[count++] = (struct triplet){j, i, (float)(u + 0.1)};
        }
    assert_int_equal(csr_from_triplets(a, n, n, t, count, NULL), 0);
    free(t);
}

static void to_dense(struct mat *m, const struct csr *a)
{
    assert_int_equal(mat_init(m, a->n_rows, a->n_cols, NULL), 0);
    for (int32_t r = 0; r < a->n_rows; r++)
        for (int64_t e = a->row_start[r]; e < a->row_start[r + 1]; e++)
            mat_row(m, r)[a->col[e]] += a->val[e];
}

static void random_csr(struct csr *a, struct mat *twin, int32_t n_rows, int32_t n_cols, int every)
{
    struct triplet *t = calloc((size_t)n_rows * (size_t)n_cols, sizeof *t);
    int64_t n = 0;

    assert_int_equal(mat_init(twin, n_rows, n_cols, NULL), 0);
    fill(twin, (uint32_t)every);
    for (int32_t i = 0; i < n_rows; i++)
        for (int32_t j = 0; j < n_cols; j++) {
            if ((i * 31 + j * 17 + i * j) % every)
                mat_row(twin, i)[j] = 0;
            else
                t[n++] = (struct triplet){i, j, mat_row(twin, i)[j]};
        }
    assert_int_equal(csr_from_triplets(a, n_rows, n_cols, t, n, NULL), 0);
    free(t);
}

static void test_csr_multiply(void **state)
{
    struct csr a, b, c;
    struct mat a_twin, b_twin;
    int64_t nnz = 0, n_due = 0;

    (void)state;
    random_csr(&a, &a_twin, 23, 31, 4);
    random_csr(&b, &b_twin, 31, 19, 7);
    assert_int_equal(csr_count_product(&nnz, &a, &b, NULL), 0);
    assert_int_equal(csr_multiply(&c, &a, &b, nnz, NULL), 0);
    assert_true(has_sound_rows(&c));
    for (int32_t i = 0; i < 23; i++)
        for (int32_t j = 0; j < 19; j++) {
            double sum = 0, got = 0;
            bool is_there = false, is_due = false;

            for (int32_t k = 0; k < 31; k++) {
                sum += (double)mat_row(&a_twin, i)[k] * (double)mat_row(&b_twin, k)[j];
                is_due |= mat_row(&a_twin, i)[k] != 0 && mat_row(&b_twin, k)[j] != 0;
            }
            for (int64_t e = c.row_start[i]; e < c.row_start[i + 1]; e++)
                if (c.col[e] == j) {
                    got = (double)c.val[e];
                    is_there = true;
                }
            assert_int_equal(is_there, is_due);
            assert_true(fabs(got - sum) < 1e-5);
            n_due += is_due;
        }
    assert_int_equal(n_due, nnz);
    csr_release(&a), csr_release(&b), csr_release(&c);
    mat_release(&a_twin), mat_release(&b_twin);
}

static void test_csr_transpose(void **state)
{
    struct triplet t[] = {{0, 0, 1}, {0, 2, 2}, {2, 1, 3}, {2, 2, 4}, {3, 0, 5}};
    struct csr a, b;
    struct mat dense, dense_t;

    (void)state;
    assert_int_equal(csr_from_triplets(&a, 4, 3, t, 5, NULL), 0);
    assert_int_equal(csr_transpose(&b, &a, NULL), 0);
    assert_true(has_sound_rows(&b));
    to_dense(&dense, &a);
    to_dense(&dense_t, &b);
    for (int32_t i = 0; i < 4; i++)
        for (int32_t j = 0; j < 3; j++)
            assert_true(mat_row(&dense, i)[j] == mat_row(&dense_t, j)[i]);
    assert_false(is_symmetric(&a));
    mat_release(&dense), mat_release(&dense_t);
    csr_release(&a), csr_release(&b);
}

/* The twin is the formula on dense matrices. */
static void test_csr_normalize(void **state)
{
    enum { N = 23 };
    struct csr a, a_hat;
    struct mat with_loops, found;
    double degree[N] = {0};

    (void)state;
    random_graph(&a, N);
    assert_int_equal(csr_normalize(&a_hat, &a, NULL), 0);
    assert_true(has_sound_rows(&a_hat));
    assert_true(is_symmetric(&a_hat));
    to_dense(&with_loops, &a);
    to_dense(&found, &a_hat);
    for (int32_t i = 0; i < N; i++) {
        mat_row(&with_loops, i)[i] = 1;
        for (int32_t j = 0; j < N; j++)
            degree[i] += mat_row(&with_loops, i)[j];
    }
    for (int32_t i = 0; i < N; i++)
        for (int32_t j = 0; j < N; j++) {
            double want = mat_row(&with_loops, i)[j] / sqrt(degree[i] * degree[j]);

            assert_true(fabs(mat_row(&found, i)[j] - want) < 1e-6);
        }
    mat_release(&with_loops), mat_release(&found);
    csr_release(&a), csr_release(&a_hat);
}

struct item {
    int32_t key, second;
    int64_t place;
};

static int compare_items(const void *left, const void *right)
{
    const struct item *a = left, *b = right;

    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    if (a->second != b->second)
        return a->second < b->second ? -1 : 1;
    return (a->place > b->place) - (a->place < b->place);
}

/* The twin is qsort(). Few keys make large buckets. */
static void check_sort(size_t n, double n_keys)
{
    struct item *items = malloc((n + 1) * sizeof *items), *twin = malloc((n + 1) * sizeof *twin);
    struct rng rng;

    assert_true(items && twin);
    rng_init(&rng, hash_text("sort"), RNG_SIMULATE);
    for (size_t i = 0; i < n; i++)
        items[i] =
            (struct item){(int32_t)(n_keys * rng_uniform(&rng, 1, (uint32_t)i)),
                          (int32_t)(3 * rng_uniform(&rng, 2, (uint32_t)i)) - 1, (int64_t)(n - i)};
    memcpy(twin, items, n * sizeof *items);
    bucket_sort(items, n, sizeof *items, compare_items);
    qsort(twin, n, sizeof *twin, compare_items);
    assert_memory_equal(items, twin, n * sizeof *items);
    bucket_sort(items, n, sizeof *items, compare_items);
    assert_memory_equal(items, twin, n * sizeof *items);
    free(items);
    free(twin);
}

static void test_bucket_sort(void **state)
{
    (void)state;
    check_sort(0, 1);
    check_sort(1, 5);
    check_sort(1000, 1);
    check_sort(1000, 7);
    check_sort(1000, 100000);
    check_sort(20000, 1000);
    bucket_sort(NULL, 0, sizeof(struct item), compare_items);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mat),
        cmocka_unit_test(test_gemm),
        cmocka_unit_test(test_better_kernel),
        cmocka_unit_test(test_tall),
        cmocka_unit_test(test_csr_from_triplets),
        cmocka_unit_test(test_csr_transpose),
        cmocka_unit_test(test_csr_multiply),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_csr_normalize),
        cmocka_unit_test(test_bucket_sort),
    };

    return cmocka_run_group_tests_name("tensor", tests, NULL, NULL);
}
