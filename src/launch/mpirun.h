/* SPDX-License-Identifier: BSD-3-Clause */
/* launch: how ranks are started and watched, and what a launch looks like.
 *
 * mpirun starts the ranks of `run -n`, launch_report is rank 0's word to it, stop hears signals;
 * rank_info and host see what each rank has, checks and preflight say what is wrong with it;
 * job_array cuts a sweep for the elements of a job array. What is wrong goes up to cli as an error
 * or a finding. May include store, sched and what is below; neither run nor predict nor cli.
 *
 * This file: start mpirun for `run -n`, and see it end.
 *
 * In recovery mode, in which the other ranks go on when one dies, Open MPI 4's mpirun always exits
 * with 0, and never at all when it has lost a host. So rank 0 reports (launch/launch_report). */
#ifndef LAUNCH_MPIRUN_H
#define LAUNCH_MPIRUN_H

#include "base/err.h"
#include "base/exit_status.h"

struct mpirun {
    int ranks;
    int threads;          /* the most that one trial uses: cores of a rank */
    double heartbeat_s;   /* the sweep's heartbeat_limit */
    double begun_s;       /* when the command began, by clock_system */
    const char *command;  /* as it was typed */
    const char *progress; /* --progress and --color of the ranks, which do not see the terminal */
    const char *color;
};

/* When this command began, by clock_system: now, or when the `run -n` that started this rank began.
 * Call it first. */
double mpirun_begun(void);

/* Run `mpirun -n RANKS espalier run ARGV...` (argv[0] is the command's name; -n in it is dropped)
 * and wait. SIGINT, SIGTERM and the like become SIGUSR1 for mpirun, which hands that on to the
 * ranks: they stop cleanly, while Ctrl-C given to mpirun itself would kill them.
 *
 * mpirun is ended when rank 0 has reported its status and mpirun does not follow (it waits for ever
 * for a host that is lost), when the ranks do not come up, and when rank 0 has come up and then
 * says nothing: for heartbeat_s and some seconds where it is on another host, as its workers would;
 * on this one for longer, since a disk may hold it, and were it dead mpirun would know.
 *
 * status out: of the sweep. -1 and err when mpirun cannot be started. */
int mpirun_run(enum exit_status *status, const struct mpirun *launch, int argc, char **argv,
               struct err *err);

#endif
