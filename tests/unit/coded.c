/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "base/rng.h"
#include "stride.h"
#include "tensor/coded.h"
#include "tensor/gemm.h"
#include "unit.h"

/* Column j has at most most[j % n_most] values. */
struct sample {
    struct mat x;
    int32_t fails_at; /* column whose read fails; -1: none */
};

static void sample_init(struct sample *s, int32_t n, int32_t f, const int *most, int n_most)
{
    static const float value[] = {-0.25f, 4, 1.75f, 0.0625f, 9};
    struct rng rng;

    s->fails_at = -1;
    rng_init(&rng, hash_text("coded"), RNG_SIMULATE);
    assert_int_equal(mat_init(&s->x, n, f, NULL), 0);
    for (int32_t i = 0; i < n; i++)
        for (int32_t j = 0; j < f; j++) {
            double u = rng_uniform(&rng, (uint32_t)i, (uint32_t)j);
            int at = (int)(u * most[j % n_most]);

            mat_row(&s->x, i)[j] = value[at] * (float)(1 + j % 3);
        }
}

static int read_columns(const void *self, struct mat *out, int32_t first, struct err *err)
{
    const struct sample *s = self;

    if (s->fails_at >= first && s->fails_at < first + out->n_cols)
        return err_set(err, "column %d", s->fails_at);
    for (int32_t i = 0; i < out->n_rows; i++)
        memcpy(mat_row(out, i), mat_row(&s->x, i) + first, (size_t)out->n_cols * sizeof(float));
    return 0;
}

static int code(struct coded *c, const struct sample *s, double most, struct err *err)
{
    struct coded_source source = {s->x.n_rows, s->x.n_cols, read_columns, s};

    int rc = coded_count(c, &source, most, err);

    return rc == 1 && coded_make(c, &source, err) ? -1 : rc;
}

static struct mat random_mat(int32_t n_rows, int32_t n_cols)
{
    struct rng rng;
    struct mat m;

    rng_init(&rng, hash_text("weights"), RNG_SIMULATE);
    assert_int_equal(mat_init(&m, n_rows, n_cols, NULL), 0);
    for (int64_t i = 0; i < mat_size(&m); i++)
        m.v[i] = (float)rng_normal(&rng, 0, (uint32_t)i);
    return m;
}

static void check_element(double got, double sum, double size)
{
    if (!(fabs(got - sum) <= 1e-6 * size + 1e-12))
        fail_msg("%.9g instead of %.9g", got, sum);
}

static void check_product(const struct coded *c, const struct sample *s, int32_t width)
{
    struct mat w = random_mat(s->x.n_cols, width);
    struct mat z = random_mat(s->x.n_rows, width); /* old contents must not matter */

    coded_product(&z, c, NULL, &w);
    for (int32_t i = 0; i < z.n_rows; i++)
        for (int32_t h = 0; h < width; h++) {
            double sum = 0, size = 0;

            for (int32_t j = 0; j < s->x.n_cols; j++) {
                double term = (double)mat_row(&s->x, i)[j] * (double)mat_row(&w, j)[h];

                sum += term;
                size += fabs(term);
            }
            check_element((double)mat_row(&z, i)[h], sum, size);
        }
    mat_release(&w);
    mat_release(&z);
}

/* The small matrix lacks every third row of the large one. */
static int32_t some_rows(int32_t *rows, int32_t *pos, int32_t n)
{
    int32_t kept = 0;

    for (int32_t i = 0; i < n; i++) {
        pos[i] = i % 3 == 1 ? -1 : kept;
        if (pos[i] >= 0)
            rows[kept++] = i;
    }
    return kept;
}

static void check_transposed(const struct coded *c, const struct sample *s, int32_t width,
                             bool is_part)
{
    int32_t *rows = calloc((size_t)s->x.n_rows, sizeof *rows);
    int32_t *pos = calloc((size_t)s->x.n_rows, sizeof *pos);
    int32_t n = some_rows(rows, pos, s->x.n_rows);
    struct mat g = random_mat(is_part ? n : s->x.n_rows, width);
    struct mat dw = random_mat(s->x.n_cols, width);

    coded_product_tn(&dw, c, &g, is_part ? pos : NULL, 0, c->n_rows);
    for (int32_t j = 0; j < dw.n_rows; j++)
        for (int32_t h = 0; h < width; h++) {
            double sum = 0, size = 0;

            for (int32_t i = 0; i < g.n_rows; i++) {
                double x = (double)mat_row(&s->x, is_part ? rows[i] : i)[j];

                sum += x * (double)mat_row(&g, i)[h];
                size += 10 * fabs((double)mat_row(&g, i)[h]);
            }
            check_element((double)mat_row(&dw, j)[h], sum, size);
        }
    free(rows);
    free(pos);
    mat_release(&g);
    mat_release(&dw);
}

static const int kinds[][3] = {{2, 2, 2}, {3, 3, 3}, {2, 3, 1}, {1, 2, 4}};
static const int32_t widths[] = {1, 7, 16, 17, 32, 48, 64, 75};

