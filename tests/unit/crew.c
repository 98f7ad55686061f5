/* SPDX-License-Identifier: BSD-3-Clause */
#include "gcn/crew.h"
#include "base/arena.h"
#include "random.h"
#include "unit.h"

static const int32_t crew_sizes[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 16, 17, 31, 1023, 1024};
#define N_SIZES (sizeof crew_sizes / sizeof *crew_sizes)

static float *random_parts(int32_t n_workers, size_t stride)
{
    size_t n = (size_t)n_workers * stride;
    float *parts = malloc(n * sizeof *parts);

    assert_non_null(parts);
    for (size_t i = 0; i < n; i++)
        parts[i] = number((uint32_t)n_workers, (int64_t)i);
    return parts;
}

/* The definition in crew.h, level by level. */
static float sum_levels(const float *parts, size_t stride, int32_t n)
{
    float node[1024] = {0};

    for (int32_t w = 0; w < n; w++)
        node[w] = parts[(size_t)w * stride];
    for (; n > 1; n = (n + 1) / 2)
        for (int32_t i = 0; i < (n + 1) / 2; i++)
            node[i] = 2 * i + 1 < n ? node[2 * i] + node[2 * i + 1] : node[2 * i];
    return node[0];
}

static double sum_levels_of_doubles(const double *parts, size_t stride, int32_t n)
{
    double node[1024] = {0};

    for (int32_t w = 0; w < n; w++)
        node[w] = parts[(size_t)w * stride];
    for (; n > 1; n = (n + 1) / 2)
        for (int32_t i = 0; i < (n + 1) / 2; i++)
            node[i] = 2 * i + 1 < n ? node[2 * i] + node[2 * i + 1] : node[2 * i];
    return node[0];
}

static void test_tree(void **state)
{
    static const size_t counts[] = {1, 7, 511, 512, 513, 1100};

    (void)state;
    for (size_t s = 0; s < N_SIZES; s++)
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
            size_t stride = counts[c] + c % 2;
            float *parts = random_parts(crew_sizes[s], stride), out[1100];

            crew_tree_sum(out, parts, stride, crew_sizes[s], counts[c]);
            for (size_t i = 0; i < counts[c]; i++)
                assert_true(out[i] == sum_levels(parts + i, stride, crew_sizes[s]));
            free(parts);
        }
}

static void test_tree_of_doubles(void **state)
{
    (void)state;
    for (size_t s = 0; s < N_SIZES; s++) {
        enum { COUNT = 3, STRIDE = 4 };
        int32_t n = crew_sizes[s];
        float *numbers = random_parts(n, STRIDE);
        double parts[1024 * STRIDE], out[COUNT];

        for (int32_t i = 0; i < n * STRIDE; i++)
            parts[i] = (double)numbers[i] / 3;
        crew_tree_sum_doubles(out, parts, STRIDE, n, COUNT);
        for (size_t i = 0; i < COUNT; i++)
            assert_true(out[i] == sum_levels_of_doubles(parts + i, STRIDE, n));
        free(numbers);
    }
}

/* Rows added in order would give another sum. */
static void test_tree_is_no_chain(void **state)
{
    const float parts[] = {1, 1e-8f, 5e-8f, 5e-8f, 5e-8f};
    float out, chain = 0;

    (void)state;
    for (int w = 0; w < 5; w++)
        chain += parts[w];
    crew_tree_sum(&out, parts, 1, 5, 1);
    assert_true(chain == 1);
    assert_true(out > 1);
}

static void test_alone(void **state)
{
    enum { W = 3, COUNT = 5 };
    struct arena arena = {0};
    struct crew_alone alone;
    struct crew *crew = &alone.crew;
    struct err err;
    float *parts, *common, total[COUNT] = {-1, -1, -1, -1, -1};
    double few[2], few_parts[W][2] = {{1, 2}, {3, 4}, {5, 6}};

    (void)state;
    crew_alone_init(&alone, W, &arena);
    assert_int_equal(crew->n_workers, W);
    assert_int_equal(crew->first, 0);
    assert_int_equal(crew->n, W);
    parts = crew->calls->take_parts(crew, COUNT, &err);
    common = crew->calls->take_common(crew, COUNT, &err);
    assert_non_null(parts);
    assert_non_null(common);
    for (int i = 0; i < W * COUNT; i++) {
        assert_true(parts[i] == 0);
        parts[i] = (float)i;
    }
    crew->calls->sum(crew, total, parts, COUNT, 1, 4);
    assert_true(total[0] == -1 && total[4] == -1);
    for (int i = 1; i < 4; i++)
        assert_true(total[i] == (float)(3 * i + 3 * COUNT));
    crew->calls->sum_few(crew, few, *few_parts, 2);
    assert_true(few[0] == 9 && few[1] == 12);
    crew->calls->share(crew, common, (const size_t[]){0, 2, 4, 5});
    assert_true(crew->calls->agree(crew, true, hash_text("a")));
    assert_false(crew->calls->agree(crew, false, hash_text("b")));
    assert_false(crew->has_failed);
    arena_release(&arena);
}

static void test_alone_without_memory(void **state)
{
    struct arena arena = {0};
    struct crew_alone alone;
    struct err err;

    (void)state;
    crew_alone_init(&alone, 2, &arena);
    assert_null(alone.crew.calls->take_parts(&alone.crew, SIZE_MAX / 4, &err));
    assert_non_null(strstr(err.text, "out of memory (sums over workers"));
    assert_null(alone.crew.calls->take_common(&alone.crew, SIZE_MAX, &err));
    arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tree),
        cmocka_unit_test(test_tree_of_doubles),
        cmocka_unit_test(test_tree_is_no_chain),
        cmocka_unit_test(test_alone),
        cmocka_unit_test(test_alone_without_memory),
    };

    return cmocka_run_group_tests_name("crew", tests, NULL, NULL);
}
