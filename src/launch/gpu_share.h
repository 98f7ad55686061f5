/* SPDX-License-Identifier: BSD-3-Clause */
/* Which GPUs the trials of each rank get. */
#ifndef LAUNCH_GPU_SHARE_H
#define LAUNCH_GPU_SHARE_H

#include "launch/checks.h"

struct gpu_share {
    enum gpu_vendor vendor;
    int32_t n;    /* devices */
    int32_t view; /* the first rank that sees the same GPUs under the same names */
    char devices[GPU_MAX * (GPU_NAME + 1)]; /* names, separated by commas */
};

/* [resources] of a sweep. */
struct gpu_wish {
    double gpus;      /* of a rank; 0: they are left alone */
    int32_t per_host; /* gpus_per_host, or 0 */
    int32_t ranks;    /* most that one trial has */
};

/* The shares of all ranks, as each rank knows them. */
struct gpu_shares {
    struct gpu_share *of; /* [n] of each rank, owned; NULL: no GPUs */
    int32_t n, rank;      /* rank: this one */
};

void gpu_shares_release(struct gpu_shares *shares);

/* The devices that processes of these ranks see together, in this order: a process with the local
 * rank i finds the first of its own at i * gpus, unless a device is shared, which is there once.
 * Ranks of another view cannot use each other's devices: out is the own share. */
void gpu_shares_join(struct gpu_share *out, const struct gpu_shares *shares, const int32_t *ranks,
                     int32_t n_ranks);

/* The i-th variable that a program needs to use only these devices: returns its name, and appends
 * its value. NULL: there are no more. AMD's runtime counts the devices of ROCR_VISIBLE_DEVICES from
 * 0, and then reads the other variables. */
const char *gpu_share_variable(struct buf *value, const struct gpu_share *share, int32_t i);

/* Give each rank, in order, the first of its GPUs that are free on its machine; with gpus = 1/n,
 * n ranks share a device. No function of anything else, so the same launch gives the same devices.
 *   shares    [n] out
 *   info      [n] with GPUs, to which per_host is applied (gpu_state())
 *   wish      gpus above 0
 *   findings  gets a warning if a host has GPUs that no rank uses, or if the processes of a gang
 *             cannot see each other's
 * -1 and err, "what; fix": a host has too few, or its ranks see lists that cannot be divided. */
int gpu_divide(struct gpu_share *shares, struct findings *findings, struct rank_info *info,
               int32_t n, const struct gpu_wish *wish, struct err *err);

/* Look at the GPUs of all ranks and divide them. Collective. wish: on rank 0; NULL elsewhere. If the
 * GPUs cannot be divided, all ranks return the same error. */
int gpu_settle(struct gpu_shares *shares, const struct world *world, const struct gpu_wish *wish,
               struct err *err);

#endif
