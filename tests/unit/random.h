/* SPDX-License-Identifier: BSD-3-Clause */
/* Random matrices for tests of kernels. */
#ifndef TESTS_RANDOM_H
#define TESTS_RANDOM_H

#include <math.h>

#include "base/rng.h"
#include "tensor/mat.h"
#include "unit.h"

/* Widths that reach every branch of a fast kernel. */
static const int32_t widths[] = {1,  2,  3,  4,  5,  6,  7,  8,   9,   15,
                                 16, 17, 24, 31, 64, 65, 95, 128, 151, 256};
#define N_WIDTHS (sizeof widths / sizeof *widths)

static const struct hash seed = {.high = 1, .low = 2};

static inline float number(uint32_t step, int64_t i)
{
    struct rng rng;

    rng_init(&rng, seed, RNG_SIMULATE);
    return (float)rng_normal(&rng, step, (uint32_t)i);
}

static inline struct mat random_mat(int32_t n_rows, int32_t n_cols, uint32_t step)
{
    struct mat m;

    assert_int_equal(mat_init(&m, n_rows, n_cols, NULL), 0);
    for (int64_t i = 0; i < mat_size(&m); i++)
        m.v[i] = number(step, i);
    return m;
}

static inline void assert_close(double found, double want)
{
    if (!(fabs(found - want) <= 1e-5 * (1 + fabs(want))))
        fail_msg("found %.9g, want %.9g", found, want);
}

#endif
