/* SPDX-License-Identifier: BSD-3-Clause */
#include "gang/tree.h"

#include <stdlib.h>
#include <string.h>

#include "tensor/kernel.h"

/* One block of each level of the tree fits the first-level cache. */
enum { BLOCK = 512 };

int tree_init(struct tree *tree, int32_t n)
{
    tree->n = n;
    tree->end = calloc((size_t)n, sizeof *tree->end);
    tree->row = calloc((size_t)n, sizeof *tree->row);
    return tree->end && tree->row ? 0 : -1;
}

void tree_release(struct tree *tree)
{
    free(tree->end);
    free(tree->row);
    *tree = (struct tree){0};
}

/* The first worker of the right half of node first ... end - 1. */
static int32_t right_half(int32_t first, int32_t end)
{
    int32_t left = 1;

    while (2 * left < end - first)
        left *= 2;
    return first + left;
}

static int32_t cover(struct tree *tree, int32_t first, int32_t last_end, int32_t begin, int32_t end)
{
    int32_t right;

    if (last_end <= begin || end <= first)
        return 0;
    if (begin <= first && last_end <= end) {
        tree->end[first] = last_end;
        return 1;
    }
    right = right_half(first, last_end);
    return cover(tree, first, right, begin, end) + cover(tree, right, last_end, begin, end);
}

int32_t tree_cover(struct tree *tree, int32_t begin, int32_t end)
{
    return cover(tree, 0, tree->n, begin, end);
}

/* Return numbers at ... at + n - 1 of the node of workers first ... end - 1: a given row, or
 * room. */
static const float *sum_block(float *room, const struct tree *tree, int32_t first, int32_t end,
                              size_t at, size_t n)
{
    float right_room[BLOCK];
    const float *left, *right;
    int32_t middle;

    if (tree->end[first] == end)
        return tree->row[first] + at;
    middle = right_half(first, end);
    left = sum_block(room, tree, first, middle, at, n);
    right = sum_block(right_room, tree, middle, end, at, n);
    kernel_add(room, left, right, (int64_t)n);
    return room;
}

void tree_sum(float *out, const struct tree *tree, size_t begin, size_t end)
{
    for (size_t at = begin, n; at < end; at += n) {
        const float *sum;

        n = end - at < BLOCK ? end - at : BLOCK;
        sum = sum_block(out + at, tree, 0, tree->n, at, n);
        if (sum != out + at)
            memcpy(out + at, sum, n * sizeof *out);
    }
}
