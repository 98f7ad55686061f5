/* SPDX-License-Identifier: BSD-3-Clause */
#include "search/allocator.h"

#define ALLOCATOR_ROW(name) extern const struct allocator allocate_##name;
SEARCH_ALLOCATORS(ALLOCATOR_ROW, )
#undef ALLOCATOR_ROW

const struct allocator *allocator_of(const struct settings *fixed)
{
#define ALLOCATOR_ROW(name) &allocate_##name,
    static const struct allocator *const rows[] = {SEARCH_ALLOCATORS(ALLOCATOR_ROW, )};

    return rows[fixed->v[P_ALLOCATE].i];
}
