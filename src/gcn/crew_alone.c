/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "base/arena.h"
#include "gcn/crew.h"
#include "tensor/kernel.h"

/* ---- the tree's sum ---- */

/* One block of each level of the tree fits the first-level cache. */
enum { BLOCK = 512 };

/* Workers of the left half of a tree: the largest power of two below n >= 2. */
static int32_t left_half(int32_t n)
{
    int32_t left = 1;

    while (2 * left < n)
        left *= 2;
    return left;
}

static void sum_block(float *out, const float *parts, size_t stride, int32_t n_workers,
                      size_t count)
{
    float right[BLOCK];
    int32_t left;

    if (n_workers == 1) {
        memcpy(out, parts, count * sizeof *out);
        return;
    }
    if (n_workers == 2) {
        kernel_add(out, parts, parts + stride, (int64_t)count);
        return;
    }
    left = left_half(n_workers);
    sum_block(out, parts, stride, left, count);
    sum_block(right, parts + (size_t)left * stride, stride, n_workers - left, count);
    kernel_add(out, out, right, (int64_t)count);
}

void crew_tree_sum(float *out, const float *parts, size_t stride, int32_t n_workers, size_t count)
{
    for (size_t at = 0; at < count; at += BLOCK)
        sum_block(out + at, parts + at, stride, n_workers, count - at < BLOCK ? count - at : BLOCK);
}

static double sum_doubles(const double *parts, size_t stride, int32_t n_workers)
{
    int32_t left;

    if (n_workers == 1)
        return *parts;
    left = left_half(n_workers);
    return sum_doubles(parts, stride, left) +
           sum_doubles(parts + (size_t)left * stride, stride, n_workers - left);
}

void crew_tree_sum_doubles(double *out, const double *parts, size_t stride, int32_t n_workers,
                           size_t count)
{
    for (size_t i = 0; i < count; i++)
        out[i] = sum_doubles(parts + i, stride, n_workers);
}

/* ---- one rank that runs all workers ---- */

static float *take(struct crew *crew, size_t n, size_t count, struct err *err)
{
    struct crew_alone *alone = crew->self;
    float *taken = count <= SIZE_MAX / sizeof *taken
                       ? arena_take_zeroed(alone->scratch, n, count * sizeof *taken)
                       : NULL;

    if (!taken)
        err_nomem(err, "sums over workers", n * count * sizeof *taken);
    return taken;
}

static float *take_parts(struct crew *crew, size_t count, struct err *err)
{
    return take(crew, (size_t)crew->n_workers, count, err);
}

static float *take_common(struct crew *crew, size_t count, struct err *err)
{
    /* Only a count of a gang's rank has fewer workers than all (trainer.c). */
    return take(crew, (size_t)(crew->n_workers / crew->n), count, err);
}

static void sum(struct crew *crew, float *total, const float *parts, size_t count, size_t begin,
                size_t end)
{
    crew_tree_sum(total + begin, parts + begin, count, crew->n_workers, end - begin);
}

static void sum_few(struct crew *crew, double *total, const double *parts, size_t count)
{
    crew_tree_sum_doubles(total, parts, count, crew->n_workers, count);
}

static void share(struct crew *crew, float *common, const size_t *bounds)
{
    (void)crew;
    (void)common;
    (void)bounds;
}

static bool agree(struct crew *crew, bool wants, struct hash hash)
{
    (void)crew;
    (void)hash;
    return wants;
}

void crew_alone_init(struct crew_alone *alone, int32_t n_workers, struct arena *scratch)
{
    static const struct crew_calls calls = {
        .take_parts = take_parts,
        .take_common = take_common,
        .sum = sum,
        .sum_few = sum_few,
        .share = share,
        .agree = agree,
    };

    *alone = (struct crew_alone){
        .crew = {.n_workers = n_workers, .n = n_workers, .calls = &calls, .self = alone},
        .scratch = scratch,
    };
}
