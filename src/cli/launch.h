/* Start mpirun for `run -n`, and see it end.
 *
 * In recovery mode, in which the other ranks go on when one dies, Open MPI 4's mpirun always exits
 * with 0, and never at all when it has lost a host. So rank 0 reports (cli/launch_report). */
#ifndef CLI_LAUNCH_H
#define CLI_LAUNCH_H

#include "base/err.h"

struct launch {
    int ranks;
    int threads;          /* the most that one trial uses: cores of a rank */
    double heartbeat_s;   /* the sweep's heartbeat_limit: launch_watch() */
    double begun_s;       /* when the command began, by clock_system */
    const char *command;  /* as it was typed */
    const char *progress; /* what the ranks are told: the terminal is seen only from here */
};

/* In the environment of ranks that launch_mpirun() started: the command as the user typed it. */
#define LAUNCH_COMMAND "ESPALIER_COMMAND"

/* In the environment of these ranks: when the command began, in Unix time. The ranks may run on
 * another host, which has its own monotonic clock. */
#define LAUNCH_BEGUN "ESPALIER_BEGUN"

/* When this command began, by clock_system: now, or when the `run -n` that started this rank began.
 * Call it first. */
double launch_begun(void);

/* Processors this process may run on. */
int launch_cores(void);

/* Run `mpirun -n RANKS espalier run ARGV...` (argv[0] is the command's name; -n in it is dropped)
 * and wait. SIGINT, SIGTERM and the like become SIGUSR1 for mpirun, which hands that on to the
 * ranks: they stop cleanly, while Ctrl-C given to mpirun itself would kill them. Returns the exit
 * status of the sweep; -1 and err when mpirun cannot be started. */
int launch_mpirun(const struct launch *launch, int argc, char **argv, struct err *err);

#endif
