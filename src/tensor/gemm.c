/* SPDX-License-Identifier: BSD-3-Clause */
#include "tensor/gemm.h"

#include <assert.h>
#include <cblas.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/cpu.h"
#include "tensor/mat.h"

/* ---- a large matrix times a narrow one ----
 *
 * Tiles of c have 6 rows and 64 columns: 24 of AVX-512's 32 registers hold sums, 4 hold b. The sum
 * over K is split so that 64 columns of b stay in a 48 kB cache.
 * Source: Goto & van de Geijn 2008, ACM TOMS 34:12, without the packing. */

#if defined(__x86_64__) && defined(__GNUC__)

#define WIDEST 512 /* columns; above, packing is faster */
#define TILE_ROWS 6
#define LANES 16
#define DEPTH 128

#define INLINE static inline __attribute__((always_inline))

typedef float v16 __attribute__((vector_size(64), aligned(4), may_alias));

struct operand {
    const float *v;
    int64_t row; /* stride of rows and of columns of op(a) */
    int64_t col;
};

/* Constant rows and vectors keep sum[][] in registers. */
INLINE void tile(int rows, int vectors, float *c, int64_t width, struct operand a, const float *b,
                 int64_t b_width, int64_t depth, bool accumulates)
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
            right[v] = *(const v16 *)(b + k * b_width + v * LANES);
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

/* A part (depth, columns) of b, in rows of `width`. */
struct gemm_panel {
    const float *b;
    int64_t width, columns, depth;
};

INLINE void strip(int rows, float *c, int64_t width, struct operand a, const struct gemm_panel *p,
                  bool accumulates)
{
    int64_t j = 0;

    for (; j + 4 * LANES <= p->columns; j += 4 * LANES)
        tile(rows, 4, c + j, width, a, p->b + j, p->width, p->depth, accumulates);
    for (; j + 2 * LANES <= p->columns; j += 2 * LANES)
        tile(rows, 2, c + j, width, a, p->b + j, p->width, p->depth, accumulates);
    for (; j < p->columns; j += LANES)
        tile(rows, 1, c + j, width, a, p->b + j, p->width, p->depth, accumulates);
}

/* Columns `from` and on of all rows of c. */
AVX512 static void piece(struct mat *c, int64_t from, struct operand a, const struct gemm_panel *p,
                         bool accumulates)
{
    int64_t width = c->n_cols;
    int32_t i = 0;

    for (; i + TILE_ROWS <= c->n_rows; i += TILE_ROWS, a.v += TILE_ROWS * a.row)
        strip(TILE_ROWS, mat_row(c, i) + from, width, a, p, accumulates);
    switch (c->n_rows - i) {
#define REST(n)                                                   \
    case n:                                                       \
        strip(n, mat_row(c, i) + from, width, a, p, accumulates); \
        break;
        REST(1) REST(2) REST(3) REST(4) REST(5)
#undef REST
    }
}

bool gemm_tall_is_able(int32_t width)
{
    return width % LANES == 0 && width <= WIDEST && cpu_has_avx512();
}

static void product(struct mat *c, struct operand op, const struct mat *b, bool accumulates)
{
    for (int32_t k = 0; k < b->n_rows; k += DEPTH, op.v += DEPTH * op.col) {
        int32_t depth = b->n_rows - k < DEPTH ? b->n_rows - k : DEPTH;
        struct gemm_panel panel = {mat_row(b, k), b->n_cols, b->n_cols, depth};

        piece(c, 0, op, &panel, accumulates || k > 0);
    }
}

/* ---- the same with the narrow matrix transposed ---- */

typedef int32_t i16 __attribute__((vector_size(64)));

/* Exchange the upper right and the lower left quarter of each block of 2 s rows and columns. */
INLINE void exchange_quarters(v16 *row, int s)
{
    i16 upper, lower;

#pragma GCC unroll 16
    for (int j = 0; j < LANES; j++) {
        upper[j] = j & s ? LANES + j - s : j;
        lower[j] = j & s ? LANES + j : j + s;
    }
#pragma GCC unroll 16
    for (int i = 0; i < LANES; i++)
        if (!(i & s)) {
            v16 above = row[i], below = row[i + s];

            row[i] = __builtin_shuffle(above, below, upper);
            row[i + s] = __builtin_shuffle(above, below, lower);
        }
}

/* to (16, 16) = from^T */
INLINE void transpose_block(float *to, int64_t to_width, const float *from, int64_t from_width)
{
    v16 row[LANES];

#pragma GCC unroll 16
    for (int i = 0; i < LANES; i++)
        row[i] = *(const v16 *)(from + i * from_width);
    exchange_quarters(row, 8);
    exchange_quarters(row, 4);
    exchange_quarters(row, 2);
    exchange_quarters(row, 1);
#pragma GCC unroll 16
    for (int i = 0; i < LANES; i++)
        *(v16 *)(to + i * to_width) = row[i];
}

/* to (depth, columns) = from (columns, depth)^T; columns in sixteens. */
AVX512 static void transpose(float *to, const float *from, int64_t from_width, int64_t columns,
                             int64_t depth)
{
    for (int64_t j = 0; j < columns; j += LANES) {
        const float *rows = from + j * from_width;
        int64_t k = 0;

        for (; k + LANES <= depth; k += LANES)
            transpose_block(to + k * columns + j, columns, rows + k, from_width);
        for (; k < depth; k++)
            for (int i = 0; i < LANES; i++)
                to[k * columns + j + i] = rows[i * from_width + k];
    }
}

