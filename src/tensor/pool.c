/* SPDX-License-Identifier: BSD-3-Clause */
#include "tensor/pool.h"

#include <string.h>

#include "base/cpu.h"
#include "tensor/kernel.h"

CLONES static void scale_row(float *out, const float *row, float by, int32_t n)
{
    for (int32_t j = 0; j < n; j++)
        out[j] = by * row[j];
}

/* NaN wins and stays, because !(NaN <= b) is true. */
CLONES static void raise_row(float *restrict best, int32_t *restrict winner,
                             const float *restrict row, int32_t i, int32_t n)
{
    for (int32_t j = 0; j < n; j++) {
        int32_t wins = !(row[j] <= best[j]) & (best[j] == best[j]);

        winner[j] = wins ? i : winner[j];
        best[j] = wins ? row[j] : best[j];
    }
}

static size_t row_bytes(const struct mat *m)
{
    return (size_t)m->n_cols * sizeof *m->v;
}

static void pick_greatest(struct mat *out, int32_t *winner, const struct mat *h, int32_t g,
                          int32_t begin, int32_t end)
{
    float *best = mat_row(out, g);
    int32_t *from = winner + (int64_t)g * out->n_cols;

    memcpy(best, mat_row(h, begin), row_bytes(out));
    for (int32_t j = 0; j < out->n_cols; j++)
        from[j] = begin;
    for (int32_t i = begin + 1; i < end; i++)
        raise_row(best, from, mat_row(h, i), i, out->n_cols);
}

static float share(enum pool pool, int32_t n)
{
    return pool == POOL_MEAN ? 1 / (float)n : 1;
}

void pool_forward(struct mat *out, int32_t *winner, const struct mat *h, const int32_t *start,
                  enum pool pool)
{
    for (int32_t g = 0; g < out->n_rows; g++) {
        float *row = mat_row(out, g);

        if (pool == POOL_MAX) {
            pick_greatest(out, winner, h, g, start[g] - start[0], start[g + 1] - start[0]);
            continue;
        }
        memcpy(row, mat_row(h, start[g] - start[0]), row_bytes(out));
        for (int32_t i = start[g] + 1; i < start[g + 1]; i++)
            kernel_add(row, row, mat_row(h, i - start[0]), out->n_cols);
        scale_row(row, row, share(pool, start[g + 1] - start[g]), out->n_cols);
    }
}

void pool_backward(struct mat *dh, const struct mat *d, const int32_t *winner, const int32_t *start,
                   enum pool pool)
{
    if (pool == POOL_MAX)
        memset(dh->v, 0, (size_t)mat_size(dh) * sizeof *dh->v);
    for (int32_t g = 0; g < d->n_rows; g++) {
        const float *row = mat_row(d, g);

        for (int32_t j = 0; pool == POOL_MAX && j < d->n_cols; j++)
            mat_row(dh, winner[(int64_t)g * d->n_cols + j])[j] = row[j];
        for (int32_t i = start[g]; pool != POOL_MAX && i < start[g + 1]; i++)
            scale_row(mat_row(dh, i - start[0]), row, share(pool, start[g + 1] - start[g]),
                      d->n_cols);
    }
}
