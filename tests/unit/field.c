/* SPDX-License-Identifier: BSD-3-Clause */
#include "gcn/receptive_field.h"
#include "unit.h"

enum { N = 50 };

/* A path 0 - 1 - ... - (N - 1), with self loops like A^. */
static void make_path(struct csr *a)
{
    struct triplet t[3 * N];
    int64_t n = 0;

    for (int32_t i = 0; i < N; i++) {
        t[n++] = (struct triplet){i, i, 1};
        if (i > 0)
            t[n++] = (struct triplet){i, i - 1, 1};
        if (i < N - 1)
            t[n++] = (struct triplet){i, i + 1, 1};
    }
    assert_int_equal(csr_from_triplets(a, N, N, t, n, NULL), 0);
}

static bool is_near(int32_t node, const int32_t *nodes, int32_t n, int32_t hops)
{
    for (int32_t i = 0; i < n; i++)
        if (node - nodes[i] <= hops && nodes[i] - node <= hops)
            return true;
    return false;
}

static void check_level(const struct receptive_field *field, int32_t l, const int32_t *nodes,
                        int32_t n, int32_t hops)
{
    const struct level *level = &field->level[l];
    int32_t place = 0;
    int64_t entries = 0;

    for (int32_t i = 0; i < N; i++) {
        if (!is_near(i, nodes, n, hops)) {
            assert_int_equal(level->pos[i], -1);
            continue;
        }
        assert_int_equal(level->pos[i], place);
        assert_int_equal(level->rows[place++], i);
        entries += i == 0 || i == N - 1 ? 2 : 3;
    }
    assert_int_equal(level->n, place);
    assert_int_equal(level->entries, entries);
    assert_ptr_equal(receptive_field_rows(field, l), level->rows);
    assert_ptr_equal(receptive_field_pos(field, l), level->pos);
}

/* Each level holds exactly what the level above needs. A second build forgets the first. */
static void test_levels(void **state)
{
    static const int32_t first[] = {49, 7, 20, 8}, second[] = {0, 30};
    struct arena arena = {0};
    struct receptive_field field;
    struct csr a;

    (void)state;
    make_path(&a);
    assert_int_equal(receptive_field_init(&field, N, 3, &arena, NULL), 0);
    receptive_field_build(&field, &a, first, 4);
    for (int32_t l = 0; l <= 3; l++)
        check_level(&field, l, first, 4, 3 - l);
    receptive_field_build(&field, &a, second, 2);
    for (int32_t l = 0; l <= 3; l++)
        check_level(&field, l, second, 2, 3 - l);
    arena_release(&arena);
    csr_release(&a);
}

/* A level of 46 of 50 nodes is rounded up to all, one of 45 is not; the batch never is. */
static void test_nearly_all(void **state)
{
    int32_t nodes[N];
    struct arena arena = {0};
    struct receptive_field field;
    struct csr a;

    (void)state;
    for (int32_t i = 0; i < N; i++)
        nodes[i] = i;
    make_path(&a);
    assert_int_equal(receptive_field_init(&field, N, 1, &arena, NULL), 0);
    receptive_field_build(&field, &a, nodes, 44);
    check_level(&field, 0, nodes, 44, 1);
    receptive_field_build(&field, &a, nodes, 45);
    check_level(&field, 1, nodes, 45, 0);
    assert_int_equal(field.level[0].n, N);
    assert_null(receptive_field_rows(&field, 0));
    assert_null(receptive_field_pos(&field, 0));
    for (int32_t i = 0; i < N; i++)
        assert_int_equal(field.level[0].rows[i], i);
    arena_release(&arena);
    csr_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_levels),
        cmocka_unit_test(test_nearly_all),
    };

    return cmocka_run_group_tests_name("field", tests, NULL, NULL);
}
