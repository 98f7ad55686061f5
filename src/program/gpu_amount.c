/* SPDX-License-Identifier: BSD-3-Clause */
#include "program/gpu_amount.h"

#include <math.h>
#include <stdbool.h>

/* 0.33 is 1/3 */
#define ROUNDING 0.011

int gpu_amount(int32_t *devices, int32_t *ranks, double gpus, struct err *err)
{
    double n = gpus > 0 ? round(1 / gpus) : 0;
    bool is_whole = gpus >= 0 && gpus <= GPU_MAX && floor(gpus) == gpus;

    *devices = is_whole ? (int32_t)gpus : 1;
    *ranks = is_whole ? 1 : (int32_t)fmin(fmax(n, 1), GPU_MOST_RANKS);
    if (is_whole || (gpus < 1 && n >= 2 && n <= GPU_MOST_RANKS && fabs(gpus * n - 1) < ROUNDING))
        return 0;
    return err_set(err,
                   "gpus = %g: must be 0, a whole number up to %d, or a part of one GPU as a "
                   "decimal number: 0.5, 0.333, 0.25 ... down to %g (%d ranks on a GPU)",
                   gpus, GPU_MAX, 1.0 / GPU_MOST_RANKS, GPU_MOST_RANKS);
}
