/* SPDX-License-Identifier: BSD-3-Clause */
/* Every trial of every configuration, to its end. */
#include "search/allocator.h"

static int32_t n_stages(const struct settings *fixed, int32_t each)
{
    (void)fixed;
    (void)each;
    return 1;
}

static struct search_stage stage(const struct settings *fixed, int32_t each, int32_t number)
{
    (void)fixed;
    (void)number;
    return (struct search_stage){each, SETTINGS_LAST_RUNG};
}

static double expected_share(const struct settings *fixed, int32_t n, int32_t each)
{
    (void)fixed;
    (void)n;
    (void)each;
    return 1;
}

static int check(const struct settings *fixed, int32_t n, int32_t each, int64_t epochs,
                 struct err *err)
{
    (void)fixed;
    (void)n;
    (void)each;
    (void)epochs;
    (void)err;
    return 0;
}

const struct allocator allocate_all = {.name = "all",
                                       .n_stages = n_stages,
                                       .stage = stage,
                                       .expected_share = expected_share,
                                       .check = check};
