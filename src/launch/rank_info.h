/* SPDX-License-Identifier: BSD-3-Clause */
/* Facts of each rank about its launch, from which checks.h draws conclusions. */
#ifndef LAUNCH_RANK_INFO_H
#define LAUNCH_RANK_INFO_H

#include <sched.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "launch/gpu.h"
#include "launch/host.h"
#include "sched/world.h"

enum launcher {
    LAUNCHER_NONE,
    LAUNCHER_MPIRUN,
    LAUNCHER_OTHER, /* of another MPI */
    LAUNCHER_SRUN
};

enum recovery {
    RECOVERY_UNKNOWN, /* not under mpirun, or its version does not tell */
    RECOVERY_OFF,
    RECOVERY_ON
};

struct rank_info {
    char host[65];
    char machine[65]; /* boot id: equal for ranks that share processors, also from containers */
    char pids[24];
    int32_t pid;
    cpu_set_t cpus;      /* where it may run; empty: unknown */
    int32_t cpus_online; /* of the machine */

    enum launcher launcher;
    int32_t n_launched; /* tasks of the launcher, as far as this one sees */
    int32_t n_job;      /* tasks or slots of the batch job, or 0 */
    int32_t launched_by_run;
    enum recovery recovery;

    double shm_bytes, shm_free_bytes; /* of the folder for shared memory; -1: unknown */

    /* Unix time before and after one moment, the same for all ranks. */
    double before, after;

    int32_t n_others; /* only of the first rank of a host */
    struct host_run others[HOST_RUNS_MAX];

    struct gpu_list gpus; /* empty unless asked for */
};

/* Fill in all but clock, other runs and GPUs. */
void rank_info_here(struct rank_info *info);

/* Collective; takes some milliseconds. gpus: of this rank; NULL: not asked for. *info: on rank 0 of
 * all ranks in rank order, for free(); elsewhere NULL. */
int rank_info_gather(const struct world *world, const struct gpu_list *gpus,
                     struct rank_info **info, struct err *err);

/* "mpirun", "srun" and so on. */
const char *launcher_name(enum launcher launcher);

#endif
