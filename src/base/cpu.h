/* SPDX-License-Identifier: BSD-3-Clause */
/* Properties that differ between processors: instruction sets, the cost of subnormal numbers. */
#ifndef BASE_CPU_H
#define BASE_CPU_H

#include "config.h"

/* Hot loops are built for several instruction sets and the best is chosen when the program is
 * loaded, so that one binary runs on every node of a mixed cluster.
 *
 *     CLONES void scale(float *x, size_t n, float by) { ... }
 *
 * Sanitizer builds keep the plain version: their run-time is not up yet when the choice is made. */

#if defined(HAVE_TARGET_CLONES) && !defined(SANITIZED)
#define CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define CLONES
#endif

/* Subnormal numbers: floats nearer to 0 than FLT_MIN (1.2e-38), doubles nearer than DBL_MIN.
 *
 * Weight decay drives the weights of dead units there. Processors then need up to a hundred cycles
 * for an operation: 30 times the time of an epoch on Intel (doc/decisions/0045).
 *
 * From now on this thread, and every thread that it starts, takes subnormal numbers for 0 and
 * rounds results to 0 where they would be subnormal. Call it at the start of main(), so that all
 * threads of a process compute alike. Does nothing on processors other than x86-64 and 64-bit
 * Arm. */
void cpu_flush_subnormal(void);

#endif
