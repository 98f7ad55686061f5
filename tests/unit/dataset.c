/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "data/core/builder.h"
#include "symmetric.h"

static const char *const ids[] = {"a", "bb", "ccc"};
static const char *const feature_names[] = {"f", "g"};
static const char *const class_names[] = {"red", "blue"};
static const int32_t label[] = {1, -1, 0};
static const float target[] = {1.5f, NAN, -2};
static const float features[] = {1, 2, 3, 4, 5, 6};
static const int32_t edge_source[] = {0, 1};
static const int32_t edge_target[] = {2, 2};
static const float edge_weight[] = {1, 0.5f};
static const uint8_t part[] = {PART_TRAIN, PART_NONE, PART_TEST};

static struct draft dense_draft(void)
{
    return (struct draft){.n_samples = 3,
                          .n_features = 2,
                          .features = features,
                          .target = target,
                          .ids = ids,
                          .feature_names = feature_names};
}

/* The sweep of a program has no target. */
static void test_no_task(void **state)
{
    static const char *const files[] = {"a.py 12", "b.csv 34"};
    struct draft draft = {.n_features = 2, .feature_names = files};
    struct dataset d;
    struct err err;

    (void)state;
    if (draft_build(&d, &draft, &err))
        fail_msg("%s", err.text);
    assert_int_equal(d.task, TASK_NONE);
    assert_string_equal(task_name(d.task), "none");
    assert_int_equal(task_parse("none"), TASK_NONE);
    assert_int_equal(task_parse("nothing"), TASK_COUNT);
    assert_null(d.target);
    assert_null(d.label);
    assert_int_equal(dataset_count_labelled(&d), 0);
    assert_string_equal(dataset_feature_name(&d, 1), "b.csv 34");
    dataset_release(&d);
}

/* A row is longer than a vector, and each column has its own mean. */
#define WIDE 77
static int8_t dosage[3 * WIDE];

static struct draft dosage_draft(void)
{
    struct draft draft = dense_draft();

    for (int j = 0; j < WIDE; j++) {
        dosage[j] = (int8_t)(j % 5 ? j - 40 : DOSAGE_MISSING);
        dosage[WIDE + j] = (int8_t)(j % 2 ? DOSAGE_MAX : -DOSAGE_MAX);
        dosage[2 * WIDE + j] = (int8_t)(j % 7 ? j % 3 : DOSAGE_MISSING);
    }
    draft.n_features = WIDE;
    draft.features = NULL;
    draft.dosage = dosage;
    draft.feature_names = NULL;
    return draft;
}

/* Every section that the dense data set lacks. */
static struct draft sparse_draft(struct csr *a)
{
    static struct triplet triplets[] = {{0, 1, 1}, {2, 0, 2}, {2, 1, 3}};

    assert_int_equal(csr_from_triplets(a, 3, 2, triplets, 3, NULL), 0);
    return (struct draft){.n_samples = 3,
                          .n_features = 2,
                          .n_classes = 2,
                          .sparse = a,
                          .label = label,
                          .n_edges = 2,
                          .edge_source = edge_source,
                          .edge_target = edge_target,
                          .edge_weight = edge_weight,
                          .part = part,
                          .ids = ids,
                          .class_names = class_names};
}

static void build(struct dataset *d, const struct draft *draft)
{
    struct err err = {""};

    if (draft_build(d, draft, &err) != 0)
        fail_msg("%s", err.text);
}

static void test_dense(void **state)
{
    struct draft draft = dense_draft();
    struct dataset d;

    (void)state;
    build(&d, &draft);
    assert_int_equal((uintptr_t)d.block % 64, 0);
    assert_int_equal(d.n_samples, 3);
    assert_int_equal(d.task, TASK_REGRESSION);
    assert_false(d.is_sparse);
    assert_memory_equal(d.features.v, features, sizeof features);
    assert_int_equal((uintptr_t)d.features.v % 64, 0);
    assert_true(d.target[0] == 1.5f);
    assert_null(d.label);
    assert_null(d.part);
    assert_string_equal(dataset_id(&d, 2), "ccc");
    assert_string_equal(dataset_feature_name(&d, 1), "g");
    assert_true(dataset_is_labelled(&d, 0));
    assert_false(dataset_is_labelled(&d, 1));
    dataset_release(&d);
    dataset_release(&d);
}

