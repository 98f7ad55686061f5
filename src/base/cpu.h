/* SPDX-License-Identifier: BSD-3-Clause */
/* Differences between processors. */
#ifndef BASE_CPU_H
#define BASE_CPU_H

#include <stdbool.h>

#include "config.h"

/* Build a hot loop for several instruction sets; the loader chooses the best for its node:
 *
 *     CLONES void scale(float *x, size_t n, float by) { ... }
 *
 * Sanitizer builds keep the plain version: their run-time is not ready when the loader chooses. */

#if defined(HAVE_TARGET_CLONES) && !defined(SANITIZED)
#define CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define CLONES
#endif

/* A function that is called only if cpu_has_avx512(). */
#if defined(__x86_64__) && defined(__GNUC__)
#define AVX512 __attribute__((target("arch=x86-64-v4")))
#else
#define AVX512
#endif

/* True if the processor has the instructions of x86-64-v4. */
bool cpu_has_avx512(void);

/* Make this thread, and every thread that it starts, treat subnormal numbers as 0. Weight decay makes
 * the weights of dead units subnormal after some ten thousand steps, and Intel's processors then took 1.7
 * ms for an epoch of 0.05 ms. Call it at the start of main(), before any thread exists, so that all
 * threads compute alike. Works only on x86-64 and 64-bit Arm. */
void cpu_flush_subnormal(void);

#endif
