/* SPDX-License-Identifier: BSD-3-Clause */
/* All ranks look at their GPUs, and each learns which of them its trials get, and those of its gangs. */
#ifndef LAUNCH_GPU_SETTLE_H
#define LAUNCH_GPU_SETTLE_H

#include "launch/gpu_share.h"

/* Collective. wish: on rank 0, with gpus above 0; NULL elsewhere. If the GPUs cannot be divided, all
 * ranks return the same error. */
int gpu_settle(struct gpu_shares *shares, const struct world *world, const struct gpu_wish *wish,
               struct err *err);

#endif