static void test_sparse(void **state)
{
    struct csr a;
    struct draft draft = sparse_draft(&a);
    struct dataset d;

    (void)state;
    build(&d, &draft);
    assert_true(d.is_sparse);
    assert_true(has_sound_rows(&d.sparse_features));
    assert_int_equal(csr_nnz(&d.sparse_features), 3);
    assert_int_equal(d.task, TASK_CLASSIFICATION);
    assert_memory_equal(d.label, label, sizeof label);
    assert_string_equal(dataset_class_name(&d, 1), "blue");
    assert_string_equal(dataset_feature_name(&d, 1), "");
    assert_memory_equal(d.edge_target, edge_target, sizeof edge_target);
    assert_memory_equal(d.part, part, sizeof part);
    assert_false(dataset_is_labelled(&d, 1));
    dataset_release(&d);
    csr_release(&a);
}

static float reference_mean(int32_t j)
{
    double sum = 0;
    int32_t n = 0;

    for (int32_t i = 0; i < 3; i++)
        if (dosage[i * WIDE + j] != DOSAGE_MISSING) {
            sum += dosage[i * WIDE + j];
            n++;
        }
    return (float)(sum / n);
}

static float reference_value(int32_t i, int32_t j)
{
    int8_t v = dosage[i * WIDE + j];

    return v == DOSAGE_MISSING ? reference_mean(j) : (float)v;
}

static void check_decoded(const struct dataset *d, float (*wanted)(int32_t, int32_t))
{
    for (int32_t row = 0; row < d->n_samples; row++)
        for (int32_t col = 0; col < d->n_features; col += 3) {
            int32_t n_rows = d->n_samples - row, n_cols = d->n_features - col;
            struct mat out;

            n_cols -= col % 2 && n_cols > 9 ? 9 : 0;
            assert_int_equal(mat_init(&out, n_rows, n_cols, NULL), 0);
            dataset_decode(&out, d, row, col);
            for (int32_t i = 0; i < n_rows; i++)
                for (int32_t j = 0; j < n_cols; j++)
                    assert_true(mat_row(&out, i)[j] == wanted(row + i, col + j));
            mat_release(&out);
        }
}

static void test_dosage(void **state)
{
    struct draft draft = dosage_draft();
    struct dataset d;

    (void)state;
    build(&d, &draft);
    assert_false(d.is_sparse);
    assert_null(d.features.v);
    assert_memory_equal(d.dosage, dosage, sizeof dosage);
    assert_int_equal((uintptr_t)d.dosage % 64, 0);
    for (int32_t j = 0; j < WIDE; j++)
        assert_true(d.fill[j] == reference_mean(j));
    check_decoded(&d, reference_value);
    dataset_release(&d);
}

static float given_feature(int32_t i, int32_t j)
{
    return features[2 * i + j];
}

static void test_decode_floats(void **state)
{
    struct draft draft = dense_draft();
    struct dataset d;

    (void)state;
    build(&d, &draft);
    assert_null(d.dosage);
    assert_null(d.fill);
    check_decoded(&d, given_feature);
    dataset_release(&d);
}

static void test_digest(void **state)
{
    float other[] = {1, 2, 3, 4, 5, 7};
    struct draft draft = dense_draft();
    struct dataset a, b, c;

    (void)state;
    build(&a, &draft);
    build(&b, &draft);
    draft.features = other;
    build(&c, &draft);
    assert_true(hash_equal(a.digest, b.digest));
    assert_false(hash_equal(a.digest, c.digest));
    dataset_release(&a);
    dataset_release(&b);
    dataset_release(&c);
}

/* ---- graphs of 2, 3 and 1 nodes ---- */

static const int64_t starts[] = {0, 2, 5, 6};
static const float node_features[] = {1, 0, 2, 0.5f, 3, 0, 4, 0, 5, 0, 6, 0};
static const int32_t graph_source[] = {0, 2, 3}, graph_target[] = {1, 3, 4};
static const float graph_weight[] = {1, 1, 2};

static struct draft graphs_draft(void)
{
    return (struct draft){.n_samples = 3,
                          .n_nodes = 6,
                          .n_features = 2,
                          .features = node_features,
                          .target = target,
                          .graph_start = starts,
                          .n_edges = 3,
                          .edge_source = graph_source,
                          .edge_target = graph_target,
                          .edge_weight = graph_weight,
                          .ids = ids};
}

static float node_feature(int32_t i, int32_t j)
{
    return node_features[2 * i + j];
}

