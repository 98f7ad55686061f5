/* SPDX-License-Identifier: BSD-3-Clause */
/* Binary search. */
#ifndef BASE_SORTED_H
#define BASE_SORTED_H

#include <stdint.h>

/* Return the number of elements of v below `value`, which is the place of its first occurrence.
 * v: [n] ascending. */
static inline int64_t sorted_below(const int32_t *v, int64_t n, int64_t value)
{
    int64_t low = 0, high = n;

    while (low < high) {
        int64_t middle = low + (high - low) / 2;

        if (v[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

#endif
