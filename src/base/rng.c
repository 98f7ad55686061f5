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

CLONES static void make_blocks(uint32_t *restrict out, const struct rng *rng, uint32_t step,
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

#if defined(__x86_64__) && defined(__GNUC__)

#include <immintrin.h>

enum { LANES = 8 };

/* make_blocks() for whole eights: 1.9 ns a block on an Emerald Rapids, where the compiler's vectors take
 * 4.9 ns. Word w of block i is in the lower half of lane i of c[w]; upper halves do not matter. */
AVX512 static void make_eights(uint32_t *restrict out, const struct rng *rng, uint32_t step,
                               const uint32_t *restrict index, size_t n)
{
    const __m512i first = _mm512_set_epi64(11, 3, 10, 2, 9, 1, 8, 0);
    const __m512i last = _mm512_set_epi64(15, 7, 14, 6, 13, 5, 12, 4);
    const __m512i m0 = _mm512_set1_epi64(PHILOX_M4x32_0), m1 = _mm512_set1_epi64(PHILOX_M4x32_1);

    for (size_t i = 0; i < n; i += LANES, out += 4 * LANES) {
        uint32_t k0 = rng->key[0], k1 = rng->key[1];
        __m512i low, high, c[4];

        c[0] = _mm512_cvtepu32_epi64(_mm256_loadu_si256((const __m256i *)(index + i)));
        c[1] = _mm512_set1_epi64(step);
        c[2] = _mm512_set1_epi64(rng->stream);
        c[3] = _mm512_set1_epi64(rng->nonce);
#pragma GCC unroll 10
        for (int round = 0; round < PHILOX4x32_DEFAULT_ROUNDS; round++) {
            __m512i p0 = _mm512_mul_epu32(c[0], m0), p1 = _mm512_mul_epu32(c[2], m1);

            c[0] = _mm512_xor_si512(_mm512_xor_si512(_mm512_srli_epi64(p1, 32), c[1]),
                                    _mm512_set1_epi64(k0));
            c[2] = _mm512_xor_si512(_mm512_xor_si512(_mm512_srli_epi64(p0, 32), c[3]),
                                    _mm512_set1_epi64(k1));
            c[1] = p1;
            c[3] = p0;
            k0 += PHILOX_W32_0;
            k1 += PHILOX_W32_1;
        }
        low = _mm512_mask_blend_epi32(0xaaaa, c[0], _mm512_slli_epi64(c[1], 32));
        high = _mm512_mask_blend_epi32(0xaaaa, c[2], _mm512_slli_epi64(c[3], 32));
        _mm512_storeu_si512(out, _mm512_permutex2var_epi64(low, first, high));
        _mm512_storeu_si512(out + 2 * LANES, _mm512_permutex2var_epi64(low, last, high));
    }
}

void rng_blocks(uint32_t *restrict out, const struct rng *rng, uint32_t step,
                const uint32_t *restrict index, size_t n)
{
    size_t n_wide = cpu_has_avx512() ? n / LANES * LANES : 0;

    if (n_wide) /* without AVX-512 not even its first instruction may run */
        make_eights(out, rng, step, index, n_wide);
    make_blocks(out + 4 * n_wide, rng, step, index + n_wide, n - n_wide);
}

#else

void rng_blocks(uint32_t *restrict out, const struct rng *rng, uint32_t step,
                const uint32_t *restrict index, size_t n)
{
    make_blocks(out, rng, step, index, n);
}

#endif

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

void rng_shuffle(int32_t *items, size_t n, const struct rng *rng, uint32_t step)
{
    for (size_t i = n; i > 1; i--) {
        size_t j = (size_t)(rng_uniform(rng, step, (uint32_t)i) * (double)i);
        int32_t held = items[i - 1];

        items[i - 1] = items[j];
        items[j] = held;
    }
}
