#include "tensor/tall.h"

#include <assert.h>

/* c is cut into tiles of 6 rows and 64 columns: 24 registers of sums, which with 4 of b leaves 4
 * of AVX-512's 32. The sum over K is cut into pieces for which 64 columns of b stay in a 48 kB
 * first-level cache. Source: Goto & van de Geijn 2008, ACM TOMS 34:12, without the packing. */

#if defined(__x86_64__) && defined(__GNUC__)

#define WIDEST 512 /* columns; beyond, packing pays */
#define TILE_ROWS 6
#define LANES 16
#define DEPTH 128

#define INLINE static inline __attribute__((always_inline))

typedef float v16 __attribute__((vector_size(64), aligned(4), may_alias));

struct operand {
    const float *v;
    int64_t row; /* distance of rows, and of columns, of op(a) */
    int64_t col;
};

/* rows and vectors are constants wherever this is called, so that sum[][] lives in registers. */
INLINE void tile(int rows, int vectors, float *c, struct operand a, const float *b, int64_t depth,
                 int64_t width, bool accumulates)
{
    v16 sum[TILE_ROWS][4], right[4];

#pragma GCC unroll 6
    for (int r = 0; r < rows; r++)
#pragma GCC unroll 4
        for (int v = 0; v < vectors; v++)
            sum[r][v] = accumulates ? *(const v16 *)(c + r * width + v * LANES) : (v16){0};
    for (int64_t k = 0; k < depth; k++) {
#pragma GCC unroll 4
        for (int v = 0; v < vectors; v++)
            right[v] = *(const v16 *)(b + k * width + v * LANES);
#pragma GCC unroll 6
        for (int r = 0; r < rows; r++)
#pragma GCC unroll 4
            for (int v = 0; v < vectors; v++)
                sum[r][v] += a.v[r * a.row + k * a.col] * right[v];
    }
#pragma GCC unroll 6
    for (int r = 0; r < rows; r++)
#pragma GCC unroll 4
        for (int v = 0; v < vectors; v++)
            *(v16 *)(c + r * width + v * LANES) = sum[r][v];
}

INLINE void strip(int rows, float *c, struct operand a, const float *b, int64_t depth,
                  int64_t width, bool accumulates)
{
    int64_t j = 0;

    for (; j + 4 * LANES <= width; j += 4 * LANES)
        tile(rows, 4, c + j, a, b + j, depth, width, accumulates);
    for (; j + 2 * LANES <= width; j += 2 * LANES)
        tile(rows, 2, c + j, a, b + j, depth, width, accumulates);
    for (; j < width; j += LANES)
        tile(rows, 1, c + j, a, b + j, depth, width, accumulates);
}

/* A piece of the sum over K, for all rows. */
__attribute__((target("arch=x86-64-v4"))) static void
piece(struct mat *c, struct operand a, const float *b, int64_t depth, bool accumulates)
{
    int32_t i = 0;

    for (; i + TILE_ROWS <= c->n_rows; i += TILE_ROWS, a.v += TILE_ROWS * a.row)
        strip(TILE_ROWS, mat_row(c, i), a, b, depth, c->n_cols, accumulates);
    switch (c->n_rows - i) {
    case 1:
        strip(1, mat_row(c, i), a, b, depth, c->n_cols, accumulates);
        break;
    case 2:
        strip(2, mat_row(c, i), a, b, depth, c->n_cols, accumulates);
        break;
    case 3:
        strip(3, mat_row(c, i), a, b, depth, c->n_cols, accumulates);
        break;
    case 4:
        strip(4, mat_row(c, i), a, b, depth, c->n_cols, accumulates);
        break;
    case 5:
        strip(5, mat_row(c, i), a, b, depth, c->n_cols, accumulates);
        break;
    }
}

bool tall_is_able(int32_t width)
{
    return width % LANES == 0 && width <= WIDEST && __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
}

static void product(struct mat *c, struct operand op, const struct mat *b, bool accumulates)
{
    for (int32_t k = 0; k < b->n_rows; k += DEPTH, op.v += DEPTH * op.col) {
        int32_t depth = b->n_rows - k < DEPTH ? b->n_rows - k : DEPTH;

        piece(c, op, mat_row(b, k), depth, accumulates || k > 0);
    }
}

void tall_product(struct mat *c, const struct mat *a, bool is_transposed, const struct mat *b,
                  bool accumulates, int threads)
{
    struct operand op = {
        .v = a->v, .row = is_transposed ? 1 : a->n_cols, .col = is_transposed ? a->n_cols : 1};

#pragma omp parallel for num_threads(threads) if (threads > 1)
    for (int t = 0; t < threads; t++) {
        int32_t from = (int32_t)((int64_t)c->n_rows * t / threads);
        int32_t to = (int32_t)((int64_t)c->n_rows * (t + 1) / threads);
        struct mat rows = mat_view(mat_row(c, from), to - from, c->n_cols);
        struct operand part = {op.v + from * op.row, op.row, op.col};

        product(&rows, part, b, accumulates);
    }
}

#else

bool tall_is_able(int32_t width)
{
    (void)width;
    return false;
}

void tall_product(struct mat *c, const struct mat *a, bool is_transposed, const struct mat *b,
                  bool accumulates, int threads)
{
    (void)c, (void)a, (void)is_transposed, (void)b, (void)accumulates, (void)threads;
    assert(!"tall_is_able()");
}

#endif
