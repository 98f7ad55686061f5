/* SPDX-License-Identifier: BSD-3-Clause */
#include "tensor/bucket_sort.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static size_t key_of(const char *item)
{
    int32_t key;

    memcpy(&key, item, sizeof key);
    return (size_t)key;
}

static bool is_sorted(const char *items, size_t n, size_t size,
                      int (*compare)(const void *, const void *))
{
    for (size_t i = 1; i < n; i++)
        if (compare(items + (i - 1) * size, items + i * size) > 0)
            return false;
    return true;
}

/* start: out [n_keys + 1] */
static void count_keys(size_t *start, size_t n_keys, const char *items, size_t n, size_t size)
{
    for (size_t i = 0; i < n; i++)
        start[key_of(items + i * size) + 1]++;
    for (size_t k = 0; k < n_keys; k++)
        start[k + 1] += start[k];
}

void bucket_sort(void *items_, size_t n, size_t size, int (*compare)(const void *, const void *))
{
    char *items = items_, *sorted;
    size_t n_keys = 0, begin = 0;
    size_t *place;

    if (is_sorted(items, n, size, compare))
        return;
    for (size_t i = 0; i < n; i++)
        n_keys = key_of(items + i * size) >= n_keys ? key_of(items + i * size) + 1 : n_keys;
    sorted = malloc(n * size);
    place = calloc(n_keys + 1, sizeof *place);
    if (sorted && place) {
        count_keys(place, n_keys, items, n, size);
        for (size_t i = 0; i < n; i++)
            memcpy(sorted + place[key_of(items + i * size)]++ * size, items + i * size, size);
        /* place[k] is now the end of bucket k */
        for (size_t k = 0; k < n_keys; k++) {
            if (place[k] > begin + 1)
                qsort(sorted + begin * size, place[k] - begin, size, compare);
            begin = place[k];
        }
        memcpy(items, sorted, n * size);
    } else {
        qsort(items, n, size, compare);
    }
    free(sorted);
    free(place);
}
