/* Start mpirun for `run -n`, and see it end.
 *
 * In recovery mode, in which the other ranks go on when one dies, Open MPI 4's mpirun always exits
 * with 0, and never at all when it has lost a host. So rank 0 reports (launch/launch_report). */
#ifndef LAUNCH_MPIRUN_H
#define LAUNCH_MPIRUN_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"

/* The other end of launch_report_*(): follow a mpirun until it ends, and see that it does. */

struct launch_end {
    int status;         /* that rank 0 reported; -1: none */
    int mpirun_status;  /* its exit status; 128 and the signal where one ended it */
    bool has_come_up;   /* rank 0 has reported at all */
    const char *reason; /* why it was ended from here; NULL: it was not */
};

/* pid is mpirun, leader of a process group; report_fd its standard output. Ends it when rank 0 has
 * reported its status and mpirun does not follow (it waits for ever for a host that is lost), when
 * the ranks do not come up, and when rank 0 has come up and then says nothing: for heartbeat_s and
 * some seconds where it is on another host, as its workers would; on this one for longer, since a
 * disk may hold it, and were it dead mpirun would know. *stop: mpirun was sent SIGUSR1 for its
 * ranks, and gets it again until they have come up, since it loses what comes early. */
void launch_watch(struct launch_end *end, pid_t pid, int report_fd, double heartbeat_s,
                  const volatile sig_atomic_t *stop);

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
