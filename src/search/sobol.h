/* SPDX-License-Identifier: BSD-3-Clause */
/* Points that fill the unit cube evenly: a Sobol sequence with Owen's scrambling. Pure.
 *
 * Sources: Joe & Kuo 2008, SIAM J. Sci. Comput. 30, 2635-2654 (direction numbers, BSD licence); the order by
 * Gray code of Antonov & Saleev 1979; Owen 1995, "Randomly permuted (t,m,s)-nets and (t,s)-sequences". */
#ifndef SEARCH_SOBOL_H
#define SEARCH_SOBOL_H

#include <stdint.h>

#include "base/rng.h"

enum { SOBOL_MOST_AXES = 64 };

/* out [n_axes], each in [0, 1): point `index` of the sequence, from 0. The random bit that may flip a bit has
 * its axis, its place and the bits above it as address, so a point depends on nothing but rng and index.
 * rng NULL: not scrambled. */
void sobol_point(double *out, int32_t n_axes, uint32_t index, const struct rng *rng);

#endif
