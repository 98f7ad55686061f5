/* Hot loops are built for several instruction sets and the best is chosen when the program is
 * loaded, so that one binary runs on every node of a mixed cluster.
 *
 *     CLONES void scale(float *x, size_t n, float by) { ... }
 *
 * Sanitizer builds keep the plain version: their run-time is not up yet when the choice is made. */
#ifndef BASE_CLONES_H
#define BASE_CLONES_H

#include "config.h"

#if defined(HAVE_TARGET_CLONES) && !defined(SANITIZED)
#define CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define CLONES
#endif

#endif
