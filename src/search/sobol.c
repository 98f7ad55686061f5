/* SPDX-License-Identifier: BSD-3-Clause */
#include "search/sobol.h"

#include <assert.h>
#include <stddef.h>

enum { BITS = 32, MOST_DEGREE = 9 };

/* For each axis the primitive polynomial, and the first direction numbers, one for each degree. The first axis
 * is the van der Corput sequence. */
static const struct {
    uint32_t polynomial;
    uint32_t first[MOST_DEGREE];
} axes[SOBOL_MOST_AXES] = {
    {1, {1}},
    {3, {1}},
    {7, {1, 3}},
    {11, {1, 3, 1}},
    {13, {1, 1, 1}},
    {19, {1, 1, 3, 3}},
    {25, {1, 3, 5, 13}},
    {37, {1, 1, 5, 5, 17}},
    {41, {1, 1, 5, 5, 5}},
    {47, {1, 1, 7, 11, 19}},
    {55, {1, 1, 5, 1, 1}},
    {59, {1, 1, 1, 3, 11}},
    {61, {1, 3, 5, 5, 31}},
    {67, {1, 3, 3, 9, 7, 49}},
    {91, {1, 1, 1, 15, 21, 21}},
    {97, {1, 3, 1, 13, 27, 49}},
    {103, {1, 1, 1, 15, 7, 5}},
    {109, {1, 3, 1, 15, 13, 25}},
    {115, {1, 1, 5, 5, 19, 61}},
    {131, {1, 3, 7, 11, 23, 15, 103}},
    {137, {1, 3, 7, 13, 13, 15, 69}},
    {143, {1, 1, 3, 13, 7, 35, 63}},
    {145, {1, 3, 5, 9, 1, 25, 53}},
    {157, {1, 3, 1, 13, 9, 35, 107}},
    {167, {1, 3, 1, 5, 27, 61, 31}},
    {171, {1, 1, 5, 11, 19, 41, 61}},
    {185, {1, 3, 5, 3, 3, 13, 69}},
    {191, {1, 1, 7, 13, 1, 19, 1}},
    {193, {1, 3, 7, 5, 13, 19, 59}},
    {203, {1, 1, 3, 9, 25, 29, 41}},
    {211, {1, 3, 5, 13, 23, 1, 55}},
    {213, {1, 3, 7, 3, 13, 59, 17}},
    {229, {1, 3, 1, 3, 5, 53, 69}},
    {239, {1, 1, 5, 5, 23, 33, 13}},
    {241, {1, 1, 7, 7, 1, 61, 123}},
    {247, {1, 1, 7, 9, 13, 61, 49}},
    {253, {1, 3, 3, 5, 3, 55, 33}},
    {285, {1, 3, 1, 15, 31, 13, 49, 245}},
    {299, {1, 3, 5, 15, 31, 59, 63, 97}},
    {301, {1, 3, 1, 11, 11, 11, 77, 249}},
    {333, {1, 3, 1, 11, 27, 43, 71, 9}},
    {351, {1, 1, 7, 15, 21, 11, 81, 45}},
    {355, {1, 3, 7, 3, 25, 31, 65, 79}},
    {357, {1, 3, 1, 1, 19, 11, 3, 205}},
    {361, {1, 1, 5, 9, 19, 21, 29, 157}},
    {369, {1, 3, 7, 11, 1, 33, 89, 185}},
    {391, {1, 3, 3, 3, 15, 9, 79, 71}},
    {397, {1, 3, 7, 11, 15, 39, 119, 27}},
    {425, {1, 1, 3, 1, 11, 31, 97, 225}},
    {451, {1, 1, 1, 3, 23, 43, 57, 177}},
    {463, {1, 3, 7, 7, 17, 17, 37, 71}},
    {487, {1, 3, 1, 5, 27, 63, 123, 213}},
    {501, {1, 1, 3, 5, 11, 43, 53, 133}},
    {529, {1, 3, 5, 5, 29, 17, 47, 173, 479}},
    {539, {1, 3, 3, 11, 3, 1, 109, 9, 69}},
    {545, {1, 1, 1, 5, 17, 39, 23, 5, 343}},
    {557, {1, 3, 1, 5, 25, 15, 31, 103, 499}},
    {563, {1, 1, 1, 11, 11, 17, 63, 105, 183}},
    {601, {1, 1, 5, 11, 9, 29, 97, 231, 363}},
    {607, {1, 1, 5, 15, 19, 45, 41, 7, 383}},
    {617, {1, 3, 7, 7, 31, 19, 83, 137, 221}},
    {623, {1, 1, 1, 3, 23, 15, 111, 223, 83}},
    {631, {1, 1, 5, 13, 31, 15, 55, 25, 161}},
    {637, {1, 1, 3, 13, 25, 47, 39, 87, 257}},
};

static int degree_of(uint32_t polynomial)
{
    int degree = -1;

    for (; polynomial; polynomial >>= 1)
        degree++;
    return degree;
}

/* Bit k of a number's Gray code adds v[k]. */
static void directions(uint32_t v[BITS], int32_t axis)
{
    const uint32_t polynomial = axes[axis].polynomial;
    const int degree = degree_of(polynomial);

    for (int k = 0; k < BITS; k++) {
        if (axis == 0 || k < degree) {
            v[k] = axis == 0 ? 1 : axes[axis].first[k];
            continue;
        }
        v[k] = v[k - degree];
        for (int i = 1; i <= degree; i++)
            if (polynomial >> (degree - i) & 1)
                v[k] ^= v[k - i] << i;
    }
    for (int k = 0; k < BITS; k++)
        v[k] <<= BITS - 1 - k;
}

static uint32_t scrambled(uint32_t x, int32_t axis, const struct rng *rng)
{
    uint32_t flips = 0;

    for (int bit = 0; bit < BITS; bit++) {
        const uint32_t above = bit ? x >> (BITS - bit) : 0;
        uint32_t block[4];

        rng_block(block, rng, (uint32_t)(axis * BITS + bit), above);
        flips |= (block[0] & 1) << (BITS - 1 - bit);
    }
    return x ^ flips;
}

void sobol_point(double *out, int32_t n_axes, uint32_t index, const struct rng *rng)
{
    const uint32_t gray = index ^ index >> 1;

    assert(n_axes <= SOBOL_MOST_AXES);
    for (int32_t axis = 0; axis < n_axes; axis++) {
        uint32_t v[BITS], x = 0;

        directions(v, axis);
        for (int k = 0; k < BITS; k++)
            x ^= gray >> k & 1 ? v[k] : 0;
        out[axis] = (rng ? scrambled(x, axis, rng) : x) * 0x1p-32;
    }
}
