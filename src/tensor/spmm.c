/* SPDX-License-Identifier: BSD-3-Clause */
#include "tensor/spmm.h"

#include <assert.h>
#include <string.h>

#include "base/cpu.h"
#include "tensor/gemm.h"

/* Blocks of 64, 16 and 8 columns, and the last 7 or fewer, stay in registers during a row. Vector
 * types keep the compiler from spilling the sums. */

#define INLINE static inline __attribute__((always_inline))

#define WIDE 128 /* columns that AVX-512's registers can hold */

/* Fewest elements that are worth waking other threads (about 2 us). */
#define WORTH_THREADS 8192

typedef float v16 __attribute__((vector_size(64), aligned(4), may_alias));
typedef float v8 __attribute__((vector_size(32), aligned(4), may_alias));

struct spmm_line {
    const int32_t *col;
    const float *val;
    int64_t n;
    const float *x;
    int64_t width;
    const int32_t *pos;
};

INLINE const float *source(const struct spmm_line *line, int64_t e)
{
    int64_t row = line->pos ? line->pos[line->col[e]] : line->col[e];

    return row < 0 ? NULL : line->x + row * line->width;
}

/* vectors: a constant, at most 8. */
INLINE void gather_vectors(float *y, const struct spmm_line *line, int64_t at, int vectors)
{
    v16 sum[8] = {{0}};

    for (int64_t e = 0; e < line->n; e++) {
        const float *x = source(line, e);

        if (!x)
            continue;
#pragma GCC unroll 8
        for (int v = 0; v < vectors; v++)
            sum[v] += line->val[e] * *(const v16 *)(x + at + 16 * v);
    }
#pragma GCC unroll 8
    for (int v = 0; v < vectors; v++)
        *(v16 *)(y + at + 16 * v) = sum[v];
}

INLINE void gather_8(float *y, const struct spmm_line *line, int64_t at)
{
    v8 sum = {0};

    for (int64_t e = 0; e < line->n; e++) {
        const float *x = source(line, e);

        if (x)
            sum += line->val[e] * *(const v8 *)(x + at);
    }
    *(v8 *)(y + at) = sum;
}

/* A constant rest keeps sum[] in registers. */
INLINE void gather_rest(float *y, const struct spmm_line *line, int64_t at, int rest)
{
    float sum[7] = {0};

    for (int64_t e = 0; e < line->n; e++) {
        const float *x = source(line, e);

        if (!x)
            continue;
        for (int j = 0; j < rest; j++)
            sum[j] += line->val[e] * x[at + j];
    }
    for (int j = 0; j < rest; j++)
        y[at + j] = sum[j];
}

INLINE void gather(float *y, const struct spmm_line *line)
{
    int64_t at = 0;

    for (; at + 64 <= line->width; at += 64)
        gather_vectors(y, line, at, 4);
    for (; at + 16 <= line->width; at += 16)
        gather_vectors(y, line, at, 1);
    for (; at + 8 <= line->width; at += 8)
        gather_8(y, line, at);
    switch (line->width - at) {
#define REST(n)                      \
    case n:                          \
        gather_rest(y, line, at, n); \
        break;
        REST(1) REST(2) REST(3) REST(4) REST(5) REST(6) REST(7)
#undef REST
    }
}

INLINE struct spmm_line line_of(const struct csr *a, int32_t row, const struct mat *x,
                                const int32_t *pos)
{
    int64_t begin = a->row_start[row];

    return (struct spmm_line){a->col + begin, a->val + begin, a->row_start[row + 1] - begin,
                              x->v,           x->n_cols,      pos};
}

CLONES static void gather_rows(struct mat *y, int32_t from, int32_t to, const struct csr *a,
                               const int32_t *rows, const struct mat *x, const int32_t *pos)
{
    for (int32_t i = from; i < to; i++) {
        struct spmm_line line = line_of(a, rows ? rows[i] : i, x, pos);

        gather(mat_row(y, i), &line);
    }
}

/* The same for widths that are multiples of 128: half of the look-ups of rows. */
AVX512 static void gather_wide_rows(struct mat *y, int32_t from, int32_t to, const struct csr *a,
                                    const int32_t *rows, const struct mat *x, const int32_t *pos)
{
    for (int32_t i = from; i < to; i++) {
        struct spmm_line line = line_of(a, rows ? rows[i] : i, x, pos);

        for (int64_t at = 0; at < line.width; at += WIDE)
            gather_vectors(mat_row(y, i), &line, at, WIDE / 16);
    }
}

void spmm(struct mat *y, const struct csr *a, const int32_t *rows, const struct mat *x,
          const int32_t *pos)
{
    bool is_wide = y->n_cols % WIDE == 0 && cpu_has_avx512();
    int threads = gemm_threads();

    assert(y->n_cols == x->n_cols);
    assert(rows || y->n_rows == a->n_rows);
    assert(pos || x->n_rows == a->n_cols);
#pragma omp parallel for num_threads(threads) if (threads > 1 && mat_size(y) >= WORTH_THREADS)
    for (int t = 0; t < threads; t++)
        (is_wide ? gather_wide_rows
                 : gather_rows)(y, (int32_t)((int64_t)y->n_rows * t / threads),
                                (int32_t)((int64_t)y->n_rows * (t + 1) / threads), a, rows, x, pos);
}

INLINE void add_row(float *restrict y, float val, const float *restrict x, int64_t width)
{
    int64_t at = 0;

    for (; at + 16 <= width; at += 16)
        *(v16 *)(y + at) += val * *(const v16 *)(x + at);
    for (; at + 8 <= width; at += 8)
        *(v8 *)(y + at) += val * *(const v8 *)(x + at);
    for (; at < width; at++)
        y[at] += val * x[at];
}

CLONES void spmm_tn(struct mat *y, const struct csr *a, const int32_t *rows, const struct mat *x)
{
    assert(y->n_cols == x->n_cols && y->n_rows == a->n_cols);
    assert(rows || x->n_rows == a->n_rows);
    memset(y->v, 0, (size_t)mat_size(y) * sizeof *y->v);
    for (int32_t i = 0; i < x->n_rows; i++) {
        int32_t r = rows ? rows[i] : i;
        const float *from = mat_row(x, i);

        for (int64_t e = a->row_start[r]; e < a->row_start[r + 1]; e++)
            add_row(mat_row(y, a->col[e]), a->val[e], from, x->n_cols);
    }
}

int64_t spmm_count(const struct csr *a, const int32_t *rows, int32_t n)
{
    int64_t count = 0;

    if (!rows)
        return a->row_start[n];
    for (int32_t i = 0; i < n; i++)
        count += a->row_start[rows[i] + 1] - a->row_start[rows[i]];
    return count;
}
