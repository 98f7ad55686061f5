/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gcn/inputs.h"
#include "toy.h"

struct block {
    char *bytes;
    size_t n;
};

static struct block pack(const struct gcn_inputs *inputs)
{
    size_t n = gcn_inputs_packed_bytes(inputs);
    struct block block = {.bytes = aligned_alloc(64, (n + 63) / 64 * 64), .n = n};

    assert_non_null(block.bytes);
    memset(block.bytes, 0x7f, n);
    gcn_inputs_pack(block.bytes, inputs);
    return block;
}

static void assert_inside(const void *array, size_t bytes, const struct block *block)
{
    assert_true((const char *)array >= block->bytes);
    assert_true((const char *)array + bytes <= block->bytes + block->n);
    assert_int_equal((uintptr_t)array % 64, 0);
}

static void assert_same_mat(const struct mat *a, const struct mat *b, const struct block *block)
{
    assert_int_equal(a->n_rows, b->n_rows);
    assert_int_equal(a->n_cols, b->n_cols);
    assert_int_equal(!a->v, !b->v);
    if (!a->v)
        return;
    assert_inside(a->v, (size_t)mat_size(a) * sizeof *a->v, block);
    assert_memory_equal(a->v, b->v, (size_t)mat_size(a) * sizeof *a->v);
}

static void assert_same_csr(const struct csr *a, const struct csr *b, const struct block *block)
{
    size_t rows = ((size_t)a->n_rows + 1) * sizeof *a->row_start, nnz;

    assert_int_equal(a->n_rows, b->n_rows);
    assert_int_equal(a->n_cols, b->n_cols);
    assert_int_equal(!a->row_start, !b->row_start);
    if (!a->row_start)
        return;
    nnz = (size_t)csr_nnz(b);
    assert_inside(a->row_start, rows, block);
    assert_inside(a->col, nnz * sizeof *a->col, block);
    assert_inside(a->val, nnz * sizeof *a->val, block);
    assert_memory_equal(a->row_start, b->row_start, rows);
    assert_memory_equal(a->col, b->col, nnz * sizeof *a->col);
    assert_memory_equal(a->val, b->val, nnz * sizeof *a->val);
}

static void test_round_trip(void **state)
{
    (void)state;
    for (int is_sparse = 0; is_sparse < 2; is_sparse++) {
        struct gcn_inputs view;
        struct block block, again;
        struct toy toy;
        struct err err;

        toy_init(&toy, TASK_REGRESSION, is_sparse);
        block = pack(&toy.inputs);
        assert_int_equal(gcn_inputs_view(&view, &toy.data, block.bytes, block.n, &err), 0);
        assert_true(view.is_view && !toy.inputs.is_view);
        assert_ptr_equal(view.data, &toy.data);
        assert_int_equal(view.n_inputs, toy.inputs.n_inputs);
        assert_int_equal(view.has[FIRST_X_SPARSE], is_sparse);
        assert_same_csr(&view.a_hat, &toy.inputs.a_hat, &block);
        assert_same_csr(&view.x_sparse, &toy.inputs.x_sparse, &block);
        assert_same_mat(&view.x, &toy.inputs.x, &block);
        assert_same_mat(&view.ax, &toy.inputs.ax, &block);

        /* Equal bytes elsewhere contain no address. */
        again = pack(&view);
        assert_int_equal(again.n, block.n);
        assert_memory_equal(again.bytes, block.bytes, block.n);
        gcn_inputs_release(&view);
        free(again.bytes);
        free(block.bytes);
        toy_release(&toy);
    }
}

static void assert_refused(const struct block *block, size_t n, const char *why)
{
    struct gcn_inputs view;
    struct err err;

    assert_int_equal(gcn_inputs_view(&view, NULL, block->bytes, n, &err), -1);
    if (!strstr(err.text, why))
        fail_msg("\"%s\" does not say \"%s\"", err.text, why);
}

static void test_damaged_blocks_are_refused(void **state)
{
    static const size_t places[] = {60, 200, 2000, 5000};
    struct block block;
    struct toy toy;

    (void)state;
    toy_init(&toy, TASK_CLASSIFICATION, false);
    block = pack(&toy.inputs);
    assert_refused(&block, 0, "does not begin with a header");
    assert_refused(&block, 100, "does not begin with a header");
    assert_refused(&block, block.n - 64, "its header says");
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        assert_true(places[i] < block.n);
        block.bytes[places[i]] ^= 1;
        assert_refused(&block, block.n, "damaged");
        block.bytes[places[i]] ^= 1;
    }
    block.bytes[8]++;
    assert_refused(&block, block.n, "version 3: this program reads version 2");
    block.bytes[8]--;
    block.bytes[0] = 'E';
    assert_refused(&block, block.n, "does not begin with a header");
    free(block.bytes);
    toy_release(&toy);
}

static void test_views_train_alike(void **state)
{
    const struct hash key = {1, 2};

    (void)state;
    for (int is_sparse = 0; is_sparse < 2; is_sparse++) {
        struct gcn_spec spec = toy_spec(TASK_REGRESSION);
        struct gcn_epoch curves[2][10];
        struct gcn_outcome outcome[2] = {{.curve = curves[0]}, {.curve = curves[1]}};
        struct arena scratch = {0};
        struct gcn_inputs view;
        struct block block;
        struct toy toy;
        struct err err;

        spec.input_dropout = 0.3;
        toy_init(&toy, TASK_REGRESSION, is_sparse);
        block = pack(&toy.inputs);
        assert_int_equal(gcn_inputs_view(&view, &toy.data, block.bytes, block.n, &err), 0);
        for (int i = 0; i < 2; i++) {
            assert_int_equal(gcn_train(&outcome[i],
                                       &(struct gcn_training){.spec = &spec,
                                                              .inputs = i ? &view : &toy.inputs,
                                                              .split = &toy.split,
                                                              .key = key,
                                                              .threads = 1,
                                                              .scratch = &scratch,
                                                              .clock = &clock_system},
                                       &err),
                             0);
            arena_reset(&scratch);
        }
        assert_int_equal(outcome[0].epochs_run, spec.epochs);
        for (int e = 0; e < spec.epochs; e++)
            assert_memory_equal(&curves[0][e].train_loss, &curves[1][e].train_loss, sizeof(double));
        assert_memory_equal(outcome[0].metrics, outcome[1].metrics, sizeof outcome[0].metrics);
        arena_release(&scratch);
        free(block.bytes);
        toy_release(&toy);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_damaged_blocks_are_refused),
        cmocka_unit_test(test_views_train_alike),
    };

    return cmocka_run_group_tests_name("packed", tests, NULL, NULL);
}
