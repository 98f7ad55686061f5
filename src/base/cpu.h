/* SPDX-License-Identifier: BSD-3-Clause */
/* Differences between processors. */
#ifndef BASE_CPU_H
#define BASE_CPU_H

#include "config.h"

/* CLONES builds a hot loop for several instruction sets. The loader chooses the best, so that one
 * binary runs on every node of a mixed cluster.
 *
 *     CLONES void scale(float *x, size_t n, float by) { ... }
 *
 * Sanitizer builds keep the plain version: their run-time is not ready when the loader chooses. */

#if defined(HAVE_TARGET_CLONES) && !defined(SANITIZED)
#define CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define CLONES
#endif

/* Make this thread, and every thread that it starts, treat subnormal numbers as 0, as inputs and as
 * results. Call it at the start of main(). Works only on x86-64 and 64-bit Arm.
 *
 * Weight decay makes the weights of dead units subnormal; an epoch then took 30 times as long on
 * Intel (doc/decisions/0045). */
void cpu_flush_subnormal(void);

#endif
