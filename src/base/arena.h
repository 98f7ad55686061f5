/* SPDX-License-Identifier: BSD-3-Clause */
/* Scratch memory for one trial. Pieces are aligned to 64 bytes. arena_reset() takes all pieces back.
 * Once a trial was not larger than one before, the next of its size allocates nothing. Not
 * thread-safe. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

struct arena_block;

struct arena {
    struct arena_block *blocks;
    size_t used_bytes; /* since the last reset */
    size_t peak_bytes;
    size_t next_bytes; /* size of the next block, at least */
};

/* A zeroed struct is ready for use. */
void arena_release(struct arena *arena);
void arena_reset(struct arena *arena);

/* n items of size bytes, contents undefined; valid for 0 bytes. NULL: out of memory, or
 * overflow. */
void *arena_take(struct arena *arena, size_t n, size_t size);
void *arena_take_zeroed(struct arena *arena, size_t n, size_t size);

#endif