static void product_nt(struct mat *c, struct operand op, const struct mat *b, bool accumulates)
{
    float turned[DEPTH * 4 * LANES];

    for (int32_t k = 0; k < b->n_cols; k += DEPTH, op.v += DEPTH) {
        int32_t depth = b->n_cols - k < DEPTH ? b->n_cols - k : DEPTH;

        for (int32_t j = 0; j < b->n_rows; j += 4 * LANES) {
            int32_t columns = b->n_rows - j < 4 * LANES ? b->n_rows - j : 4 * LANES;
            struct gemm_panel panel = {turned, columns, columns, depth};

            transpose(turned, mat_row(b, j) + k, b->n_cols, columns, depth);
            piece(c, j, op, &panel, accumulates || k > 0);
        }
    }
}

static int n_threads = 1; /* requested; OpenBLAS may use fewer */

/* c = op(a) op(b), or added to c, where the kernels above can; else false. */
static bool tall(struct mat *c, const struct mat *a, bool is_a_turned, const struct mat *b,
                 bool is_b_turned, bool adds)
{
    struct operand op = {
        .v = a->v, .row = is_a_turned ? 1 : a->n_cols, .col = is_a_turned ? a->n_cols : 1};

    if (!gemm_tall_is_able(c->n_cols))
        return false;
#pragma omp parallel for num_threads(n_threads) if (n_threads > 1)
    for (int t = 0; t < n_threads; t++) {
        int32_t from = (int32_t)((int64_t)c->n_rows * t / n_threads);
        int32_t to = (int32_t)((int64_t)c->n_rows * (t + 1) / n_threads);
        struct mat rows = mat_view(mat_row(c, from), to - from, c->n_cols);
        struct operand part = {op.v + from * op.row, op.row, op.col};

        (is_b_turned ? product_nt : product)(&rows, part, b, adds);
    }
    return true;
}

#else

static int n_threads = 1;

bool gemm_tall_is_able(int32_t width)
{
    (void)width;
    return false;
}

static bool tall(struct mat *c, const struct mat *a, bool is_a_turned, const struct mat *b,
                 bool is_b_turned, bool adds)
{
    (void)c, (void)a, (void)is_a_turned, (void)b, (void)is_b_turned, (void)adds;
    return false;
}

#endif

/* ---- products with OpenBLAS ---- */

static void multiply(struct mat *c, const struct mat *a, bool is_a_turned, const struct mat *b,
                     bool is_b_turned, bool adds)
{
    enum CBLAS_TRANSPOSE turn_a = is_a_turned ? CblasTrans : CblasNoTrans;
    int32_t depth = is_a_turned ? a->n_rows : a->n_cols;
    float beta = adds ? 1 : 0;

    if (mat_size(c) == 0)
        return;
    if (!depth && !adds) /* cblas_sgemv() would leave c as it is */
        memset(c->v, 0, (size_t)mat_size(c) * sizeof *c->v);
    if (!depth || tall(c, a, is_a_turned, b, is_b_turned, adds))
        return;
    /* cblas_sgemm() would pack the matrix for a single use: 18 us against 3 us for 1058 x 64. */
    if (c->n_cols == 1 && !is_b_turned)
        cblas_sgemv(CblasRowMajor, turn_a, a->n_rows, a->n_cols, 1, a->v, a->n_cols, b->v, 1, beta,
                    c->v, 1);
    else
        cblas_sgemm(CblasRowMajor, turn_a, is_b_turned ? CblasTrans : CblasNoTrans, c->n_rows,
                    c->n_cols, depth, 1, a->v, a->n_cols, b->v, b->n_cols, beta, c->v, c->n_cols);
}

void gemm(struct mat *c, const struct mat *a, const struct mat *b)
{
    assert(c->n_rows == a->n_rows && c->n_cols == b->n_cols && a->n_cols == b->n_rows);
    multiply(c, a, false, b, false, false);
}

void gemm_tn(struct mat *c, const struct mat *a, const struct mat *b, bool adds)
{
    assert(c->n_rows == a->n_cols && c->n_cols == b->n_cols && a->n_rows == b->n_rows);
    multiply(c, a, true, b, false, adds);
}

void gemm_nt(struct mat *c, const struct mat *a, const struct mat *b)
{
    assert(c->n_rows == a->n_rows && c->n_cols == b->n_rows && a->n_cols == b->n_cols);
    multiply(c, a, false, b, true, false);
}

void gemm_gram(double *c, int32_t n, const double *a, int32_t k, bool is_transposed)
{
    cblas_dsyrk(CblasRowMajor, CblasLower, is_transposed ? CblasTrans : CblasNoTrans, n, k, 1, a,
                is_transposed ? n : k, 1, c, n);
}

void gemm_set_threads(int n)
{
    n_threads = n;
    openblas_set_num_threads(n);
}

int gemm_threads(void)
{
    return n_threads;
}

int gemm_library_threads(void)
{
    return openblas_get_num_threads();
}

/* openblas_get_config() writes its text anew in each call. */
static char library[256];

static void name_library(void)
{
    snprintf(library, sizeof library, "%s", openblas_get_config());
}

const char *gemm_library(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, name_library);
    return library;
}

const char *gemm_kernel(void)
{
    return openblas_get_corename();
}

const char *gemm_better_kernel(const char *kernel)
{
#if defined(__x86_64__) && defined(__GNUC__)
    if (strcmp(kernel, "Prescott") != 0)
        return NULL;
    if (__builtin_cpu_supports("avx512bf16"))
        return "Cooperlake";
    if (cpu_has_avx512())
        return "SkylakeX";
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return "Haswell";
#else
    (void)kernel;
#endif
    return NULL;
}
