#include <assert.h>
#include <string.h>

#include "base/clones.h"
#include "tensor/coded.h"
#include "tensor/gemm.h"
#include "tensor/kernel.h"

/* The result is cut into blocks of 32 columns, or of 16, or of what is left; a panel of 8 tables
 * for such a block is 32 kB. A table holds its entries one after another, once for each 16
 * columns. */

#define INLINE static inline __attribute__((always_inline))
#define LANES 16
#define WIDEST 2 /* vectors in a block */

typedef float v16 __attribute__((vector_size(64), aligned(4), may_alias));

struct tables {
    v16 entry[CODED_PANEL][WIDEST][CODED_ENTRIES];
} __attribute__((aligned(64)));

/* A block of columns and the rows one thread does. */
struct block {
    int32_t column; /* its first */
    int vectors;    /* its columns: WIDEST of LANES, or one of `lanes` */
    int lanes;
    int32_t from, to; /* rows of the result; planes in the transposed product */
};

/* By pointer: how vectors are handed over depends on the instruction set. lanes is a constant LANES
 * wherever the whole vector is meant. */
INLINE void load(v16 *v, const float *p, int lanes)
{
    if (lanes == LANES) {
        *v = *(const v16 *)p;
        return;
    }
    *v = (v16){0};
    memcpy(v, p, (size_t)lanes * sizeof *p);
}

INLINE void store(float *p, const v16 *v, int lanes)
{
    if (lanes == LANES)
        *(v16 *)p = *v;
    else
        memcpy(p, v, (size_t)lanes * sizeof *p);
}

/* to += scale x the sum of eight table entries. */
INLINE void add_entries(float *to, const struct tables *tables, const uint8_t *code, float scale,
                        int vectors, int lanes)
{
    v16 sum[WIDEST] = {{0}, {0}};

#pragma GCC unroll 8
    for (int g = 0; g < CODED_PANEL; g++)
#pragma GCC unroll 2
        for (int v = 0; v < vectors; v++)
            sum[v] += tables->entry[g][v][code[g]];
#pragma GCC unroll 2
    for (int v = 0; v < vectors; v++) {
        v16 before;

        load(&before, to + v * LANES, lanes);
        sum[v] = before + scale * sum[v];
        store(to + v * LANES, &sum[v], lanes);
    }
}

/* ---- product ---- */

/* Rows of w to make tables from, 16 columns of them. */
struct rows {
    const float *w;
    int64_t width;
    const float *value; /* of the columns that the rows stand for */
    const uint8_t *n_values;
};

/* The sums by every combination of values. n_rows and the values of each are constants where that
 * is the usual case: the short loops would cost more in branches than in sums. */
INLINE void combine(v16 *entry, const struct rows *rows, int n_rows, int n_values, int lanes)
{
    int n = 1;

    entry[0] = (v16){0};
#pragma GCC unroll 5
    for (int i = 0; i < n_rows; i++) {
        const float *value = rows->value + i * CODED_VALUES;
        v16 row;

        load(&row, rows->w + i * rows->width, lanes);
#pragma GCC unroll 3
        for (int d = (n_values ? n_values : rows->n_values[i]) - 1; d >= 0; d--)
            for (int e = 0; e < n; e++)
                entry[d * n + e] = entry[e] + value[d] * row;
        n *= n_values ? n_values : rows->n_values[i];
    }
}

static bool all_have(const struct rows *rows, int n_rows, int n_values)
{
    for (int i = 0; i < n_rows; i++)
        if (rows->n_values[i] != n_values)
            return false;
    return true;
}

INLINE void make_table(struct tables *tables, int at, const struct coded *c, int32_t group,
                       const struct mat *w, int32_t column, int vectors, int lanes)
{
    int32_t first = c->column[group];
    int n_rows = c->column[group + 1] - first;

    for (int v = 0; v < vectors; v++) {
        v16 *entry = tables->entry[at][v];
        struct rows rows = {mat_row(w, first) + column + v * LANES, w->n_cols,
                            c->value + (size_t)first * CODED_VALUES, c->n_values + first};

        if (n_rows == 5 && all_have(&rows, 5, 2))
            combine(entry, &rows, 5, 2, lanes);
        else if (n_rows == 3 && all_have(&rows, 3, 3))
            combine(entry, &rows, 3, 3, lanes);
        else
            combine(entry, &rows, n_rows, 0, lanes);
    }
}

