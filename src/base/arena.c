/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Newest first. arena_take() uses the first block with enough room. arena_reset() replaces several
 * blocks by one of their size, since pieces of the next trial may fit none of them. */

#define ALIGNMENT 64
#define MIN_BLOCK ((size_t)1 << 20)

struct arena_block {
    struct arena_block *next;
    char *data; /* aligned; owned */
    size_t size;
    size_t used;
};

static struct arena_block *block_create(size_t size)
{
    struct arena_block *block = malloc(sizeof *block);

    if (!block)
        return NULL;
    block->data = aligned_alloc(ALIGNMENT, size);
    if (!block->data) {
        free(block);
        return NULL;
    }
    block->size = size;
    block->used = 0;
    return block;
}

static void *take(struct arena *arena, size_t bytes)
{
    struct arena_block *block;
    void *piece;

    for (block = arena->blocks; block; block = block->next)
        if (block->size - block->used >= bytes)
            break;
    if (!block) {
        size_t wanted = arena->next_bytes > MIN_BLOCK ? arena->next_bytes : MIN_BLOCK;

        block = block_create(bytes > wanted ? bytes : wanted);
        if (!block)
            return NULL;
        arena->next_bytes = 0;
        block->next = arena->blocks;
        arena->blocks = block;
    }
    piece = block->data + block->used;
    block->used += bytes;
    return piece;
}

static void *take_counted(struct arena *arena, size_t n, size_t size, bool is_real)
{
    static _Alignas(ALIGNMENT) char nowhere[ALIGNMENT];
    size_t bytes;
    void *piece;

    if (size && n > (SIZE_MAX - ALIGNMENT) / size) {
        arena->is_short = true;
        return NULL;
    }
    bytes = (n * size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    piece = is_real ? take(arena, bytes) : nowhere;
    if (!piece) {
        arena->is_short = true;
        return NULL;
    }
    arena->used_bytes += bytes;
    if (arena->used_bytes > arena->peak_bytes)
        arena->peak_bytes = arena->used_bytes;
    return piece;
}

void *arena_take(struct arena *arena, size_t n, size_t size)
{
    return take_counted(arena, n, size, !arena->counts);
}

void *arena_take_zeroed(struct arena *arena, size_t n, size_t size)
{
    void *piece = arena_take(arena, n, size);

    if (piece && !arena->counts)
        memset(piece, 0, n * size);
    return piece;
}

void *arena_take_real(struct arena *arena, size_t n, size_t size)
{
    void *piece = take_counted(arena, n, size, true);

    if (piece)
        memset(piece, 0, n * size);
    return piece;
}

static void release_blocks(struct arena *arena)
{
    struct arena_block *next;

    for (struct arena_block *block = arena->blocks; block; block = next) {
        next = block->next;
        free(block->data);
        free(block);
    }
    arena->blocks = NULL;
}

void arena_reset(struct arena *arena)
{
    if (arena->blocks && arena->blocks->next) {
        release_blocks(arena);
        arena->next_bytes = arena->used_bytes;
    } else if (arena->blocks) {
        arena->blocks->used = 0;
    }
    arena->used_bytes = 0;
    arena->is_short = false;
}

void arena_release(struct arena *arena)
{
    if (!arena)
        return;
    release_blocks(arena);
    memset(arena, 0, sizeof *arena);
}