static void test_graphs(void **state)
{
    struct draft draft = graphs_draft();
    struct dataset_graph g;
    struct dataset d;

    (void)state;
    build(&d, &draft);
    assert_int_equal(d.n_nodes, 6);
    assert_int_equal(d.n_samples, 3);
    check_decoded(&d, node_feature);
    g = dataset_graph(&d, 1);
    assert_int_equal(g.first_node, 2);
    assert_int_equal(g.n_nodes, 3);
    assert_int_equal(g.n_edges, 2);
    assert_int_equal(g.source[1] - g.edge_base, 1);
    assert_int_equal(g.target[1] - g.edge_base, 2);
    assert_true(g.weight[1] == 2);
    assert_int_equal(dataset_graph(&d, 0).n_edges, 1);
    assert_int_equal(dataset_graph(&d, 2).n_edges, 0);
    dataset_release(&d);
}

/* ---- fixed effects beside dosages, and alleles ---- */

static const char *const alleles[] = {"1\t30\tA\tC", "", "X\t7\tG\tT"};
static const double fixed[] = {0.25, 0, 1, -7, 1, 0, 1e6, 0, 1};
static const int32_t fixed_factor[] = {-1, 0, 0};
static const char *const fixed_names[] = {"age", "sex=F", "sex=M"};

static struct draft fixed_draft(void)
{
    struct draft draft = dense_draft();

    draft.n_fixed = 3;
    draft.fixed = fixed;
    draft.fixed_factor = fixed_factor;
    draft.fixed_names = fixed_names;
    return draft;
}

static void test_fixed(void **state)
{
    struct draft draft = fixed_draft(), without = draft;
    struct dataset d, other;

    (void)state;
    build(&d, &draft);
    assert_int_equal(d.n_fixed, 3);
    assert_memory_equal(d.fixed, fixed, sizeof fixed);
    assert_memory_equal(d.fixed_factor, fixed_factor, sizeof fixed_factor);
    assert_string_equal(dataset_fixed_name(&d, 2), "sex=M");
    assert_true(dataset_fixed(&d, 1)[0] == -7);
    without.n_fixed = 0;
    build(&other, &without);
    assert_null(other.fixed);
    assert_null(dataset_fixed(&other, 1));
    assert_false(hash_equal(d.digest, other.digest));
    dataset_release(&other);
    dataset_release(&d);
}

static void test_alleles(void **state)
{
    struct draft draft = fixed_draft();
    struct dataset with, without;

    (void)state;
    build(&without, &draft);
    assert_string_equal(dataset_alleles(&without, 0), "");
    draft.alleles = alleles;
    build(&with, &draft);
    for (int32_t j = 0; j < 2; j++)
        assert_string_equal(dataset_alleles(&with, j), alleles[j]);
    assert_true(hash_equal(with.digest, without.digest));
    assert_true(with.block_bytes > without.block_bytes);
    dataset_release(&with);
    dataset_release(&without);
}

/* ---- a block elsewhere ---- */

/* The copy is the same data set. Change any byte, or cut it to any length. */
static void damage(const struct draft *draft)
{
    struct dataset d, view;
    struct err err;
    char *bytes;

    build(&d, draft);
    bytes = aligned_alloc(64, d.block_bytes);
    memcpy(bytes, d.block, d.block_bytes);
    assert_int_equal(dataset_open(&view, bytes, d.block_bytes, &err), 0);
    assert_true(hash_equal(view.digest, d.digest));
    assert_false(view.owns_block);
    assert_string_equal(dataset_id(&view, 1), "bb");
    for (size_t i = 0; i < d.block_bytes; i++) {
        bytes[i] ^= 1;
        assert_int_equal(dataset_open(&view, bytes, d.block_bytes, &err), -1);
        bytes[i] ^= 1;
    }
    for (size_t n = 0; n < d.block_bytes; n++)
        assert_int_equal(dataset_open(&view, bytes, n, &err), -1);
    free(bytes);
    dataset_release(&d);
}

static void test_damage(void **state)
{
    struct csr a;
    struct draft drafts[] = {sparse_draft(&a), dosage_draft(), graphs_draft(), fixed_draft()};

    (void)state;
    drafts[3].alleles = alleles;
    for (size_t i = 0; i < sizeof drafts / sizeof *drafts; i++)
        damage(&drafts[i]);
    csr_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dense),   cmocka_unit_test(test_no_task),
        cmocka_unit_test(test_dosage),  cmocka_unit_test(test_decode_floats),
        cmocka_unit_test(test_sparse),  cmocka_unit_test(test_digest),
        cmocka_unit_test(test_graphs),  cmocka_unit_test(test_fixed),
        cmocka_unit_test(test_alleles), cmocka_unit_test(test_damage),
    };

    return cmocka_run_group_tests_name("dataset", tests, NULL, NULL);
}
