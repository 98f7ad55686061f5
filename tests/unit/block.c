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

/* Blocks with graphs, fixed effects, alleles, codes. */

static const char *const ids[] = {"a", "b", "c"};
static const char *const alleles[] = {"1\t30\tA\tC", "", "X\t7\tG\tT"};
static const float target[] = {1.5f, NAN, -2};

static void build(struct dataset *d, const struct draft *draft)
{
    struct err err = {""};

    if (draft_build(d, draft, &err) != 0)
        fail_msg("%s", err.text);
}

static void refuse(const struct draft *draft, const char *pattern)
{
    struct dataset d;
    struct err err = {""};

    assert_int_equal(draft_build(&d, draft, &err), -1);
    if (!strstr(err.text, pattern))
        fail_msg("\"%s\" is not in \"%s\"", pattern, err.text);
}

static void check_decoded(const struct dataset *d, const float *wanted)
{
    for (int32_t row = 0; row < d->n_nodes; row++)
        for (int32_t col = 0; col < d->n_features; col++)
            for (int32_t n = 1; n <= d->n_features - col; n++) {
                struct mat out;

                assert_int_equal(mat_init(&out, d->n_nodes - row, n, NULL), 0);
                dataset_decode(&out, d, row, col);
                for (int32_t i = 0; i < out.n_rows; i++)
                    assert_memory_equal(mat_row(&out, i),
                                        wanted + (int64_t)(row + i) * d->n_features + col,
                                        (size_t)n * sizeof *wanted);
                mat_release(&out);
            }
}

/* ---- graphs of 2, 3 and 1 nodes ---- */

static const int64_t starts[] = {0, 2, 5, 6};
static const float node_features[] = {1, 0, 2, 0.5f, 3, 0, 4, 0, 5, 0, 6, 0};
static const int32_t source[] = {0, 2, 3}, end[] = {1, 3, 4};
static const float weight[] = {1, 1, 2};

static struct draft graphs_draft(void)
{
    return (struct draft){.n_samples = 3,
                          .n_nodes = 6,
                          .n_features = 2,
                          .features = node_features,
                          .target = target,
                          .graph_start = starts,
                          .n_edges = 3,
                          .edge_source = source,
                          .edge_target = end,
                          .edge_weight = weight,
                          .ids = ids};
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
    check_decoded(&d, node_features);
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

static void test_bad_graphs(void **state)
{
    const int64_t empty[] = {0, 2, 2, 6}, few[] = {0, 2, 4, 5};
    const int32_t leaves[] = {1, 3, 5};
    struct draft draft = graphs_draft();

    (void)state;
    draft.graph_start = empty;
    refuse(&draft, "graph 1 has 0 nodes");
    draft.graph_start = few;
    refuse(&draft, "graphs do not cover all nodes");
    draft = graphs_draft(), draft.edge_target = leaves;
    refuse(&draft, "edge 3 to 5 leaves graph 1");
    draft = graphs_draft(), draft.n_nodes = 2;
    refuse(&draft, "3 samples with 2 nodes");
    draft = graphs_draft(), draft.graph_start = NULL;
    refuse(&draft, "3 samples with 6 nodes");
}

/* ---- fixed effects beside dosages, and alleles ---- */

static const int8_t dosage[] = {0, 2, DOSAGE_MISSING, 0, 1, 1};
static const double fixed[] = {0.25, 0, 1, -7, 1, 0, 1e6, 0, 1};
static const int32_t fixed_factor[] = {-1, 0, 0};
static const char *const fixed_names[] = {"age", "sex=F", "sex=M"};
static const float dosage_features[] = {0, 2, 0.5f, 0, 1, 1};

static struct draft dosage_draft(void)
{
    return (struct draft){.n_samples = 3,
                          .n_features = 2,
                          .dosage = dosage,
                          .n_fixed = 3,
                          .fixed = fixed,
                          .fixed_factor = fixed_factor,
                          .fixed_names = fixed_names,
                          .target = target,
                          .ids = ids};
}

static void test_fixed(void **state)
{
    const double hole[] = {0, NAN, 0, 0, 0, 0, 0, 0, 0};
    const int32_t beyond[] = {-1, 0, 3};
    struct draft draft = dosage_draft(), without = draft;
    struct dataset d, other;

    (void)state;
    build(&d, &draft);
    assert_int_equal(d.n_fixed, 3);
    check_decoded(&d, dosage_features);
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
    draft.fixed = hole;
    refuse(&draft, "not finite");
    draft.fixed = fixed;
    draft.fixed_factor = beyond;
    refuse(&draft, "factor 3");
}

static void test_alleles(void **state)
{
    struct draft draft = dosage_draft();
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

/* ---- damage ---- */

static void open_damaged(const void *block, size_t bytes)
{
    struct dataset view;
    struct err err;

    assert_int_equal(dataset_open(&view, block, bytes, &err), -1);
}

static void damage(const struct draft *draft)
{
    struct dataset d, view;
    char *bytes;

    build(&d, draft);
    bytes = aligned_alloc(64, d.block_bytes);
    memcpy(bytes, d.block, d.block_bytes);
    assert_int_equal(dataset_open(&view, bytes, d.block_bytes, NULL), 0);
    for (size_t i = 0; i < d.block_bytes; i++) {
        bytes[i] ^= 1;
        open_damaged(bytes, d.block_bytes);
        bytes[i] ^= 1;
    }
    for (size_t n = 0; n < d.block_bytes; n++)
        open_damaged(bytes, n);
    free(bytes);
    dataset_release(&d);
}

static void test_damage(void **state)
{
    struct draft graphs = graphs_draft(), dosages = dosage_draft();

    (void)state;
    dosages.alleles = alleles;
    damage(&graphs);
    damage(&dosages);
}

/* Change one header field, sign the block again, and expect the refusal. */
static void lie(const struct draft *draft, size_t offset, int32_t value, const char *pattern)
{
    struct dataset d, view;
    struct err err = {""};
    char *bytes;

    build(&d, draft);
    bytes = aligned_alloc(64, d.block_bytes);
    memcpy(bytes, d.block, d.block_bytes);
    memcpy(bytes + offset, &value, sizeof value);
    block_sign(bytes);
    assert_int_equal(dataset_open(&view, bytes, d.block_bytes, &err), -1);
    if (!strstr(err.text, pattern))
        fail_msg("\"%s\" is not in \"%s\"", pattern, err.text);
    free(bytes);
    dataset_release(&d);
}

#define HEADER(member) offsetof(struct block_header, member)

static void test_header(void **state)
{
    struct draft graphs = graphs_draft(), dosages = dosage_draft();

    (void)state;
    lie(&dosages, HEADER(n_fixed), -1, "-1 columns of fixed effects");
    lie(&dosages, HEADER(n_fixed), 4000, "4000 columns of fixed effects");
    lie(&dosages, HEADER(n_fixed), 100, "fixed effects lie outside");
    lie(&dosages, HEADER(n_fixed), 2, "names of fixed effects have");
    lie(&dosages, HEADER(n_nodes), 4, "3 samples with 4 nodes");
    lie(&graphs, HEADER(has_graphs), 2, "3 samples with 6 nodes");
    lie(&graphs, HEADER(n_nodes), 7, "section 0 has 48 bytes: must be 56");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_graphs), cmocka_unit_test(test_bad_graphs),
        cmocka_unit_test(test_fixed),  cmocka_unit_test(test_alleles),
        cmocka_unit_test(test_damage), cmocka_unit_test(test_header),
    };

    return cmocka_run_group_tests_name("block", tests, NULL, NULL);
}
