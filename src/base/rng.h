/* SPDX-License-Identifier: BSD-3-Clause */
/* Counter-based random numbers: a number has an address; there is no state (doc/decisions/0001).
 * The counter is (index, step, stream, upper half of seed.high); the key is seed.low.
 * Source: Salmon et al. 2011, "Parallel random numbers: as easy as 1, 2, 3", SC11; Philox4x32-10 as
 * in Random123. */
#ifndef BASE_RNG_H
#define BASE_RNG_H

#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"

/* The values are part of every trial's identity: never renumber. */
enum rng_stream {
    RNG_WEIGHTS = 1,       /* the step is the layer */
    RNG_DROPOUT = 2,       /* of hidden units */
    RNG_INPUT_DROPOUT = 3, /* of features */
    RNG_BATCH = 4,         /* order of the training nodes */
    RNG_SPLIT_TEST = 5,
    RNG_SPLIT_FOLD = 6,
    RNG_SIMULATE = 7,
    RNG_SPLIT_STOP = 8,
    RNG_SEARCH = 9, /* proposers of configurations */
};

struct rng {
    uint32_t key[2];
    uint32_t stream;
    uint32_t nonce;
};

void rng_init(struct rng *rng, struct hash seed, enum rng_stream stream);

void rng_block(uint32_t out[4], const struct rng *rng, uint32_t step, uint32_t index);

/* out (n, 4): like n calls of rng_block(). */
void rng_blocks(uint32_t *out, const struct rng *rng, uint32_t step, const uint32_t *index,
                size_t n);

/* Uniform in [0, 1) with 53 bits; standard normal (Box & Muller 1958). */
double rng_uniform(const struct rng *rng, uint32_t step, uint32_t index);
double rng_normal(const struct rng *rng, uint32_t step, uint32_t index);

/* Permute items uniformly in place (Fisher & Yates; Durstenfeld 1964). */
void rng_shuffle(int32_t *items, size_t n, const struct rng *rng, uint32_t step);

#endif
