/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/array.h"

#include <stdlib.h>
#include <string.h>

int array_extend(void *array, size_t *capacity, size_t n, size_t size, const char *what,
                 struct err *err)
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
