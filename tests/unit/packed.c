/* SPDX-License-Identifier: BSD-3-Clause */
#include "gcn/inputs.h"
#include "toy.h"
#include "unit.h"

struct block {
    char *bytes;
    size_t n;
};

static struct block pack(const struct gcn_inputs *inputs)
{
    size_t n = packed_bytes(&gcn_inputs_packed, inputs);
    struct block block = {.bytes = aligned_alloc(64, (n + 63) / 64 * 64), .n = n};

    assert_non_null(block.bytes);
    memset(block.bytes, 0x7f, n);
    packed_write(block.bytes, &gcn_inputs_packed, inputs);
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
        assert_int_equal(
            packed_view(&view, &gcn_inputs_packed, &toy.data, block.bytes, block.n, &err), 0);
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

static void assert_refused(const struct block *block, size_t n)
{
    struct gcn_inputs view;
    struct err err;

    assert_int_equal(packed_view(&view, &gcn_inputs_packed, NULL, block->bytes, n, &err), -1);
    assert_non_null(strstr(err.text, "bytes that are damaged or of another version"));
}

static void test_damaged_blocks_are_refused(void **state)
{
    static const size_t places[] = {0, 8, 60, 200, 2000, 5000}; /* magic, version ... */
    struct block block;
    struct toy toy;

    (void)state;
    toy_init(&toy, TASK_CLASSIFICATION, false);
    block = pack(&toy.inputs);
    assert_refused(&block, 0);
    assert_refused(&block, 100);
    assert_refused(&block, block.n - 64);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        assert_true(places[i] < block.n);
        block.bytes[places[i]] ^= 1;
        assert_refused(&block, block.n);
        block.bytes[places[i]] ^= 1;
    }
    free(block.bytes);
    toy_release(&toy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_damaged_blocks_are_refused),
    };

    return cmocka_run_group_tests_name("packed", tests, NULL, NULL);
}
