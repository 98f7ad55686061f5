/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "data/core/block.h"
#include "data/core/builder.h"

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
    assert_int_equal(csr_check(&d.sparse_features, NULL), 0);
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

/* A copy elsewhere is the same data set: it has no pointers. */
static void test_copy(void **state)
{
    struct csr a;
    struct draft draft = sparse_draft(&a);
    struct dataset d, copy;
    struct err err;
    char *bytes;

    (void)state;
    build(&d, &draft);
    bytes = aligned_alloc(64, d.block_bytes);
    memcpy(bytes, d.block, d.block_bytes);
    assert_int_equal(dataset_open(&copy, bytes, d.block_bytes, &err), 0);
    assert_true(hash_equal(copy.digest, d.digest));
    assert_false(copy.owns_block);
    assert_string_equal(dataset_id(&copy, 1), "bb");
    dataset_release(&copy);
    free(bytes);
    dataset_release(&d);
    csr_release(&a);
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

/* Change any byte, or cut the block to any length. */
static void damage(const struct draft *draft)
{
    struct dataset d, view;
    struct err err;
    char *bytes;

    build(&d, draft);
    bytes = aligned_alloc(64, d.block_bytes);
    memcpy(bytes, d.block, d.block_bytes);
    for (size_t i = 0; i < d.block_bytes; i++) {
        bytes[i] ^= 1;
        assert_int_equal(dataset_open(&view, bytes, d.block_bytes, &err), -1);
        bytes[i] ^= 1;
    }
    for (size_t n = 0; n < d.block_bytes; n++)
        assert_int_equal(dataset_open(&view, bytes, n, &err), -1);
    assert_int_equal(dataset_open(&view, bytes + 8, d.block_bytes - 8, &err), -1);
    free(bytes);
    dataset_release(&d);
}

static void test_damage(void **state)
{
    struct csr a;
    struct draft sparse = sparse_draft(&a), dosages = dosage_draft();

    (void)state;
    damage(&sparse);
    damage(&dosages);
    csr_release(&a);
}

static void refuse(const struct draft *draft, const char *pattern)
{
    struct dataset d;
    struct err err = {""};

    assert_int_equal(draft_build(&d, draft, &err), -1);
    if (!strstr(err.text, pattern))
        fail_msg("\"%s\" is not in \"%s\"", pattern, err.text);
    dataset_release(&d);
}

static void test_values_are_checked(void **state)
{
    const int32_t bad_label[] = {1, 2, 0}, unsorted[] = {1, 0}, backwards[] = {2, 1};
    const float infinite[] = {1, INFINITY, 0}, holes[] = {1, 2, NAN, 4, 5, 6};
    const float weightless[] = {1, 0};
    const uint8_t bad_part[] = {PART_COUNT, 0, 0};
    struct csr a;
    struct draft sparse = sparse_draft(&a), dense = dense_draft(), dosages = dosage_draft(), draft;

    (void)state;
    draft = dense, draft.target = infinite;
    refuse(&draft, "target of sample 1 is infinite");
    draft = dense, draft.features = holes;
    refuse(&draft, "not finite");
    dosage[WIDE + 35] = DOSAGE_MISSING; /* the only one in its column */
    refuse(&dosages, "not finite");
    draft = sparse, draft.label = bad_label;
    refuse(&draft, "label 2 of sample 1");
    draft = sparse, draft.part = bad_part;
    refuse(&draft, "part 5 of sample 0");
    draft = sparse, draft.edge_source = unsorted;
    refuse(&draft, "not sorted");
    draft = sparse, draft.edge_source = backwards;
    refuse(&draft, "edge 2 to 2");
    draft = sparse, draft.edge_weight = weightless;
    refuse(&draft, "weight 0 of edge 1 to 2");
    a.col[0] = 2;
    refuse(&sparse, "column 2 is outside");
    csr_release(&a);
}

/* A wrong header is detected although its digest matches. */
static void check_sections(const struct draft *draft)
{
    struct dataset d, view;
    struct err err;

    build(&d, draft);
    for (int i = 0; i < BLOCK_N_SECTIONS; i++) {
        struct block_header *h = aligned_alloc(64, d.block_bytes);

        memcpy(h, d.block, d.block_bytes);
        h->section[i].offset += d.block_bytes;
        block_sign(h);
        assert_int_equal(dataset_open(&view, h, d.block_bytes, &err), -1);
        assert_non_null(strstr(err.text, "lies outside"));
        free(h);
    }
    dataset_release(&d);
}

static void test_sections_are_checked(void **state)
{
    struct draft dense = dense_draft(), dosages = dosage_draft();

    (void)state;
    check_sections(&dense);
    check_sections(&dosages);
}

static void refuse_header(struct block_header *h, const char *pattern)
{
    struct dataset view;
    struct err err;

    block_sign(h);
    assert_int_equal(dataset_open(&view, h, block_whole_bytes(h), &err), -1);
    if (!strstr(err.text, pattern))
        fail_msg("\"%s\" is not in \"%s\"", pattern, err.text);
}

static void test_header_is_checked(void **state)
{
    struct draft draft = dosage_draft();
    struct dataset d;
    struct block_header *h;

    (void)state;
    build(&d, &draft);
    h = (struct block_header *)(uintptr_t)d.block;
    h->version = 1;
    refuse_header(h, "version 1: this program reads version 4");
    h->version = BLOCK_VERSION;
    h->form = BLOCK_SPARSE + 1;
    refuse_header(h, "flags out of range");
    h->form = BLOCK_FLOATS;
    refuse_header(h, "section 0 has 0 bytes: must be 924");
    dataset_release(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dense),
        cmocka_unit_test(test_no_task),
        cmocka_unit_test(test_dosage),
        cmocka_unit_test(test_decode_floats),
        cmocka_unit_test(test_sparse),
        cmocka_unit_test(test_copy),
        cmocka_unit_test(test_digest),
        cmocka_unit_test(test_damage),
        cmocka_unit_test(test_values_are_checked),
        cmocka_unit_test(test_sections_are_checked),
        cmocka_unit_test(test_header_is_checked),
    };

    return cmocka_run_group_tests_name("dataset", tests, NULL, NULL);
}
