/* SPDX-License-Identifier: BSD-3-Clause */
/* How many GPUs a rank can have. */
#ifndef PROGRAM_GPU_AMOUNT_H
#define PROGRAM_GPU_AMOUNT_H

#include <stdint.h>

#include "base/err.h"

enum {
    GPU_MAX = 128,      /* of a host */
    GPU_MOST_RANKS = 32 /* of a GPU; more run slower than fewer in turn */
};

/* [resources] gpus: 0, a whole number, or 1/n. devices out: of a rank; ranks out: that share a
 * device. */
int gpu_amount(int32_t *devices, int32_t *ranks, double gpus, struct err *err);

#endif
