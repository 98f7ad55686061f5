/* SPDX-License-Identifier: BSD-3-Clause */
/* Scratch memory for one trial. Pieces are aligned to 64 bytes (a cache line, an AVX-512 register).
 * arena_reset() takes all pieces back and keeps the blocks, so the next trial allocates nothing.
 * Not thread-safe. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

struct arena_block;

struct arena {
    struct arena_block *blocks;
    size_t used_bytes; /* since the last reset */
    size_t peak_bytes; /* largest used_bytes so far */
};

/* A zeroed struct is ready for use. */
void arena_release(struct arena *arena);
void arena_reset(struct arena *arena);

/* n items of size bytes, contents undefined. NULL: out of memory, or n * size overflows. 0 bytes
 * give a valid pointer. */
void *arena_take(struct arena *arena, size_t n, size_t size);
void *arena_take_zeroed(struct arena *arena, size_t n, size_t size);

#endif
