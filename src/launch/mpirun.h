/* SPDX-License-Identifier: BSD-3-Clause */
/* launch: how ranks are started and watched, and what a launch looks like.
 *
 * mpirun starts the ranks of `run -n`, launch_report carries rank 0's reports to it, and stop
 * handles signals. rank_info and host collect what each rank has; checks and preflight find
 * mistakes in it. job_array splits a sweep among the elements of a job array. Problems go up to cli
 * as errors or findings. May include store, sched and the layers below, but not run, predict or
 * cli.
 *
 * This file: start mpirun for `run -n` and wait for its end.
 *
 * In recovery mode, in which the other ranks continue when one dies, the mpirun of Open MPI 4
 * always exits with 0, and it never exits if it has lost a host. Therefore rank 0 reports its end
 * (launch/launch_report). */
#ifndef LAUNCH_MPIRUN_H
#define LAUNCH_MPIRUN_H

#include "base/err.h"
#include "base/exit_status.h"

struct mpirun {
    int ranks;
    int threads;          /* cores of a rank: the most that one trial uses */
    double heartbeat_s;   /* the sweep's heartbeat_limit */
    double begun_s;       /* when the command began, by clock_system */
    const char *command;  /* as the user typed it */
    const char *progress; /* passed to the ranks, since only this process sees the terminal */
};

/* Return when this command began, by clock_system: now, or when the `run -n` that started this rank
 * began. Call it first. */
double mpirun_begun(void);

/* Run `mpirun -n RANKS espalier run ARGV...` and wait. argv[0] is the command's name; -n in argv is
 * dropped. SIGINT, SIGTERM and similar signals become SIGUSR1 for mpirun, which passes it to the
 * ranks. They then stop cleanly, whereas Ctrl-C sent to mpirun itself would kill them.
 *
 * This process ends mpirun in three cases:
 *
 * - Rank 0 has reported its status, but mpirun does not exit: it waits forever for a lost host.
 * - The ranks do not start.
 * - Rank 0 has started and then falls silent: for heartbeat_s and some seconds if it is on another
 *   host, as its workers would judge it. On this host the limit is longer, since a disk may block
 *   rank 0, and mpirun would notice its death.
 *
 * status out: of the sweep. Returns -1 and err if mpirun cannot be started. */
int mpirun_run(enum exit_status *status, const struct mpirun *launch, int argc, char **argv,
               struct err *err);

#endif