static void test_products(void **state)
{
    static const int32_t shapes[][2] = {{40, 37}, {203, 301}, {61, 600}};

    (void)state;
    gemm_set_threads(1);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
            struct sample s;
            struct coded c;

            sample_init(&s, shapes[i][0], shapes[i][1], kinds[k], 3);
            assert_int_equal(code(&c, &s, INFINITY, NULL), 1);
            for (size_t w = (k + i) % (size_t)test_stride(); w < sizeof widths / sizeof *widths;
                 w += (size_t)test_stride()) {
                check_product(&c, &s, widths[w]);
                check_transposed(&c, &s, widths[w], false);
                check_transposed(&c, &s, widths[w], true);
            }
            coded_release(&c);
            mat_release(&s.x);
        }
}

/* The bits of a row or column depend neither on the others nor on the threads. */
static void test_same_bits(void **state)
{
    struct sample s;
    struct coded c;
    struct mat w, z, part, g, dw, dw3;
    int32_t rows[70], pos[101];
    int32_t n;

    (void)state;
    sample_init(&s, 101, 233, kinds[2], 3);
    assert_int_equal(code(&c, &s, INFINITY, NULL), 1);
    w = random_mat(233, 75);
    g = random_mat(101, 75);
    z = random_mat(101, 75);
    dw = random_mat(233, 75);
    dw3 = random_mat(233, 75);
    n = some_rows(rows, pos, 101);
    part = random_mat(n, 75);
    gemm_set_threads(1);
    coded_product(&z, &c, NULL, &w);
    coded_product_tn(&dw, &c, &g, NULL, 0, c.n_rows);
    for (int threads = 1; threads <= 9; threads += 4) {
        gemm_set_threads(threads);
        coded_product(&part, &c, rows, &w);
        for (int32_t i = 0; i < n; i++)
            assert_memory_equal(mat_row(&part, i), mat_row(&z, rows[i]), 75 * sizeof(float));
        coded_product_tn(&dw3, &c, &g, NULL, 0, c.n_rows);
        assert_memory_equal(dw3.v, dw.v, (size_t)mat_size(&dw) * sizeof(float));
    }
    gemm_set_threads(1);
    coded_release(&c);
    mat_release(&s.x);
    mat_release(&w);
    mat_release(&z);
    mat_release(&part);
    mat_release(&g);
    mat_release(&dw);
    mat_release(&dw3);
}

/* Copied columns form larger groups, and every limit is the cheapest for some panel. */
static void test_linked_columns(void **state)
{
    int32_t panel_seen[CODED_ENTRIES / CODED_LEAST_LIMIT + 1] = {0};
    int n_seen = 0;

    (void)state;
    gemm_set_threads(1);
    for (int32_t every = 1; every <= 64; every *= 4) {
        struct sample s;
        struct coded c;

        sample_init(&s, every == 1 ? 1800 : 700, 320, kinds[0], 3);
        for (int32_t i = 0; i < s.x.n_rows; i++)
            for (int32_t j = 0; j < s.x.n_cols; j++) /* a few rows break the linkage */
                if (j % every && i % 89)
                    mat_row(&s.x, i)[j] = mat_row(&s.x, i)[j - j % every] * (float)(1 + j % 2);
        assert_int_equal(code(&c, &s, INFINITY, NULL), 1);
        check_product(&c, &s, 16);
        check_transposed(&c, &s, 70, true);
        n_seen += !panel_seen[c.panel]++;
        assert_true(every < 16 || c.n_groups < 320 / 16);
        coded_release(&c);
        mat_release(&s.x);
    }
    assert_true(n_seen >= 2);
}

static void test_not_made(void **state)
{
    struct sample s;
    struct coded c;
    struct err err;
    double cost;

    (void)state;
    sample_init(&s, 300, 600, kinds[0], 3);
    assert_int_equal(code(&c, &s, INFINITY, &err), 1);
    cost = coded_cost(&c, 300) + coded_cost_tn(&c);
    assert_true(cost > 300 * 600 / 5 && cost < 4.0 * 300 * 600);
    coded_release(&c);
    assert_int_equal(code(&c, &s, 0.999 * cost, &err), 0);
    assert_null(c.code);
    s.fails_at = 500;
    assert_int_equal(code(&c, &s, INFINITY, &err), -1);
    assert_string_equal(err.text, "column 500");
    s.fails_at = -1;
    for (int32_t i = 0; i < 300; i++)
        mat_row(&s.x, i)[17] = (float)(i % 256);
    assert_int_equal(code(&c, &s, INFINITY, &err), 1);
    check_product(&c, &s, 5);
    check_transposed(&c, &s, 5, false);
    coded_release(&c);
    mat_row(&s.x, 299)[17] = 256;
    assert_int_equal(code(&c, &s, INFINITY, &err), 0);
    mat_release(&s.x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_products),
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_linked_columns),
        cmocka_unit_test(test_not_made),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
