/* SPDX-License-Identifier: BSD-3-Clause */
/* $TEST_STRIDE = N: a test that sanitizers or valgrind make slow tries only every N-th case. Odd
 * strides reach even and odd cases. */
#ifndef TESTS_UNIT_STRIDE_H
#define TESTS_UNIT_STRIDE_H

#include <stdlib.h>

/* `otherwise`: where the variable is not set. */
static inline int test_stride_or(int otherwise)
{
    const char *text = getenv("TEST_STRIDE");
    int n = text ? atoi(text) : otherwise;

    return n > 1 ? n : 1;
}

static inline int test_stride(void)
{
    return test_stride_or(1);
}

#endif
