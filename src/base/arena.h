/* SPDX-License-Identifier: BSD-3-Clause */
/* Scratch memory for one trial: taken piece by piece, given back all at once.
 *
 * Every piece is aligned to 64 bytes (a cache line, an AVX-512 register). Blocks are kept by
 * arena_reset(), so that the next trial of the same size allocates nothing. One owner; not
 * thread-safe. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

struct arena_block;

struct arena {
    struct arena_block *blocks;
    size_t used_bytes; /* since the last reset */
    size_t peak_bytes; /* the most ever used between two resets */
};

/* Zero-initialise to begin. */
void arena_release(struct arena *arena);
void arena_reset(struct arena *arena);

/* n items of size bytes, contents undefined; NULL when memory is short or n * size overflows.
 * Asking for 0 bytes returns a valid pointer. */
void *arena_take(struct arena *arena, size_t n, size_t size);
/* The same, zeroed. */
void *arena_take_zeroed(struct arena *arena, size_t n, size_t size);

#endif
