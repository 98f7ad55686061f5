/* SPDX-License-Identifier: BSD-3-Clause */
/* Every trial of every configuration, to its end. */
#include "search/allocator.h"

const struct allocator allocate_all = {.name = "all"};
