/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/rng.h"

#include <Random123/philox.h>
#include <math.h>
#include <string.h>

#include "base/cpu.h"

void rng_init(struct rng *rng, struct hash seed, enum rng_stream stream)
{
    rng->key[0] = (uint32_t)seed.low;
    rng->key[1] = (uint32_t)(seed.low >> 32);
    rng->stream = (uint32_t)stream;
    rng->nonce = (uint32_t)(seed.high >> 32);
}

void rng_block(uint32_t out[4], const struct rng *rng, uint32_t step, uint32_t index)
{
    philox4x32_key_t key = {{rng->key[0], rng->key[1]}};
    philox4x32_ctr_t counter = {{index, step, rng->stream, rng->nonce}};

    counter = philox4x32(counter, key);
    memcpy(out, counter.v, 4 * sizeof *out);
}

CLONES void rng_blocks(uint32_t *restrict out, const struct rng *rng, uint32_t step,
                       const uint32_t *restrict index, size_t n)
{
    philox4x32_key_t key = {{rng->key[0], rng->key[1]}};
    uint32_t stream = rng->stream, nonce = rng->nonce;

    for (size_t i = 0; i < n; i++) {
        philox4x32_ctr_t counter = {{index[i], step, stream, nonce}};

        counter = philox4x32(counter, key);
        for (int word = 0; word < 4; word++)
            out[4 * i + (size_t)word] = counter.v[word];
    }
}

static double unit_interval(uint32_t high, uint32_t low)
{
    uint64_t bits = ((uint64_t)high << 32 | low) >> 11;

    return (double)bits * 0x1p-53;
}

double rng_uniform(const struct rng *rng, uint32_t step, uint32_t index)
{
    uint32_t word[4];

    rng_block(word, rng, step, index);
    return unit_interval(word[0], word[1]);
}

double rng_normal(const struct rng *rng, uint32_t step, uint32_t index)
{
    uint32_t word[4];
    double radius;

    rng_block(word, rng, step, index);
    /* 1 - u is in (0, 1], which keeps the logarithm finite. */
    radius = sqrt(-2 * log(1 - unit_interval(word[0], word[1])));
    return radius * cos(2 * M_PI * unit_interval(word[2], word[3]));
}

void rng_fill(uint32_t *out, size_t n, const struct rng *rng, uint32_t step, uint32_t first_block)
{
    size_t whole = n / 4;
    uint32_t last[4];

    for (size_t i = 0; i < whole; i++)
        rng_block(out + 4 * i, rng, step, first_block + (uint32_t)i);
    if (n % 4) {
        rng_block(last, rng, step, first_block + (uint32_t)whole);
        memcpy(out + 4 * whole, last, n % 4 * sizeof *out);
    }
}

void rng_shuffle(int32_t *items, size_t n, const struct rng *rng, uint32_t step)
{
    for (size_t i = n; i > 1; i--) {
        size_t j = (size_t)(rng_uniform(rng, step, (uint32_t)i) * (double)i);
        int32_t held = items[i - 1];

        items[i - 1] = items[j];
        items[j] = held;
    }
}
