/* SPDX-License-Identifier: BSD-3-Clause */
/* What each rank of a launch sees of it. What follows from that is in checks.h. */
#ifndef LAUNCH_RANK_INFO_H
#define LAUNCH_RANK_INFO_H

#include <sched.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "launch/host.h"
#include "sched/world.h"

enum launcher {
    LAUNCHER_NONE,
    LAUNCHER_MPIRUN, /* of Open MPI */
    LAUNCHER_OTHER,  /* mpirun or mpiexec of another MPI */
    LAUNCHER_SRUN,
    LAUNCHER_BLAUNCH,
    LAUNCHER_PBSDSH
};

enum recovery {
    RECOVERY_UNKNOWN, /* not under mpirun, or under one that does not tell its ranks */
    RECOVERY_OFF,
    RECOVERY_ON
};

struct rank_info {
    char host[65];
    char machine[65]; /* the boot of it: who shares processors and clock; containers do */
    char pids[24];    /* its pid namespace */
    int32_t pid;
    cpu_set_t cpus;      /* that it may run on; empty: not known */
    int32_t cpus_online; /* of the machine */

    enum launcher launcher;
    int32_t n_launched; /* tasks that the launcher has started, as far as this one sees; 0: none */
    int32_t n_job;      /* tasks or slots of the batch job; 0: none, or not known */
    int32_t launched_by_run; /* whether `run -n` has started it */
    enum recovery recovery;

    double shm_bytes, shm_free_bytes; /* of the folder of shared memory; -1: not known */

    /* Unix time before and after a moment at which all ranks were between the two. */
    double before, after;

    struct host_run *others; /* [n_others] owned; of the first rank of a host only */
    int32_t n_others;
};

/* Of this rank, without the clock and other runs. */
void rank_info_here(struct rank_info *info);

/* Text without NUL in it, for world_gather(). -1 and err: the text is none of ours. */
void rank_info_pack(struct buf *out, const struct rank_info *info);
int rank_info_unpack(struct rank_info *info, const char *text, struct err *err);

/* Collective, some milliseconds: those of all ranks, in rank order, on rank 0: malloc()ed and
 * handed over (rank_info_destroy); elsewhere *info is NULL. */
int rank_info_gather(const struct world *world, struct rank_info **info, struct err *err);
void rank_info_destroy(struct rank_info *info, int32_t n); /* takes NULL, whatever n is */

/* "mpirun", "srun" and so on. Static text. */
const char *launcher_name(enum launcher launcher);

#endif
