/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TENSOR_BUCKET_SORT_H
#define TENSOR_BUCKET_SORT_H

#include <stddef.h>

/* Sort like qsort(), in time linear in n and the largest key if few items have equal keys. The key
 * is an item's first member, an int32_t from 0 on; compare() orders by it first. Items in order are
 * not moved. Takes n size bytes of scratch; if memory is short, calls qsort(). */
void bucket_sort(void *items, size_t n, size_t size, int (*compare)(const void *, const void *));

#endif