INLINE void product_block(struct mat *z, const struct coded *c, const int32_t *rows,
                          const struct mat *w, const struct block *b, int vectors, int lanes)
{
    struct tables tables;

    for (int32_t i = b->from; i < b->to; i++)
        memset(mat_row(z, i) + b->column, 0,
               (size_t)((vectors - 1) * LANES + lanes) * sizeof *z->v);
    for (int32_t first = 0; first < c->n_groups; first += CODED_PANEL) {
        const uint8_t *code = c->by_row + (size_t)first * (size_t)c->n_rows;

        for (int at = 0; at < CODED_PANEL; at++) {
            if (first + at < c->n_groups)
                make_table(&tables, at, c, first + at, w, b->column, vectors, lanes);
            else /* all codes are 0 */
                tables.entry[at][0][0] = tables.entry[at][1][0] = (v16){0};
        }
        for (int32_t i = b->from; i < b->to; i++)
            add_entries(mat_row(z, i) + b->column, &tables,
                        code + (size_t)(rows ? rows[i] : i) * CODED_PANEL, 1, vectors, lanes);
    }
}

CLONES static void do_product(struct mat *z, const struct coded *c, const int32_t *rows,
                              const struct mat *w, const struct block *b)
{
    if (b->vectors == WIDEST)
        product_block(z, c, rows, w, b, WIDEST, LANES);
    else if (b->lanes == LANES)
        product_block(z, c, rows, w, b, 1, LANES);
    else
        product_block(z, c, rows, w, b, 1, b->lanes);
}

/* ---- transposed product ---- */

/* The sums of every subset of the group's rows of g. */
INLINE void make_subsets(struct tables *tables, int at, int32_t first, int32_t n_rows,
                         const struct mat *g, const int32_t *pos, int32_t column, int vectors,
                         int lanes)
{
    for (int v = 0; v < vectors; v++) {
        v16 *entry = tables->entry[at][v];

        entry[0] = (v16){0};
#pragma GCC unroll 5
        for (int bit = 0; bit < CODED_BITS; bit++) {
            int32_t i = first + bit;
            int32_t from = i >= n_rows ? -1 : pos ? pos[i] : i;
            v16 row = {0};

            if (from >= 0)
                load(&row, mat_row(g, from) + column + v * LANES, lanes);
            for (int e = 0; e < 1 << bit; e++)
                entry[(1 << bit) + e] = entry[e] + row;
        }
    }
}

/* Columns between two planes that begin a column: [first, end) for planes [from, to). */
static int32_t column_at(const struct coded *c, int32_t plane)
{
    if (plane == 0)
        return 0;
    return plane == c->n_planes ? c->n_cols : c->plane_column[plane];
}

INLINE void transposed_block(struct mat *dw, const struct coded *c, const struct mat *g,
                             const int32_t *pos, const float *sums, const struct block *b,
                             int vectors, int lanes)
{
    struct tables tables;
    int32_t end = column_at(c, b->to);

    for (int v = 0; v < vectors; v++) {
        int32_t at = b->column + v * LANES;
        v16 sum;

        load(&sum, sums + at, lanes);
        for (int32_t j = column_at(c, b->from); j < end; j++) {
            v16 all = c->value[(size_t)j * CODED_VALUES] * sum;

            store(mat_row(dw, j) + at, &all, lanes);
        }
    }
    for (int32_t first = 0; first * CODED_BITS < c->n_rows; first += CODED_PANEL) {
        const uint8_t *code = c->by_plane + (size_t)first * (size_t)c->n_planes;

        for (int at = 0; at < CODED_PANEL; at++)
            make_subsets(&tables, at, (first + at) * CODED_BITS, c->n_rows, g, pos, b->column,
                         vectors, lanes);
        for (int32_t p = b->from; p < b->to; p++)
            add_entries(mat_row(dw, c->plane_column[p]) + b->column, &tables,
                        code + (size_t)p * CODED_PANEL, c->plane_delta[p], vectors, lanes);
    }
}

