/* SPDX-License-Identifier: BSD-3-Clause */
#include <assert.h>
#include <string.h>

#include "base/cpu.h"
#include "base/sorted.h"
#include "tensor/coded.h"
#include "tensor/gemm.h"

/* Blocks are 16 columns and CHUNK rows; in the transposed product up to 64 columns and some groups.
 * They do not change the order of summation. */

#define INLINE static inline __attribute__((always_inline))
#define LANES 16
#define WIDEST 4   /* vectors in a block of the transposed product */
#define CHUNK 1024 /* rows: 64 kB, enough to amortise the tables */

typedef float v16 __attribute__((vector_size(64), aligned(4), may_alias));

/* By pointer: the convention for passing vectors by value depends on the instruction set. lanes is
 * constant for whole vectors. */
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

/* ---- product ---- */

struct coded_part {
    struct mat *z;
    const struct coded *c;
    const int32_t *rows;
    const struct mat *w;
    int32_t column;
    int lanes;
    int32_t from, to;
};

struct tables {
    v16 entry[CODED_ENTRIES];
    v16 sum[CHUNK];
} __attribute__((aligned(64)));

INLINE void make_table(v16 *entry, const struct coded_part *part, int32_t group, int lanes)
{
    const struct coded *c = part->c;
    int32_t first = c->entry[group];
    const float *w = part->w->v + part->column;
    int64_t width = part->w->n_cols;
    v16 root = {0}, row;

    for (int32_t j = c->column[group]; j < c->column[group + 1]; j++) {
        load(&row, w + j * width, lanes);
        root += c->base[j] * row;
    }
    entry[0] = root;
    for (int32_t e = first + 1; e < c->entry[group + 1]; e++) {
        v16 sum = entry[c->parent[e]];

        for (int32_t i = c->item[e]; i < c->item[e + 1]; i++) {
            load(&row, w + c->item_column[i] * width, lanes);
            sum += c->item_delta[i] * row;
        }
        entry[e - first] = sum;
    }
}

/* A constant panel unrolls the inner loop. */
INLINE void add_panel(v16 *sum, int32_t n, const v16 *entry, const uint8_t *code,
                      const int32_t *rows, int panel)
{
    for (int32_t i = 0; i < n; i++) {
        const uint8_t *of_row = code + (size_t)(rows ? rows[i] : i) * (size_t)panel;
        v16 s = sum[i];

#pragma GCC unroll 16
        for (int k = 0; k < panel; k++)
            s += entry[k * (CODED_ENTRIES / panel) + of_row[k]];
        sum[i] = s;
    }
}

static inline void add_any_panel(v16 *sum, int32_t n, const v16 *entry, const uint8_t *code,
                                 const int32_t *rows, int panel)
{
    switch (panel) {
    case CODED_ENTRIES / 32:
        add_panel(sum, n, entry, code, rows, CODED_ENTRIES / 32);
        break;
    case CODED_ENTRIES / 64:
        add_panel(sum, n, entry, code, rows, CODED_ENTRIES / 64);
        break;
    case CODED_ENTRIES / 128:
        add_panel(sum, n, entry, code, rows, CODED_ENTRIES / 128);
        break;
    default:
        add_panel(sum, n, entry, code, rows, CODED_ENTRIES / 256);
    }
}

/* Groups missing from the last panel have code 0 everywhere. */
INLINE void product_chunk(struct tables *tables, const struct coded_part *part, int32_t from,
                          int32_t n, int lanes)
{
    const struct coded *c = part->c;
    int32_t limit = CODED_ENTRIES / c->panel;
    size_t offset = part->rows ? 0 : (size_t)from * (size_t)c->panel;

    memset(tables->sum, 0, (size_t)n * sizeof tables->sum[0]);
    for (int32_t first = 0; first < c->n_groups; first += c->panel) {
        for (int32_t k = 0; k < c->panel; k++) {
            if (first + k < c->n_groups)
                make_table(tables->entry + k * limit, part, first + k, lanes);
            else
                tables->entry[k * limit] = (v16){0};
        }
        add_any_panel(tables->sum, n, tables->entry,
                      c->code + (size_t)first * (size_t)c->n_rows + offset,
                      part->rows ? part->rows + from : NULL, c->panel);
    }
    for (int32_t i = 0; i < n; i++)
        store(mat_row(part->z, from + i) + part->column, &tables->sum[i], lanes);
}

CLONES static void do_product(const struct coded_part *part)
{
    struct tables tables;

    for (int32_t from = part->from; from < part->to; from += CHUNK) {
        int32_t n = part->to - from < CHUNK ? part->to - from : CHUNK;

        if (part->lanes == LANES)
            product_chunk(&tables, part, from, n, LANES);
        else
            product_chunk(&tables, part, from, n, part->lanes);
    }
}

/* Threads get whole blocks of columns first, because further cuts cost extra work. */
static int32_t count_cuts(int32_t n_blocks)
{
    return (gemm_threads() + n_blocks - 1) / n_blocks;
}

void coded_product(struct mat *z, const struct coded *c, const int32_t *rows, const struct mat *w)
{
    int32_t n_blocks = (w->n_cols + LANES - 1) / LANES, n_cuts = count_cuts(n_blocks);
    int threads = gemm_threads();

    assert(z->n_cols == w->n_cols && w->n_rows == c->n_cols && (rows || z->n_rows == c->n_rows));
#pragma omp parallel for num_threads(threads) if (threads > 1)
    for (int32_t i = 0; i < n_blocks * n_cuts; i++) {
        int32_t column = i / n_cuts * LANES;
        int64_t cut = i % n_cuts;
        struct coded_part part = {
            .z = z,
            .c = c,
            .rows = rows,
            .w = w,
            .column = column,
            .lanes = w->n_cols - column < LANES ? w->n_cols - column : LANES,
            .from = (int32_t)(cut * z->n_rows / n_cuts),
            .to = (int32_t)((cut + 1) * z->n_rows / n_cuts),
        };

        do_product(&part);
    }
}

