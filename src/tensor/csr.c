/* SPDX-License-Identifier: BSD-3-Clause */
#include "tensor/csr.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tensor/bucket_sort.h"

int csr_init(struct csr *a, int32_t n_rows, int32_t n_cols, int64_t nnz, struct err *err)
{
    /* malloc(0) may return NULL. */
    size_t room = nnz > 0 ? (size_t)nnz : 1;

    *a = (struct csr){.n_rows = n_rows, .n_cols = n_cols};
    a->row_start = calloc((size_t)n_rows + 1, sizeof *a->row_start);
    a->col = malloc(room * sizeof *a->col);
    a->val = malloc(room * sizeof *a->val);
    if (!a->row_start || !a->col || !a->val) {
        csr_release(a);
        return err_nomem(err, "sparse matrix", room * (sizeof *a->col + sizeof *a->val));
    }
    return 0;
}

void csr_release(struct csr *a)
{
    if (!a)
        return;
    free(a->row_start);
    free(a->col);
    free(a->val);
    *a = (struct csr){0};
}

/* Compare also by value, so that sums of equal places do not depend on the order. */
static int compare_triplets(const void *left, const void *right)
{
    const struct triplet *a = left;
    const struct triplet *b = right;

    if (a->row != b->row)
        return a->row < b->row ? -1 : 1;
    if (a->col != b->col)
        return a->col < b->col ? -1 : 1;
    return (a->val > b->val) - (a->val < b->val);
}

static bool is_same_place(const struct triplet *a, const struct triplet *b)
{
    return a->row == b->row && a->col == b->col;
}

int csr_from_triplets(struct csr *a, int32_t n_rows, int32_t n_cols, struct triplet *triplets,
                      int64_t n, struct err *err)
{
    int64_t nnz = 0;

    bucket_sort(triplets, (size_t)n, sizeof *triplets, compare_triplets);
    for (int64_t i = 0; i < n; i++)
        nnz += i == 0 || !is_same_place(&triplets[i - 1], &triplets[i]);
    if (csr_init(a, n_rows, n_cols, nnz, err))
        return -1;

    nnz = 0;
    for (int64_t i = 0; i < n; i++) {
        const struct triplet *t = &triplets[i];

        assert(t->row >= 0 && t->row < n_rows && t->col >= 0 && t->col < n_cols);
        if (i > 0 && is_same_place(t - 1, t)) {
            a->val[nnz - 1] += t->val;
            continue;
        }
        a->col[nnz] = t->col;
        a->val[nnz++] = t->val;
        a->row_start[t->row + 1] = nnz;
    }
    for (int32_t r = 0; r < n_rows; r++)
        if (a->row_start[r + 1] < a->row_start[r])
            a->row_start[r + 1] = a->row_start[r];
    return 0;
}

int csr_transpose(struct csr *out, const struct csr *a, struct err *err)
{
    int64_t *next;

    if (csr_init(out, a->n_cols, a->n_rows, csr_nnz(a), err))
        return -1;
    next = malloc(((size_t)a->n_cols + 1) * sizeof *next);
    if (!next) {
        csr_release(out);
        return err_nomem(err, "transpose", ((size_t)a->n_cols + 1) * sizeof *next);
    }
    for (int64_t e = 0; e < csr_nnz(a); e++)
        out->row_start[a->col[e] + 1]++;
    for (int32_t r = 0; r < out->n_rows; r++)
        out->row_start[r + 1] += out->row_start[r];
    memcpy(next, out->row_start, (size_t)out->n_rows * sizeof *next);

    /* Visiting a's rows in ascending order makes out's columns ascend. */
    for (int32_t r = 0; r < a->n_rows; r++)
        for (int64_t e = a->row_start[r]; e < a->row_start[r + 1]; e++) {
            int64_t place = next[a->col[e]]++;

            out->col[place] = r;
            out->val[place] = a->val[e];
        }
    free(next);
    return 0;
}

struct row_sum {
    double *sum;  /* [n_cols] */
    int32_t *row; /* [n_cols] last row with this column, + 1 */
    int32_t *col; /* [n] unsorted */
    int32_t n;
};

static void add_rows(struct row_sum *s, const struct csr *a, const struct csr *b, int32_t r)
{
    s->n = 0;
    for (int64_t e = a->row_start[r]; e < a->row_start[r + 1]; e++)
        for (int64_t f = b->row_start[a->col[e]]; f < b->row_start[a->col[e] + 1]; f++) {
            int32_t j = b->col[f];

            if (s->row[j] != r + 1) {
                s->row[j] = r + 1;
                s->sum[j] = 0;
                s->col[s->n++] = j;
            }
            s->sum[j] += (double)a->val[e] * (double)b->val[f];
        }
}

