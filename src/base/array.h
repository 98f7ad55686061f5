/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BASE_ARRAY_H
#define BASE_ARRAY_H

#include <stddef.h>

#include "base/err.h"

/* Make room for items of `size` bytes in an array that holds n: at least one more.
 *   array     inout  address of the pointer, of any type; NULL in the beginning
 *   capacity  inout  items that it has room for, 0 in the beginning
 * -1 and err, about `what`: the array is unchanged. */
int array_extend(void *array, size_t *capacity, size_t n, size_t size, const char *what,
                 struct err *err);

#endif