CLONES static void do_transposed(struct mat *dw, const struct coded *c, const struct mat *g,
                                 const int32_t *pos, const float *sums, const struct block *b)
{
    if (b->vectors == WIDEST)
        transposed_block(dw, c, g, pos, sums, b, WIDEST, LANES);
    else if (b->lanes == LANES)
        transposed_block(dw, c, g, pos, sums, b, 1, LANES);
    else
        transposed_block(dw, c, g, pos, sums, b, 1, b->lanes);
}

/* ---- blocks and threads ---- */

/* Blocks of 32 columns, then one of 16, then one of what is left. */
static int32_t count_blocks(int32_t width)
{
    return width / (WIDEST * LANES) + width / LANES % WIDEST + (width % LANES > 0);
}

static struct block block_at(int32_t index, int32_t width)
{
    int32_t n_wide = width / (WIDEST * LANES);
    int32_t rest = width % LANES;

    if (index < n_wide)
        return (struct block){index * WIDEST * LANES, WIDEST, LANES, 0, 0};
    if (index == n_wide && width / LANES % WIDEST)
        return (struct block){n_wide * WIDEST * LANES, 1, LANES, 0, 0};
    return (struct block){width - rest, 1, rest, 0, 0};
}

/* How the work is cut for the threads: by columns, for tables are made anew for each cut of rows.
 */
struct cut {
    int threads;
    int32_t n_blocks, n_parts;
};

static struct cut cut_for(int32_t width)
{
    int threads = gemm_threads();
    int32_t n_blocks = count_blocks(width);

    return (struct cut){threads, n_blocks, (threads + n_blocks - 1) / n_blocks};
}

void coded_product(struct mat *z, const struct coded *c, const int32_t *rows, const struct mat *w)
{
    struct cut cut = cut_for(w->n_cols);

    assert(z->n_cols == w->n_cols && w->n_rows == c->n_cols && (rows || z->n_rows == c->n_rows));
#pragma omp parallel for num_threads(cut.threads) if (cut.threads > 1)
    for (int32_t i = 0; i < cut.n_blocks * cut.n_parts; i++) {
        struct block b = block_at(i / cut.n_parts, w->n_cols);
        int64_t part = i % cut.n_parts;

        b.from = (int32_t)(part * z->n_rows / cut.n_parts);
        b.to = (int32_t)((part + 1) * z->n_rows / cut.n_parts);
        do_product(z, c, rows, w, &b);
    }
}

/* About part / n_parts of the planes, where a column begins. */
static int32_t plane_at(const struct coded *c, int64_t part, int32_t n_parts)
{
    int32_t p = (int32_t)(part * c->n_planes / n_parts);

    while (p > 0 && p < c->n_planes && c->plane_column[p] == c->plane_column[p - 1])
        p++;
    return p;
}

void coded_product_tn(struct mat *dw, const struct coded *c, const struct mat *g,
                      const int32_t *pos, float *sums)
{
    struct cut cut = cut_for(g->n_cols);

    assert(dw->n_cols == g->n_cols && dw->n_rows == c->n_cols && (pos || g->n_rows == c->n_rows));
    kernel_column_sums(sums, g);
#pragma omp parallel for num_threads(cut.threads) if (cut.threads > 1)
    for (int32_t i = 0; i < cut.n_blocks * cut.n_parts; i++) {
        struct block b = block_at(i / cut.n_parts, g->n_cols);

        b.from = plane_at(c, i % cut.n_parts, cut.n_parts);
        b.to = plane_at(c, i % cut.n_parts + 1, cut.n_parts);
        do_transposed(dw, c, g, pos, sums, &b);
    }
}
