/* SPDX-License-Identifier: BSD-3-Clause */
#include "search/allocator.h"

#include <math.h>

#define ALLOCATOR_ROW(name) extern const struct allocator allocate_##name;
SEARCH_ALLOCATORS(ALLOCATOR_ROW, )
#undef ALLOCATOR_ROW

const struct allocator *allocator_of(const struct settings *fixed)
{
#define ALLOCATOR_ROW(name) &allocate_##name,
    static const struct allocator *const rows[] = {SEARCH_ALLOCATORS(ALLOCATOR_ROW, )};

    return rows[fixed->v[P_ALLOCATE].i];
}

int32_t allocator_n_stages(const struct settings *fixed, int32_t each)
{
    const struct allocator *allocator = allocator_of(fixed);

    return allocator->n_stages ? allocator->n_stages(fixed, each) : 1;
}

struct search_stage allocator_stage(const struct settings *fixed, int32_t each, int32_t stage)
{
    const struct allocator *allocator = allocator_of(fixed);

    return allocator->stage ? allocator->stage(fixed, each, stage)
                            : (struct search_stage){each, SETTINGS_LAST_RUNG};
}

double allocator_share(const struct settings *fixed, int32_t each, int32_t stage)
{
    const double eta = (double)fixed->v[P_ETA].i;
    const double end = pow(eta, stage + 1 - allocator_n_stages(fixed, each));

    if (!allocator_of(fixed)->has_rungs)
        return 1;
    return stage ? end - end / eta : end;
}
