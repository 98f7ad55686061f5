/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/core/duplicates.h"
#include "data/core/builder.h"
#include "unit.h"

#define N 8

static void make(struct dataset *d, const int8_t *dosage, const float *features)
{
    static const char *const ids[N] = {"a", "b", "c", "d", "e", "f", "g", "h"};
    static const float target[N] = {1, 2, 3, 4, 5, 6, 7, 8};
    struct draft draft = {.n_samples = N,
                          .n_features = 3,
                          .dosage = dosage,
                          .features = features,
                          .target = target,
                          .ids = ids};
    struct err err = {""};

    if (draft_build(d, &draft, &err) != 0)
        fail_msg("%s", err.text);
}

#define M DOSAGE_MISSING
static const int8_t panel[N * 3] = {0, 1, 2, 2, 2, 0, 0, 1, 2, 1, M, 1,
                                    2, 2, 0, 1, 1, 1, 0, 1, 2, 1, M, 1};
static const int32_t members[] = {0, 2, 6, 1, 4, 3, 7};

static void check_sets(const struct dataset *d)
{
    static const int32_t start[] = {0, 3, 5, 7};
    struct duplicates dup;
    struct err err;

    assert_int_equal(duplicates_find(&dup, d, &err), 0);
    assert_int_equal(dup.n_sets, 3);
    assert_int_equal(dup.n_members, 7);
    assert_memory_equal(dup.start, start, sizeof start);
    assert_memory_equal(dup.member, members, sizeof members);
    duplicates_release(&dup);
    duplicates_release(&dup);
}

static void test_sets(void **state)
{
    float features[N * 3];
    struct dataset d;

    (void)state;
    make(&d, panel, NULL);
    check_sets(&d);
    dataset_release(&d);
    for (int i = 0; i < N * 3; i++)
        features[i] = panel[i] == M ? 0.5f : (float)panel[i];
    make(&d, NULL, features);
    check_sets(&d);
    dataset_release(&d);
}

static void test_none(void **state)
{
    int8_t distinct[N * 3];
    struct duplicates dup;
    struct dataset d;
    struct err err;

    (void)state;
    for (int i = 0; i < N * 3; i++)
        distinct[i] = (int8_t)i;
    make(&d, distinct, NULL);
    assert_int_equal(duplicates_find(&dup, &d, &err), 0);
    assert_int_equal(dup.n_sets, 0);
    duplicates_release(&dup);
    dataset_release(&d);
}

static void test_straddling(void **state)
{
    static const int32_t apart[N] = {0, 1, 1, 2, 1, 0, 0, 2};
    static const int32_t together[N] = {0, 1, 0, -1, 1, 0, 0, 2};
    struct duplicates dup;
    struct dataset d;
    struct err err;

    (void)state;
    make(&d, panel, NULL);
    assert_int_equal(duplicates_find(&dup, &d, &err), 0);
    for (int32_t set = 0; set < 3; set++) {
        assert_int_equal(duplicates_straddles(&dup, set, apart), set == 0);
        assert_false(duplicates_straddles(&dup, set, together));
    }
    duplicates_release(&dup);
    dataset_release(&d);
}

/* Paths and a triangle, with nodes in different orders. */
static void test_graphs(void **state)
{
    static const int64_t start[] = {0, 3, 6, 9, 12, 15};
    static const int8_t dosage[] = {1, 0, 0, 0, 0, 1, 0, 1, 0, 1, 0, 0, 0, 1, 0};
    static const int32_t source[] = {0, 1, 3, 3, 6, 7, 9, 10, 12, 12, 13};
    static const int32_t target[] = {1, 2, 4, 5, 7, 8, 10, 11, 13, 14, 14};
    static const float weight[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    static const char *const ids[] = {"1", "2", "3", "4", "5"};
    static const float y[] = {1, 2, 3, 4, 5};
    struct draft draft = {.n_samples = 5,
                          .n_nodes = 15,
                          .n_features = 1,
                          .dosage = dosage,
                          .graph_start = start,
                          .n_edges = 11,
                          .edge_source = source,
                          .edge_target = target,
                          .edge_weight = weight,
                          .target = y,
                          .ids = ids};
    struct duplicates dup;
    struct dataset d;
    struct err err = {""};

    (void)state;
    /* 1-0-0; 0-0-1 with the middle first; 0-1-0; 1-0-0; a triangle */
    if (draft_build(&d, &draft, &err) != 0)
        fail_msg("%s", err.text);
    assert_int_equal(duplicates_find(&dup, &d, &err), 0);
    assert_int_equal(dup.n_sets, 1);
    assert_int_equal(dup.n_members, 3);
    assert_int_equal(dup.member[0], 0);
    assert_int_equal(dup.member[1], 1);
    assert_int_equal(dup.member[2], 3);
    duplicates_release(&dup);
    dataset_release(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sets),
        cmocka_unit_test(test_none),
        cmocka_unit_test(test_straddling),
        cmocka_unit_test(test_graphs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
