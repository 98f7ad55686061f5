/* SPDX-License-Identifier: BSD-3-Clause */
/* $TEST_STRIDE = N: a test that sanitizers or valgrind make slow tries only every N-th case. `make
 * check-full` sets it, and `make soak` for valgrind alone: its sanitized programs try every case. Odd
 * strides reach even and odd cases. */
#ifndef TESTS_UNIT_STRIDE_H
#define TESTS_UNIT_STRIDE_H

#include <stdlib.h>

static inline int test_stride(void)
{
    const char *text = getenv("TEST_STRIDE");
    int n = text ? atoi(text) : 1;

    return n > 1 ? n : 1;
}

#endif
