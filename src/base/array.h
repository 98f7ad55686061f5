/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BASE_ARRAY_H
#define BASE_ARRAY_H

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"

/* Make room for items of `size` bytes in an array that holds n: at least one more.
 *   array     inout  address of the pointer, of any type; NULL in the beginning
 *   capacity  inout  items that it has room for, 0 in the beginning
 * -1 and err, about `what`: the array is unchanged. */
static inline int array_extend(void *array, size_t *capacity, size_t n, size_t size,
                               const char *what, struct err *err)
{
    size_t wanted = n ? 2 * n : 16;
    void *old, *grown;

    if (n < *capacity)
        return 0;
    memcpy(&old, array, sizeof old);
    grown = realloc(old, wanted * size);
    if (!grown)
        return err_nomem(err, what, wanted * size);
    memcpy(array, &grown, sizeof grown);
    *capacity = wanted;
    return 0;
}

#endif
