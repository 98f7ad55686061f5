/* SPDX-License-Identifier: BSD-3-Clause */
/* Scratch memory for one trial. Pieces are aligned to 64 bytes. arena_reset() takes all pieces back.
 * Once a trial was not larger than one before, the next of its size allocates nothing. Not
 * thread-safe. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>

struct arena_block;

struct arena {
    struct arena_block *blocks;
    size_t used_bytes; /* since the last reset */
    size_t peak_bytes;
    size_t next_bytes; /* size of the next block, at least */
    bool counts;       /* set by the caller: pieces count, but have no memory */
    bool is_short;     /* a piece was refused since the last reset: one check for several */
};

/* A zeroed struct is ready for use. */
void arena_release(struct arena *arena);
void arena_reset(struct arena *arena);

/* n items of size bytes, contents undefined; valid for 0 bytes. NULL: out of memory, or
 * overflow. */
void *arena_take(struct arena *arena, size_t n, size_t size);
void *arena_take_zeroed(struct arena *arena, size_t n, size_t size);

/* An arena that counts measures what code would take. The code runs as usual but must not touch its
 * pieces, except those of arena_take_real(), zeroed, which have memory: small tables that the code
 * itself reads. */
void *arena_take_real(struct arena *arena, size_t n, size_t size);

#endif