/* ---- transposed product ---- */

struct part_tn {
    struct mat *dw;
    const struct coded *c;
    const struct mat *g;
    const int32_t *pos;
    int32_t begin, end; /* rows of the matrix */
    int32_t column;
    int vectors, lanes; /* whole vectors, or one of `lanes` */
    int32_t from, to;   /* groups */
};

/* Cut rows run[0] ... run[n - 1] to begin ... end - 1. */
static const int32_t *cut_run(int32_t *n, const int32_t *run, int32_t begin, int32_t end)
{
    int32_t first = (int32_t)sorted_below(run, *n, begin);

    *n = (int32_t)sorted_below(run, *n, end) - first;
    return run + first;
}

INLINE void sum_run(v16 *sum, const struct part_tn *part, int32_t entry, int vectors, int lanes)
{
    const struct coded *c = part->c;
    const float *g = part->g->v + part->column;
    int64_t width = part->g->n_cols;
    v16 total[WIDEST] = {{0}, {0}, {0}, {0}}, row;
    const int32_t *run = c->run + c->run_start[entry];
    int32_t n = c->run_start[entry + 1] - c->run_start[entry];

    if (part->end - part->begin < c->n_rows)
        run = cut_run(&n, run, part->begin, part->end);
    for (int32_t r = 0; r < n; r++) {
        int64_t i = part->pos ? part->pos[run[r]] : run[r];

        if (i < 0)
            continue;
#pragma GCC unroll 4
        for (int v = 0; v < vectors; v++) {
            load(&row, g + i * width + v * LANES, lanes);
            total[v] += row;
        }
    }
    for (int v = 0; v < vectors; v++)
        sum[v] = total[v];
}

INLINE void add_row(float *to, float scale, const v16 *sum, int vectors, int lanes)
{
    for (int v = 0; v < vectors; v++) {
        v16 row;

        load(&row, to + v * LANES, lanes);
        row += scale * sum[v];
        store(to + v * LANES, &row, lanes);
    }
}

INLINE void transposed_group(const struct part_tn *part, int32_t group, int vectors, int lanes)
{
    const struct coded *c = part->c;
    int32_t first = c->entry[group], n = c->entry[group + 1] - first;
    float *dw = part->dw->v + part->column;
    int64_t width = part->dw->n_cols;
    v16 sum[CODED_MOST_LIMIT][WIDEST];

    for (int32_t e = 0; e < n; e++)
        sum_run(sum[e], part, first + e, vectors, lanes);
    /* Children follow parents: each sum becomes that of its branch. */
    for (int32_t e = n - 1; e > 0; e--)
        for (int v = 0; v < vectors; v++)
            sum[c->parent[first + e]][v] += sum[e][v];
    for (int32_t j = c->column[group]; j < c->column[group + 1]; j++) {
        for (int v = 0; v < vectors; v++) {
            v16 all = c->base[j] * sum[0][v];

            store(dw + j * width + v * LANES, &all, lanes);
        }
    }
    for (int32_t e = 1; e < n; e++)
        for (int32_t i = c->item[first + e]; i < c->item[first + e + 1]; i++)
            add_row(dw + c->item_column[i] * width, c->item_delta[i], sum[e], vectors, lanes);
}

CLONES static void do_transposed(const struct part_tn *part)
{
    for (int32_t group = part->from; group < part->to; group++) {
        if (part->lanes < LANES)
            transposed_group(part, group, 1, part->lanes);
        else if (part->vectors == WIDEST)
            transposed_group(part, group, WIDEST, LANES);
        else
            transposed_group(part, group, 1, LANES);
    }
}

static int32_t count_blocks(int32_t width)
{
    int32_t rest = width % (WIDEST * LANES);

    return width / (WIDEST * LANES) + (rest + LANES - 1) / LANES;
}

static struct part_tn block_at(int32_t index, int32_t width)
{
    int32_t n_wide = width / (WIDEST * LANES);
    int32_t column = index < n_wide ? index * WIDEST * LANES
                                    : n_wide * WIDEST * LANES + (index - n_wide) * LANES;
    int32_t left = width - column;

    return (struct part_tn){
        .column = column,
        .vectors = index < n_wide ? WIDEST : 1,
        .lanes = left < LANES ? left : LANES,
    };
}

void coded_product_tn(struct mat *dw, const struct coded *c, const struct mat *g,
                      const int32_t *pos, int32_t begin, int32_t end)
{
    int32_t n_blocks = count_blocks(g->n_cols), n_cuts = count_cuts(n_blocks);
    int threads = gemm_threads();

    assert(dw->n_cols == g->n_cols && dw->n_rows == c->n_cols && (pos || g->n_rows == c->n_rows));
#pragma omp parallel for num_threads(threads) if (threads > 1)
    for (int32_t i = 0; i < n_blocks * n_cuts; i++) {
        struct part_tn part = block_at(i / n_cuts, g->n_cols);
        int64_t cut = i % n_cuts;

        part.dw = dw;
        part.c = c;
        part.g = g;
        part.pos = pos;
        part.begin = begin;
        part.end = end;
        part.from = (int32_t)(cut * c->n_groups / n_cuts);
        part.to = (int32_t)((cut + 1) * c->n_groups / n_cuts);
        do_transposed(&part);
    }
}
