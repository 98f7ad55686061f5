/* SPDX-License-Identifier: BSD-3-Clause */
/* launch: how ranks are started and watched.
 *
 * mpirun starts the ranks of `run -n`, launch_report carries rank 0's reports to it, stop handles
 * signals. rank_info, host and gpu collect what each rank has; checks and preflight find mistakes;
 * gpu_share gives each rank its GPUs. job_array splits a sweep among elements of a
 * job array. May include store, sched and the layers below, but not run, predict or cli.
 *
 * This file: start mpirun for `run -n` and `doctor -n`, and wait for its end. In recovery mode Open
 * MPI 4's mpirun always exits with 0, and never if it has lost a host, so rank 0 reports its end. */
#ifndef LAUNCH_MPIRUN_H
#define LAUNCH_MPIRUN_H

#include "base/err.h"
#include <stdbool.h>

#include "base/exit_status.h"

struct mpirun {
    const char *verb; /* "run" */
    int ranks;
    int threads;        /* cores of a rank */
    double heartbeat_s; /* heartbeat_limit */
    double begun_s;     /* by clock_system */
    const char *command;
    /* For the ranks, which do not see the terminal. progress NULL: the verb has none. */
    const char *progress;
    const char *color;
};

/* When this command, or the `run -n` that started this rank, began, by clock_system. Call it
 * first. */
double mpirun_begun(void);

/* A typing error in -n must not flood this machine, and mpirun needs open files: -1 and err. A batch
 * job may have other hosts. */
int mpirun_check_ranks(long ranks, struct err *err);

/* Run `mpirun -n RANKS espalier VERB ARGV...`, without the -n in argv, and wait. SIGINT, SIGTERM and
 * the like become SIGUSR1 for mpirun, which passes it to the ranks: they stop cleanly, whereas
 * Ctrl-C sent to mpirun would kill them. mpirun is ended if
 *
 * - rank 0 has reported its status, but mpirun waits for a lost host;
 * - the ranks do not start;
 * - rank 0 falls silent: on another host for heartbeat_s and some seconds; on this host for longer,
 *   since a disk may block it and mpirun would notice its death.
 *
 * status out: of the sweep. is_cut out: the ranks were asked to stop, and rank 0's report did not
 * arrive, because mpirun was signalled too. -1 and err: mpirun started no rank, or ended without
 * rank 0's report. */
int mpirun_run(enum exit_status *status, bool *is_cut, const struct mpirun *launch, int argc,
               char **argv, struct err *err);

#endif