static int compare_columns(const void *left, const void *right)
{
    const int32_t *a = left, *b = right;

    return (*a > *b) - (*a < *b);
}

static void row_sum_release(struct row_sum *s)
{
    free(s->sum);
    free(s->row);
    free(s->col);
}

static int row_sum_init(struct row_sum *s, int32_t n_cols, struct err *err)
{
    size_t n = (size_t)n_cols + 1;

    *s = (struct row_sum){
        .sum = malloc(n * sizeof *s->sum),
        .row = calloc(n, sizeof *s->row),
        .col = malloc(n * sizeof *s->col),
    };
    if (s->sum && s->row && s->col)
        return 0;
    row_sum_release(s);
    return err_nomem(err, "sparse product", n * 16);
}

int csr_count_product(int64_t *nnz, const struct csr *a, const struct csr *b, struct err *err)
{
    struct row_sum s;

    if (row_sum_init(&s, b->n_cols, err))
        return -1;
    *nnz = 0;
    for (int32_t r = 0; r < a->n_rows; r++) {
        add_rows(&s, a, b, r);
        *nnz += s.n;
    }
    row_sum_release(&s);
    return 0;
}

int csr_multiply(struct csr *out, const struct csr *a, const struct csr *b, int64_t nnz,
                 struct err *err)
{
    struct row_sum s;
    int64_t at = 0;
    int rc;

    if (row_sum_init(&s, b->n_cols, err))
        return -1;
    rc = csr_init(out, a->n_rows, b->n_cols, nnz, err);
    for (int32_t r = 0; !rc && r < a->n_rows; r++) {
        add_rows(&s, a, b, r);
        qsort(s.col, (size_t)s.n, sizeof *s.col, compare_columns);
        for (int32_t i = 0; i < s.n; i++, at++) {
            out->col[at] = s.col[i];
            out->val[at] = (float)s.sum[s.col[i]];
        }
        out->row_start[r + 1] = at;
    }
    row_sum_release(&s);
    return rc;
}

/* Append row r of A + I; return its sum. */
static double append_with_self_loop(struct csr *out, const struct csr *a, int32_t r)
{
    int64_t at = out->row_start[r];
    double sum = 1;
    bool has_loop = false;

    for (int64_t e = a->row_start[r]; e <= a->row_start[r + 1]; e++) {
        bool is_end = e == a->row_start[r + 1];

        if (!has_loop && (is_end || a->col[e] >= r)) {
            out->col[at] = r;
            out->val[at++] = 1;
            has_loop = true;
        }
        if (is_end || a->col[e] == r)
            continue;
        out->col[at] = a->col[e];
        out->val[at++] = a->val[e];
        sum += a->val[e];
    }
    out->row_start[r + 1] = at;
    return sum;
}

int csr_normalize(struct csr *out, const struct csr *a, struct err *err)
{
    double *scale;

    assert(a->n_rows == a->n_cols);
    if (csr_init(out, a->n_rows, a->n_cols, csr_nnz(a) + a->n_rows, err))
        return -1;
    scale = malloc(((size_t)a->n_rows + 1) * sizeof *scale);
    if (!scale) {
        csr_release(out);
        return err_nomem(err, "degrees", ((size_t)a->n_rows + 1) * sizeof *scale);
    }
    for (int32_t r = 0; r < a->n_rows; r++)
        scale[r] = 1 / sqrt(append_with_self_loop(out, a, r));
    for (int32_t r = 0; r < out->n_rows; r++)
        for (int64_t e = out->row_start[r]; e < out->row_start[r + 1]; e++)
            /* Multiply the scales first: their product is the same for (i, j) and (j, i). */
            out->val[e] = (float)(scale[r] * scale[out->col[e]] * (double)out->val[e]);
    free(scale);
    return 0;
}

void triplets_release(struct triplets *list)
{
    if (!list)
        return;
    free(list->item);
    memset(list, 0, sizeof *list);
}

int triplets_add(struct triplets *list, struct triplet item, struct err *err)
{
    if (list->n == list->capacity) {
        int64_t capacity = list->capacity ? 2 * list->capacity : 1024;
        struct triplet *grown = realloc(list->item, (size_t)capacity * sizeof *grown);

        if (!grown)
            return err_nomem(err, "matrix entries", (size_t)capacity * sizeof *grown);
        list->item = grown;
        list->capacity = capacity;
    }
    list->item[list->n++] = item;
    return 0;
}
