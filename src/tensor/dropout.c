/* SPDX-License-Identifier: BSD-3-Clause */
#include "tensor/dropout.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/cpu.h"

#define PER_BLOCK 8
#define BATCH 64 /* blocks made at a time: 1 kB */

void dropout_init(struct dropout *dropout, double probability, struct hash key,
                  enum rng_stream stream)
{
    double threshold = round(probability * 65536);

    assert(probability >= 0 && probability < 1);
    /* A probability just below 1 would round to 1. */
    if (threshold > 65535)
        threshold = 65535;
    rng_init(&dropout->rng, key, stream);
    dropout->threshold = (uint16_t)threshold;
    dropout->scale = (float)(65536 / (65536 - threshold));
}

bool dropout_is_off(const struct dropout *dropout)
{
    return dropout->threshold == 0;
}

static int32_t blocks_of(int64_t width)
{
    return (int32_t)((width + PER_BLOCK - 1) / PER_BLOCK);
}

int32_t dropout_stride(int32_t width)
{
    return blocks_of(width) * PER_BLOCK;
}

struct queue {
    const struct dropout *dropout;
    uint32_t step;
    uint16_t *bits;
    size_t n;
    uint32_t index[BATCH];
};

static void flush(struct queue *queue)
{
    uint32_t words[4 * BATCH];

    rng_blocks(words, &queue->dropout->rng, queue->step, queue->index, queue->n);
    /* a machine is little-endian: the lower half of each word first */
    memcpy(queue->bits, words, 4 * queue->n * sizeof *words);
    queue->bits += PER_BLOCK * queue->n;
    queue->n = 0;
}

/* Blocks first ... first + n - 1. */
static void push(struct queue *queue, uint32_t first, uint32_t n)
{
    while (n) {
        uint32_t room = (uint32_t)(BATCH - queue->n), some = n < room ? n : room;

        for (uint32_t b = 0; b < some; b++)
            queue->index[queue->n + b] = first + b;
        queue->n += some;
        first += some;
        n -= some;
        if (queue->n == BATCH)
            flush(queue);
    }
}

void dropout_bits(uint16_t *bits, const struct dropout *dropout, uint32_t step, const int32_t *rows,
                  int32_t n, int32_t width)
{
    struct queue queue = {.dropout = dropout, .step = step, .bits = bits};
    uint32_t blocks = (uint32_t)blocks_of(width);

    for (int32_t i = 0; i < n; i++)
        push(&queue, (uint32_t)(rows ? rows[i] : i) * blocks, blocks);
    flush(&queue);
}

CLONES static void apply(float *restrict y, const float *restrict x, const uint16_t *restrict bits,
                         int64_t n, uint16_t threshold, float scale)
{
    for (int64_t j = 0; j < n; j++)
        y[j] = bits[j] >= threshold ? scale * x[j] : 0;
}

static void apply_blocks(float *y, const struct dropout *dropout, uint32_t step, const float *x,
                         int64_t n, uint32_t first_block)
{
    uint16_t bits[PER_BLOCK * BATCH];

    for (int64_t at = 0; at < n; at += PER_BLOCK * BATCH) {
        int64_t here = n - at < PER_BLOCK * BATCH ? n - at : PER_BLOCK * BATCH;
        struct queue queue = {.dropout = dropout, .step = step, .bits = bits};

        push(&queue, first_block + (uint32_t)(at / PER_BLOCK), (uint32_t)blocks_of(here));
        flush(&queue);
        apply(y + at, x + at, bits, here, dropout->threshold, dropout->scale);
    }
}

void dropout_rows(struct mat *y, const struct dropout *dropout, uint32_t step, const struct mat *x,
                  const int32_t *rows)
{
    assert(y->n_cols == x->n_cols);
    for (int32_t i = 0; i < y->n_rows; i++) {
        int32_t r = rows ? rows[i] : i;

        apply_blocks(mat_row(y, i), dropout, step, mat_row(x, r), x->n_cols,
                     (uint32_t)r * (uint32_t)blocks_of(x->n_cols));
    }
}

void dropout_entries(float *val, const struct dropout *dropout, uint32_t step, const struct csr *a,
                     const int32_t *rows, int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        int32_t r = rows ? rows[i] : i;
        int64_t begin = a->row_start[r];

        apply_blocks(val + begin, dropout, step, a->val + begin, a->row_start[r + 1] - begin,
                     (uint32_t)(begin / PER_BLOCK + r));
    }
}
